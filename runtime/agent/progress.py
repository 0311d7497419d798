"""Whether a run still gets anywhere, told from facts: what was called, with which arguments, and what came back."""

from runtime.session.state import RunState, StepState

REPEATS = 3
"""So many steps with the same calls and the same results in a row end a run."""

Deed = tuple[str, str, str, str]
"""Tool, arguments, status and output of one call."""


def is_stuck(run: RunState) -> bool:
    """True when the newest steps did the same thing with the same result, again and again."""
    if run.unresolved or len(run.steps) < REPEATS:
        return False
    newest = [deeds(run, step) for step in run.steps[-REPEATS:]]
    return bool(newest[0]) and all(done == newest[0] for done in newest)


def deeds(run: RunState, step: StepState) -> tuple[Deed, ...]:
    """What a step did; empty where that is not known any more."""
    done: list[Deed] = []
    for call_id in step.call_ids:
        call = run.calls.get(call_id)
        if call is None or call.result is None:
            return ()
        done.append((call.call.tool, call.call.arguments, call.result.status.value, call.result.output))
    return tuple(done)
