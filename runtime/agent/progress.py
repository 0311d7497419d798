"""Whether a run still gets anywhere, told from facts: what was called, with which arguments, and what came back.

Each doubt needs steps that no earlier doubt has looked at; `stuck.py` says what is done about it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from runtime.agent.likeness import alike, error_class, steady, untimed
from runtime.session.events import CallStatus
from runtime.session.mind_events import DoubtKind
from runtime.session.state import CallState, RunState, StepState
from tools.base import Effect, Risk
from tools.collection import AnyTool

SAME_RESULT = 3
"""So many steps with the same calls and the same results."""
SAME_CALLS = 6
"""So many steps with the same calls, whatever came back."""
SAME_ERRORS = 4
CYCLE_STEPS = 4
STALE_STEPS = 6
PLAN_STEPS = 25
WORDS_STEPS = 4
SAME_FINDINGS = 8
"""So many steps that looked up different things and all found the same."""
ASIDE = frozenset({"planning", "ask_human", "terminate"})
FINDING = 400
"""A longer result than this counts as information."""
WINDOW = 30
SHOWN = 160

Action = tuple[tuple[str, str], ...]
"""Tool and arguments of each call of a step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeds:
    """What one step did."""

    action: Action
    results: tuple[tuple[str, str], ...]
    """Status and output of each call."""
    text: str

    @property
    def errors(self) -> tuple[tuple[str, str], ...]:
        """Tool and class of the error, where every call failed; else empty."""
        if not self.results or any(status == CallStatus.OK.value for status, _ in self.results):
            return ()
        return tuple(
            (tool, error_class(output)) for (tool, _), (_, output) in zip(self.action, self.results, strict=True)
        )

    @property
    def pairs(self) -> set[tuple[tuple[str, str], tuple[str, str]]]:
        """Each call with what it brought, apart from what changes by itself."""
        return {
            (made, (status, steady(output))) for made, (status, output) in zip(self.action, self.results, strict=True)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A reason to think that a run gets nowhere, with the facts in words."""

    kind: DoubtKind
    evidence: str


def doubt_of(run: RunState, polling: Collection[str] = (), reading: Collection[str] = ()) -> Doubt | None:
    """The first reason to doubt the run's progress; None where there is none.

    Args:
        run: the run, with every call answered.
        polling: tools for which asking again and again is meant.
        reading: tools that only look something up.
    """
    if run.unresolved:
        return None
    seen = max(run.doubts[-1].doubted.step if run.doubts else 0, run.flow.began_at_step if run.flow else 0)
    steps = [step for step in run.steps[-WINDOW:] if step.number > seen]
    if not does_something_new(run, steps, polling):
        recent = known_deeds(run, steps, polling)
        for look in (same_call, same_error, cycle, nothing_new, same_words):
            doubt = look(recent)
            if doubt is not None:
                return doubt
    return same_findings(run, steps, reading) or plan_stands(run, seen, polling)


def does_something_new(run: RunState, steps: Sequence[StepState], polling: Collection[str]) -> bool:
    """Whether the newest step made a call that none of the others made, and it worked: then nothing is to be doubted.

    True of nearly every step, and told without looking at any output.
    """
    if not steps:
        return True
    earlier = {call_id for step in steps[:-1] for call_id in step.call_ids}
    before = {
        (run.calls[call_id].call.tool, run.calls[call_id].call.arguments) for call_id in earlier & run.calls.keys()
    }
    newest = [run.calls[call_id] for call_id in steps[-1].call_ids if call_id in run.calls]
    return any(
        call.result is not None
        and call.result.status is CallStatus.OK
        and call.call.tool not in polling
        and (call.call.tool, call.call.arguments) not in before
        for call in newest
    )


def known_deeds(run: RunState, steps: Sequence[StepState], polling: Collection[str]) -> list[Deeds]:
    """The deeds of the newest steps, back to the first whose calls are not known any more; polls are passed over."""
    found: list[Deeds] = []
    for step in reversed(steps):
        calls = [run.calls.get(call_id) for call_id in step.call_ids]
        known = [call for call in calls if call is not None and call.result is not None]
        if len(known) != len(calls):
            break
        if known and all(call.call.tool in polling for call in known):
            continue
        found.append(
            Deeds(
                action=tuple((call.call.tool, call.call.arguments) for call in known),
                results=tuple((call.result.status.value, call.result.output) for call in known if call.result),
                text=step.text,
            )
        )
    return found[::-1]


def same_call(recent: Sequence[Deeds]) -> Doubt | None:
    """The same calls with the same arguments, one step after the other."""
    for count, with_result in ((SAME_RESULT, True), (SAME_CALLS, False)):
        newest = recent[-count:]
        if len(newest) < count or not newest[0].action:
            continue
        same = all(step.action == newest[0].action for step in newest)
        if same and (not with_result or all(alike_results(step, newest[0]) for step in newest)):
            return Doubt(kind=DoubtKind.SAME_CALL, evidence=f"{count} times in a row: {told(newest[-1])}")
    return None


def same_error(recent: Sequence[Deeds]) -> Doubt | None:
    """Nothing but the same kind of error, whatever the arguments."""
    newest = [step.errors for step in recent[-SAME_ERRORS:]]
    if len(newest) < SAME_ERRORS or not newest[0] or any(set(errors) != set(newest[0]) for errors in newest):
        return None
    return Doubt(kind=DoubtKind.SAME_ERROR, evidence=f"{SAME_ERRORS} times the same error: {told(recent[-1])}")


def cycle(recent: Sequence[Deeds]) -> Doubt | None:
    """A, B, A, B with the same results each time."""
    newest = recent[-CYCLE_STEPS:]
    if len(newest) < CYCLE_STEPS or not all(step.action for step in newest):
        return None
    first, second = newest[0], newest[1]
    turns = all(
        step.action == model.action and alike_results(step, model)
        for step, model in zip(newest, (first, second) * (CYCLE_STEPS // 2), strict=True)
    )
    if not turns or first.action == second.action:
        return None
    return Doubt(kind=DoubtKind.CYCLE, evidence=f"to and fro between {told(first)} and {told(second)}")


def nothing_new(recent: Sequence[Deeds]) -> Doubt | None:
    """Only calls that were made before, with what they brought before."""
    newest, before = recent[-STALE_STEPS:], recent[:-STALE_STEPS]
    known = {pair for step in before for pair in step.pairs}
    stale = all(step.action and step.pairs <= known for step in newest)
    if len(newest) < STALE_STEPS or not stale:
        return None
    return Doubt(kind=DoubtKind.NOTHING_NEW, evidence=f"{STALE_STEPS} steps that only repeated earlier ones")


def same_findings(run: RunState, steps: Sequence[StepState], reading: Collection[str]) -> Doubt | None:
    """Different questions to tools that only look something up, and the same short result each time."""
    newest = steps[: -SAME_FINDINGS - 1 : -1]
    if len(newest) < SAME_FINDINGS or not all(step.call_ids for step in newest):
        return None
    calls = (run.calls.get(call_id) for step in newest for call_id in step.call_ids)
    latest = next(calls)
    first = finding(latest, reading)
    if latest is None or first is None or any(finding(call, reading) != first for call in calls):
        return None
    made = f"{latest.call.tool} {latest.call.arguments[:SHOWN]}"
    return Doubt(kind=DoubtKind.NOTHING_NEW, evidence=f"{SAME_FINDINGS} steps that found the same: {made} -> {first}")


def looks_up(tool: AnyTool) -> bool:
    """Whether a call of the tool is worth only what it brings; what a person answers, or a plan, is not looked up."""
    return tool.effect is Effect.PURE and tool.risk is Risk.READ and not tool.polls and tool.name not in ASIDE


def finding(call: CallState | None, reading: Collection[str]) -> str | None:
    """What a call that only looks something up brought, if it is short; None for what is new in any case."""
    if call is None or call.call.tool not in reading or call.result is None or call.result.status is not CallStatus.OK:
        return None
    output = call.result.output
    return untimed(output) if len(output) <= FINDING else None


def same_words(recent: Sequence[Deeds]) -> Doubt | None:
    """Words instead of deeds, and the same ones."""
    newest = recent[-WORDS_STEPS:]
    if len(newest) < WORDS_STEPS or any(step.action for step in newest):
        return None
    if not all(alike(step.text, newest[-1].text) for step in newest[:-1]):
        return None
    return Doubt(kind=DoubtKind.SAME_WORDS, evidence=f"said {WORDS_STEPS} times: {newest[-1].text[:SHOWN]}")


def plan_stands(run: RunState, seen: int, polling: Collection[str]) -> Doubt | None:
    """A plan with open steps that nobody has touched for long, waiting not counted."""
    if run.plan is None or not run.plan.has_open_steps or run.flow is not None:
        return None
    since = takewhile(lambda step: step.seq > run.plan_seq and step.number > seen, reversed(run.steps))
    if sum(1 for _ in islice(at_work(run, since, polling), PLAN_STEPS)) < PLAN_STEPS:
        return None
    open_steps = [step.title for step in run.plan.steps if step.status.is_open]
    return Doubt(kind=DoubtKind.PLAN_STANDS, evidence=f"{PLAN_STEPS} steps without a change of: {open_steps[0]}")


def at_work(run: RunState, steps: Iterable[StepState], polling: Collection[str]) -> Iterator[StepState]:
    """The steps that did more than to poll, newest first; where some polled, only as far as their calls are known."""
    polled = False
    for step in steps:
        calls = [run.calls[call_id].call.tool for call_id in step.call_ids if call_id in run.calls]
        if step.call_ids and not calls and polled:
            return
        if calls and all(tool in polling for tool in calls):
            polled = True
        else:
            yield step


def alike_results(left: Deeds, right: Deeds) -> bool:
    """Whether the same calls brought the same, apart from times, counts and addresses."""
    return [(status, steady(output)) for status, output in left.results] == [
        (status, steady(output)) for status, output in right.results
    ]


def told(step: Deeds) -> str:
    """A step's first call and its result, in one line."""
    (tool, arguments), (status, output) = step.action[0], step.results[0]
    line = " ".join(output.split())
    return f"{tool} {arguments[:SHOWN]} -> {status}: {line[:SHOWN]}"
