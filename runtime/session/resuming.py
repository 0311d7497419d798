"""Whether a run that ended early can be taken up again, and what that means. Pure."""

from runtime.session.entries import ResumeEntry
from runtime.session.events import MessageReceived, NoticeCode, RunOutcome
from runtime.session.state import CallState, RunState, SessionState
from runtime.session.taking import Intake, told

EARLY = frozenset({RunOutcome.STOPPED, RunOutcome.FAILED, RunOutcome.LIMIT, RunOutcome.EXPIRED})
RESUME = "Go on with the task from where it stopped. Do not repeat what is done; check what was cut off first."


def cut_off(run: RunState) -> tuple[CallState, ...]:
    """Calls that were begun and have no result: they may have taken effect or not."""
    return tuple(call for call in run.calls.values() if call.attempt and call.result is None)


def is_resumable(run: RunState) -> bool:
    """Whether going on is safe: nothing that a person had to approve was cut off in the middle."""
    return run.outcome in EARLY and not any(call.used_approval for call in cut_off(run))


def taken_up(state: SessionState) -> RunState | None:
    """The run that the waiting message takes up again; None where somebody asked for something else."""
    run = state.run
    is_resume = len(state.untaken) > 0 and state.untaken[0].text == RESUME
    return run if is_resume and run is not None and run.outcome in EARLY else None


def on_resume(state: SessionState, entry: ResumeEntry, now_ms: int) -> Intake:
    """The newest run goes on as a new one, with everything that is known of it."""
    run = state.run
    if run is None or state.active_run is not None or run.run_id != entry.run_id or not is_resumable(run):
        return told(entry, entry.by, NoticeCode.NOT_RESUMABLE)
    message = MessageReceived(
        ts=f"{now_ms / 1000:.6f}",
        user=entry.by,
        speaker=state.people.get(entry.by, entry.by),
        text=RESUME,
        mentions_bot=True,
    )
    return (message,)
