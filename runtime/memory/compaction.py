"""When the memory becomes too long, its older part becomes a structured summary. What to cut and keep is decided here.

People's messages stay word for word as far as there is room; the first, the newest and what the run was started for
always do, and so does the brief of a flow's step. A call and its results stay together; the newest part stays as it is,
with what the model said before a person's last words, so that a "yes" still has its referent.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from runtime.llm.tokens import TOKENS_PER_MESSAGE, estimated, estimated_messages
from runtime.memory.people import USER, is_plain_reply, person_words, said_in
from runtime.memory.window import TOOL, units
from runtime.session.messages import serialised
from runtime.session.mind_events import Fact, MemoryCompacted, Summary
from runtime.session.state import RunState

KEPT_SHARE = 0.4
"""How much of the room the newest part may keep, so that the next compaction is far away."""
PINNED_SHARE = 0.2
MAX_ITEMS = 40
MAX_TEXT = 300
FIRST_LINE = (
    "[Note of the system, not of a person. Earlier steps are summarised here to save room; recall with find=... shows "
    "any of them word for word.]"
)
SUMMARY_MARK = '{"role":"user","content":"[Note of the system, not of a person. Earlier steps are summarised'

Reason = Literal["size", "refused", "truncated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Which messages go into the summary: all before `end` but the pinned ones."""

    end: int
    pinned: tuple[int, ...]


def cut_of(memory: Sequence[str], room: int, opening: int = 0) -> Cut | None:
    """Where to cut; None where nothing can be cut without breaking what must stay.

    Args:
        memory: all messages.
        room: tokens, estimated, that the memory may take afterwards at most.
        opening: index of the message that the run was started for.
    """
    spans = list(units(memory))
    end, kept = len(memory), 0
    for start, stop in reversed(spans):
        size = sum(estimated(memory[index]) + TOKENS_PER_MESSAGE for index in range(start, stop))
        if kept and kept + size > room * KEPT_SHARE:
            break
        end, kept = start, kept + size
    end = before_the_referent(memory, spans, end)
    pinned = pinned_of(memory, end, int(room * PINNED_SHARE), opening)
    return Cut(end=end, pinned=pinned) if end - len(pinned) > 1 else None


def before_the_referent(memory: Sequence[str], spans: Sequence[tuple[int, int]], end: int) -> int:
    """An earlier cut where it would fall between what the model said and the person's words about it."""
    starts = [start for start, _ in spans]
    while end in starts and starts.index(end) > 1 and memory[end].startswith(USER):
        end = starts[starts.index(end) - 1]
    return end


def pinned_of(memory: Sequence[str], end: int, room: int, opening: int) -> tuple[int, ...]:
    """What the run was started for; the first message, which in a step of a flow is its brief; the first of a person;
    then the newest ones of people as far as there is room. Each with what the model had said before it; no summary.
    """
    said = [index for index in range(end) if person_words(memory[index])]
    readable = [index for index in range(end) if is_for_the_model(memory[index])]
    always = {*readable[:1], *said[:1], *(index for index in readable if index == opening)}
    pinned = {place for index in always for place in with_referent(memory, index)}
    used = sum(estimated(memory[index]) for index in pinned)
    for index in reversed([index for index in said if index not in pinned]):
        together = with_referent(memory, index)
        used += sum(estimated(memory[place]) for place in together)
        if used > room:
            break
        pinned.update(together)
    return tuple(sorted(pinned))


def with_referent(memory: Sequence[str], index: int) -> tuple[int, ...]:
    """The message and, where the model had said something before it without a call, that too."""
    return (index - 1, index) if index and is_plain_reply(memory[index - 1]) else (index,)


def is_for_the_model(message: str) -> bool:
    """Whether it is somebody's word to the model and no summary."""
    return message.startswith(USER) and not message.startswith(SUMMARY_MARK)


def goal_of(memory: Sequence[str], end: int, opening: int) -> str:
    """What an earlier summary of this run says it is, else what the run was started for, else the first request."""
    summaries = [index for index in range(end) if memory[index].startswith(SUMMARY_MARK)]
    earlier = newest_summary(memory[:end]).goal
    words = person_words(memory[opening]) if opening < len(memory) else ""
    if words and not (earlier and summaries[-1] > opening):
        return clipped(words)
    return earlier or clipped(next(iter(said_in(memory[:end])), ""))


def by_rules(memory: Sequence[str], cut: Cut, run: RunState, opening: int = 0) -> Summary:
    """A summary made without a model: the task, every call with the beginning of its result, the files, the plan."""
    earlier = newest_summary(memory[: cut.end])
    said = said_in(memory[: cut.end])
    facts = [*earlier.facts, *facts_of(memory[: cut.end])]
    decisions = [*earlier.decisions]
    if run.plan is not None:
        decisions = [f"plan step {step.status.value}: {step.title}" for step in run.plan.steps]
    files = dict.fromkeys(
        (*earlier.files, *(file.path for call in run.makers if call.result for file in call.result.files))
    )
    asked = [words for words in said if words.rstrip().endswith("?")]
    return Summary(
        goal=goal_of(memory, cut.end, opening),
        decisions=tuple(decisions[-MAX_ITEMS:]),
        facts=tuple(facts[-MAX_ITEMS:]),
        open_questions=tuple(clipped(words) for words in asked[-3:]),
        files=tuple(files)[-MAX_ITEMS:],
    )


def facts_of(memory: Sequence[str]) -> list[Fact]:
    """Each call with the first line of what came back."""
    facts: list[Fact] = []
    made: dict[str, str] = {}
    for message in memory:
        if message.startswith(USER):
            continue
        value = cast("dict[str, Any]", json.loads(message))
        if message.startswith(TOOL):
            call = made.get(str(value["tool_call_id"]), "a call")
            first = next((line for line in str(value["content"]).splitlines() if line.strip()), "")
            facts.append(Fact(text=clipped(first), source=clipped(call, 160)))
        for call in value.get("tool_calls") or ():
            made[str(call["id"])] = f"{call['function']['name']} {call['function']['arguments']}"
    return facts


def newest_summary(memory: Sequence[str]) -> Summary:
    """The summary that an earlier compaction left, so that nothing is lost when it is summarised again."""
    for message in reversed(memory):
        if message.startswith(SUMMARY_MARK):
            content = str(cast("dict[str, Any]", json.loads(message))["content"])
            return Summary.model_validate_json(content[content.index("{") :])
    return Summary()


def summary_message(summary: Summary) -> str:
    """The summary as it is sent."""
    return serialised({"role": "user", "content": f"{FIRST_LINE}\n{summary.model_dump_json(exclude_defaults=True)}"})


def compacted(
    memory: Sequence[str],
    run: RunState,
    room: int,
    *,
    reason: Reason,
    opening: int = 0,
    summary: Summary | None = None,
) -> MemoryCompacted | None:
    """The event that makes the memory fit; None where nothing can be cut.

    Args:
        memory: all messages.
        run: the active run.
        room: tokens, estimated, that the memory may take.
        reason: why now.
        opening: index of the message that the run was started for.
        summary: of a model; None: it is made by rules.
    """
    cut = cut_of(memory, room, opening)
    if cut is None:
        return None
    made = fitted_summary(summary or by_rules(memory, cut, run, opening), int(room * PINNED_SHARE))
    return MemoryCompacted(
        run_id=run.run_id,
        cut=cut.end,
        pinned=cut.pinned,
        summary=made,
        message=summary_message(made),
        by="rules" if summary is None else "model",
        reason=reason,
    )


def fitted_summary(summary: Summary, room: int) -> Summary:
    """The summary with its oldest facts and decisions dropped until it fits; the goal stays."""
    while estimated_messages([summary_message(summary)]) > max(room, 200) and (summary.facts or summary.decisions):
        drop = max(1, len(summary.facts) // 4)
        summary = (
            summary.model_copy(update={"facts": summary.facts[drop:]})
            if summary.facts
            else summary.model_copy(update={"decisions": summary.decisions[1:]})
        )
    return summary


def clipped(text: str, limit: int = MAX_TEXT) -> str:
    """At most so many characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
