"""What the model is shown of a long memory: all of it while it fits, else the task, a note, and the newest part.

A call and its results are one unit and never separated. What is left out grows in whole blocks, so that the part
that is shown begins with the same bytes for many steps and the server's cache holds.
"""

import json
from collections.abc import Iterator, Sequence
from typing import cast

from runtime.llm.tokens import TOKENS_PER_MESSAGE, estimated, estimated_messages
from runtime.memory.people import USER, is_plain_reply, person_words
from tools.text import cap

TOOL = '{"role":"tool"'
RESULT_SHARE = 4
BLOCKS = 4
"""The window is cut in blocks of this fraction of it."""

LEFT_OUT = (
    '{"role":"user","content":"[Note of the system, not of a person: %d earlier messages are left out here, because '
    'the conversation is longer than you can read at once. Ask again or look into the workspace for what you miss.]"}'
)


def fitted(memory: tuple[str, ...], limit: int, total: int | None = None, *, opening: int = 0) -> tuple[str, ...]:
    """The messages to send.

    Args:
        memory: all of them, serialised.
        limit: tokens, estimated, that they may take together.
        total: what they take, where that was counted already.
        opening: index of the message that the run was started for.
    """
    total = estimated_messages(memory) if total is None else total
    if total <= limit:
        return memory
    block = max(1, limit // BLOCKS)
    to_drop = -(-(total - limit) // block) * block
    cut = cut_after(memory, to_drop)
    pinned = pinned_before(memory, cut, opening)
    if cut <= len(pinned):
        return with_results_cut(memory, limit)
    note = LEFT_OUT % (cut - len(pinned))
    return (*(memory[index] for index in pinned[:1]), note, *(memory[index] for index in pinned[1:]), *memory[cut:])


def with_results_cut(memory: Sequence[str], limit: int) -> tuple[str, ...]:
    """The messages with long results cut, where no whole message can be left out."""
    room = max(1, limit // RESULT_SHARE)
    return tuple(
        cut_result(message, room * 3) if message.startswith(TOOL) and estimated(message) > room else message
        for message in memory
    )


def cut_result(message: str, chars: int) -> str:
    """A result by head and tail."""
    value = cast("dict[str, object]", json.loads(message))
    value["content"] = cap(str(value.get("content") or ""), chars)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cut_after(memory: Sequence[str], tokens: int) -> int:
    """The index of the first message kept when whole units worth `tokens` are dropped; the last unit always stays."""
    dropped = 0
    cut = 0
    for start, end in units(memory):
        if dropped >= tokens or end == len(memory):
            return start
        dropped += sum(estimated(memory[index]) + TOKENS_PER_MESSAGE for index in range(start, end))
        cut = end
    return cut


def units(memory: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ranges of messages that belong together: one message with the tool results that follow it."""
    start = 0
    while start < len(memory):
        end = start + 1
        while end < len(memory) and memory[end].startswith(TOOL):
            end += 1
        yield start, end
        start = end


def pinned_before(memory: Sequence[str], cut: int, opening: int) -> list[int]:
    """Messages that stay although they lie before the cut: the first; what the run was started for; the newest note;
    the newest of a person. Each with what the model had said before it, so that a "yes" keeps its referent.
    """
    notes = [index for index in range(cut) if memory[index].startswith(USER)]
    said = next((index for index in reversed(notes) if person_words(memory[index])), None)
    pinned = {*notes[:1], *notes[-1:], *(index for index in notes if index in {opening, said})}
    answers = {*pinned, cut} if memory[cut].startswith(USER) else pinned
    pinned |= {index - 1 for index in answers if index and is_plain_reply(memory[index - 1])}
    return sorted(pinned)
