"""Holds a proposed end against what really happened, by rules: plan, files, exit codes, values.

A check that fails goes back to the model once or twice with the evidence; what stays unproven is said with the answer.
Rules only look at what a run did itself: of an answer without any call, only files that it says it made are looked for,
and words about other things are not judged.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runtime.agent.claims import admits_failure, claimed_files
from runtime.memory.window import USER
from runtime.session.events import CallStatus
from runtime.session.messages import serialised
from runtime.session.mind_events import AnswerChecked, Check
from runtime.session.state import CallState, RunState
from tools.errors import PathRefused
from tools.workspace import Workspace

SENT_BACK = 2
"""How often a run's answer goes back at most."""
PLAN_SENT_BACK = 1
NUMBER = re.compile(r"(?<![\w./-])(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d+)?(?![\w/-])")
MIN_VALUES = 3
MIN_DIGITS = 3
COMMAND = re.compile(r'"command":\s*("(?:[^"\\]|\\.)*")')
SHOWS = (
    r"\s*(?:cd|ls|tree|pwd|cat|head|tail|echo|wc|stat|file|du|date|grep|rg|find|which|test|diff|true)"
    r"(?:[ \t][^|;&<>`$()\n]*)?"
)
LOOK = re.compile(rf"{SHOWS}(?:(?:&&|\|\|?|;|\n){SHOWS})*\s*")
"""Simple commands that only show something; anything that could do more is none."""
UNHEARD = re.compile(r"2>\s*(?:/dev/null|&1)")
RAN = frozenset({"bash", "python_execute"})
NO_WORK = frozenset({"planning", "terminate", "ask_human", "recall"})
"""Calls that are no deed by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An end that the model proposes."""

    answer: str
    succeeded: bool = True


def checks_of(run: RunState, proposal: Proposal, workspace: Workspace, said: Sequence[str] = ()) -> tuple[Check, ...]:
    """Everything that can be checked by rules; empty where nothing can.

    Args:
        run: the run, its newest reply included or not.
        proposal: the end that is proposed.
        workspace: where files would be.
        said: the memory, since what people wrote is no invention.
    """
    if not proposal.succeeded:
        return ()
    calls = list(run.calls.values())
    checks = [*plan_check(run)]
    if not any(call.call.tool not in NO_WORK for call in calls):
        return (*checks, *file_checks(proposal.answer, workspace, by_speaker=True))
    checks += [*file_checks(proposal.answer, workspace), *exit_check(calls, proposal.answer)]
    checks += value_check(calls, run, said, proposal.answer)
    return tuple(checks)


def plan_check(run: RunState) -> Iterator[Check]:
    """Steps of the plan that are neither done nor given up."""
    if run.plan is None or run.flow is not None:
        return
    left = [step.title for step in run.plan.steps if step.status.is_open]
    evidence = (
        f"still open: {'; '.join(left)}"
        if left
        else f"{len(run.plan.steps)} of {len(run.plan.steps)} plan steps closed"
    )
    yield Check(name="plan", passed=not left, evidence=evidence)


def file_checks(answer: str, workspace: Workspace, *, by_speaker: bool = False) -> Iterator[Check]:
    """Files that the answer says were made; `by_speaker`: only where it says that the agent itself made them."""
    for path in claimed_files(answer, by_speaker=by_speaker):
        size = size_of(path, workspace)
        evidence = f"{path} is not in the workspace" if size is None else f"{path}: {size} bytes"
        yield Check(name="files", passed=size is not None, evidence=evidence)


def size_of(path: str, workspace: Workspace) -> int | None:
    """A file's size by its path, or by its name anywhere in the workspace; None where there is none."""
    inside = path.removeprefix("/workspace/").removeprefix("./")
    name = inside.rpartition("/")[2]
    for candidate in (inside, *(file for file in workspace.list_files() if file.rpartition("/")[2] == name)):
        try:
            return workspace.resolve(candidate, must_exist=True).stat().st_size
        except (PathRefused, OSError):
            continue
    return None


def has_run(call: CallState) -> bool:
    """Whether a program ran to an end; a denied or cancelled call says nothing about one."""
    return call.result is not None and call.result.status in {CallStatus.OK, CallStatus.ERROR}


def has_failed(call: CallState) -> bool:
    """Whether a program that ran did not work."""
    return call.result is not None and (call.result.status is not CallStatus.OK or bool(call.result.exit_code))


def only_looks(call: CallState) -> bool:
    """Whether a call of the shell shows what is there and nothing more, so that its success proves nothing."""
    match = COMMAND.search(call.call.arguments) if call.call.tool == "bash" else None
    return match is not None and LOOK.fullmatch(UNHEARD.sub("", json.loads(match[1], strict=False))) is not None


def exit_check(calls: Sequence[CallState], answer: str) -> Iterator[Check]:
    """The last program that ran: where it failed, the answer has to say so. A look around after it changes nothing."""
    ran = [call for call in calls if call.call.tool in RAN and has_run(call)]
    worked = [call for call in ran if not only_looks(call)]
    last = worked[-1] if worked and not has_failed(ran[-1]) else ran[-1] if ran else None
    if last is None or last.result is None:
        return
    if not has_failed(last):
        code = last.result.exit_code
        evidence = "last program: it worked" if code is None else f"last program: exit code {code}"
        yield Check(name="exit_code", passed=True, evidence=evidence)
        return
    told = admits_failure(answer)
    yield Check(name="exit_code", passed=told, evidence=f"the last program failed: {last.result.brief or 'no output'}")


def value_check(calls: Sequence[CallState], run: RunState, said: Sequence[str], answer: str) -> Iterator[Check]:
    """Numbers of the answer that nothing the run has seen contains; only where most of several are made up."""
    claimed = [value for value in dict.fromkeys(values(answer)) if len(value.replace(".", "")) >= MIN_DIGITS]
    if len(claimed) < MIN_VALUES or sum(len(step.call_ids) for step in run.steps) > len(calls):
        return  # Older results are only in the journal, so what is missing here may stand there.
    seen = {value for call in calls if call.result for value in values(f"{call.call.arguments} {call.result.output}")}
    seen.update(value for message in said if message.startswith(USER) for value in values(message))
    missing = [value for value in claimed if not is_seen(value, seen)]
    evidence = f"in no observation: {', '.join(missing[:8])}" if missing else f"{len(claimed)} values were observed"
    yield Check(name="values", passed=len(missing) * 2 <= len(claimed), evidence=evidence)


def values(text: str) -> Iterator[str]:
    """Numbers in one spelling."""
    for match in NUMBER.finditer(text):
        yield normal(match[0])


def normal(number: str) -> str:
    """Without separators and needless zeros."""
    plain = re.sub(r"[,_]", "", number)
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def is_seen(value: str, seen: set[str]) -> bool:
    """Whether an observation holds the value, or one that it is rounded from."""
    if value in seen:
        return True
    places = len(value.partition(".")[2])
    return any(rounds_to(other, value, places) for other in seen if len(other) > len(value))


def rounds_to(longer: str, value: str, places: int) -> bool:
    """Whether a longer number is the value when rounded."""
    if longer[:2] != value[:2]:
        return False
    return f"{float(longer):.{places}f}" == value


def goes_back(run: RunState, checks: Sequence[Check]) -> bool:
    """Whether the model should hear of the failed checks: not again and again."""
    earlier = [known.checked for known in run.checks if not known.checked.about and not known.checked.passed]
    if len(earlier) >= SENT_BACK:
        return False
    failed = {check.name for check in checks if not check.passed}
    only_plan = failed == {"plan"}
    before = {check.name for event in earlier for check in event.checks if not check.passed}
    return bool(failed) and not (only_plan and "plan" in before)


BACK = (
    "[Note of the system, not of a person: before this answer goes out, it was checked, and this does not hold:\n"
    "{failed}\nDo what is missing, or correct the answer so that it says what is true: mark plan steps as completed, "
    "failed or skipped, with the reason. Then answer again, complete in itself.]"
)


def verdict(run: RunState, checks: Sequence[Check], *, by_call: bool) -> AnswerChecked:
    """The event; `by_call`: the model reads what failed as the result of its call, not as a message."""
    passed = all(check.passed for check in checks)
    back = goes_back(run, checks) and not by_call
    words = serialised({"role": "user", "content": told(checks)}) if back else ""
    return AnswerChecked(
        run_id=run.run_id, attempt=len(run.checks) + 1, passed=passed, checks=tuple(checks), message=words
    )


def told(checks: Sequence[Check]) -> str:
    """What does not hold, for the model."""
    return BACK.format(failed="\n".join(f"- {check.name}: {check.evidence}" for check in checks if not check.passed))


def unproven(checks: Sequence[Check]) -> str:
    """What the end of the run says of checks that failed; empty where none did."""
    failed = "; ".join(f"{check.name}: {check.evidence}" for check in checks if not check.passed)
    return f"unproven:{failed[:500]}" if failed else ""
