"""Keeps the memory within what the model can read: the older part becomes a summary before it does not fit."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from runtime.agent.context import AgentContext
from runtime.agent.spending import paid_reply
from runtime.budget.values import Refused
from runtime.llm.errors import ModelError
from runtime.llm.images import ModelImage
from runtime.llm.port import ChatModel
from runtime.llm.tokens import estimated_once
from runtime.memory.compaction import Reason, compacted
from runtime.memory.summariser import read_summary, summary_request
from runtime.session.events import AnyEvent
from runtime.session.limit_events import RunNoted
from runtime.session.mind_events import MemoryCompacted
from runtime.session.state import RunState
from runtime.session.usage import Usage

logger = logging.getLogger(__name__)

ANSWER_ROOM = 4_096
"""Tokens kept free for the reply where no output limit is set."""
BYTES_PER_TOKEN = 3
LOOKED_AT_FROM = 6_000
"""Tokens, estimated, of the memory, and of what came to it since."""
KEPT = 3
"""A reply that took several requests counts them together; the least of so many counts is of one request."""
FALLEN_TO = 0.9
GROWN_BY = 1 / 16
"""Of what came to the memory by the estimate; even of calls with hardly an argument a model counts a seventh."""
FIRST_SHARE = 1 / 8
"""The same for the first count, which has none before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many tokens, estimated, messages may take beside the system prompt and the tools."""

    tokens: int
    asked: int
    """How many they take."""


def room_of(context: AgentContext, asked: int, *, system: str, tools: str, images: Sequence[ModelImage] = ()) -> Room:
    """The room by the settings, or less where the model was found to read less."""
    model = context.settings.model
    left = model.context_window - (model.max_output_tokens or min(ANSWER_ROOM, model.context_window // 4))
    tokens = left - estimated_once(system) - estimated_once(tools) - sum(image.tokens for image in images)
    learned = context.session.latest.room
    return Room(tokens=min(tokens, learned) if learned else tokens, asked=asked)


def share_of(room: Room, share: float) -> int:
    """That much of the room; less than all of it is reckoned from what was sent and found too long."""
    return room.tokens if share == 1 else int(min(room.tokens, room.asked) * share)


async def shortened(
    context: AgentContext,
    run: RunState,
    memory: tuple[str, ...],
    room: Room,
    *,
    reason: Reason = "size",
    mark: int = 0,
) -> Sequence[AnyEvent]:
    """The events that make the memory fit; none while it does, or where nothing can be left out.

    Args:
        context: what the agent works with.
        run: the active run; it pays for a summary that a model writes.
        memory: what the model would be shown.
        room: what it takes and may take.
        reason: `size` looks whether it fits; anything else is known not to.
        mark: how many messages of the session stand before `memory`; they stay.
    """
    if reason == "size" and room.asked <= room.tokens:
        return ()
    opening = max(0, run.opening - mark)
    by_rules = compacted(memory, run, room.tokens, reason=reason, opening=opening)
    if by_rules is None:
        return ()
    event, notes = by_rules, ()
    if not run.scripted:
        event, notes = await by_model(context, memory, run, by_rules, room, opening)
    learned = room.tokens if reason != "size" else 0
    pinned = (*range(mark), *(index + mark for index in event.pinned))
    return (event.model_copy(update={"cut": event.cut + mark, "pinned": pinned, "room": learned}), *notes)


async def by_model(
    context: AgentContext, memory: tuple[str, ...], run: RunState, event: MemoryCompacted, room: Room, opening: int
) -> tuple[MemoryCompacted, tuple[RunNoted, ...]]:
    """The same cut with a summary that a model wrote, as it was where it wrote none; and what is to be said of it."""
    model: ChatModel = context.summariser or context.model
    step_id = f"{context.session.session_id}.{run.run_id}.{context.session.latest.seq}"
    window = model.traits.context_window
    tokens = min(room.tokens, window - min(ANSWER_ROOM, window // 4))
    request = summary_request(memory[: event.cut], step_id=step_id, room_chars=tokens * BYTES_PER_TOKEN // 2)
    try:
        paid = await paid_reply(context, run, lambda _: request, model=model)
    except ModelError as error:
        logger.warning("no summary from %s, made by rules: %s", model.name, error)
        return event, ()
    if isinstance(paid, Refused):
        return event, ()
    summary = read_summary(paid.reply.text)
    cost: dict[str, object] = {
        "usage": paid.reply.usage,
        "micros": paid.micros,
        "elapsed_ms": paid.elapsed_ms,
    }
    made = (
        compacted(memory, run, room.tokens, reason=event.reason, opening=opening, summary=summary) if summary else event
    )
    return (made or event).model_copy(update=cost), paid.notes_beside


@dataclass(slots=True)
class Readings:
    """What a model was found to read, step by step: finds out a server that silently drops a part of the memory.

    What it counts is held against what it counted before, of a memory that has only grown since: how many tokens a
    memory takes is only estimated, and an estimate may be wrong by a factor.
    """

    by: tuple[str, ...] = ()
    asked: int = 0
    counts: tuple[int, ...] = ()
    """The newest."""
    since: int = 0
    """What the memory took by the estimate, and the model's count, where growth is reckoned from."""
    then: int = 0

    def truncated(self, asked: int, limit: int, usage: Usage, by: tuple[str, ...]) -> int:
        """Tokens that the server cut the conversation to; 0 where it read all of it, for all one can tell.

        Args:
            asked: tokens of the memory as it was sent, estimated.
            limit: how many of them could be sent.
            usage: what the server counted.
            by: the model and whatever was sent beside the memory; counts of another are no measure.
        """
        if by != self.by or asked < self.asked or asked > limit:
            self.by, self.counts = by, ()
        self.asked = asked
        if usage.estimated or asked > limit:
            return 0
        found = asked >= LOOKED_AT_FROM and self.is_less(asked, usage)
        self.counts = (*self.counts, usage.input)[-KEPT:]
        if len(self.counts) < KEPT or asked - self.since >= LOOKED_AT_FROM:
            self.since, self.then = asked, min(self.counts)
        return usage.input if found else 0

    def is_less(self, asked: int, usage: Usage) -> bool:
        """Whether that is less than before, or hardly more although much came to it."""
        if not self.counts:
            return usage.input <= asked * FIRST_SHARE
        # Some servers do not count as read what they had cached.
        fell = len(self.counts) > 1 and usage.input + usage.cached < min(self.counts) * FALLEN_TO
        came = asked - self.since
        return fell or (came >= LOOKED_AT_FROM and usage.input - self.then <= came * GROWN_BY)
