"""The fold of calls that became many: the newest stay, and of older ones the files. All pure; see `fold.py`."""

from runtime.session.folding import replace
from runtime.session.state import CallState, RunState

CALLS_KEPT = 64
"""Calls of a run that stay in the state; older ones are in the journal. Bounds the cost of a step."""


def with_newest_calls(run: RunState) -> RunState:
    """The run with at most that many calls, half of them where there were as many."""
    if len(run.calls) < CALLS_KEPT:
        return run
    calls = list(run.calls.items())
    older, newest = calls[: -CALLS_KEPT // 2], calls[-CALLS_KEPT // 2 :]
    return replace(run, calls=dict(newest), makers_before=(*run.makers_before, *makers(older)))


def makers(calls: list[tuple[str, CallState]]) -> list[CallState]:
    """Those of the calls that made files, without what they said."""
    return [
        replace(call, result=call.result.model_copy(update={"output": "", "shown": ""}))
        for _, call in calls
        if call.result is not None and call.result.files
    ]
