"""The fold of a plan that a person changed. Pure; see `fold.py`."""

from runtime.session import messages
from runtime.session.fold_messages import spoken
from runtime.session.folding import current, replace, with_run
from runtime.session.plan_events import PlanEdited
from runtime.session.state import SessionState


def on_plan_edited(state: SessionState, event: PlanEdited) -> SessionState:
    """The plan is another one, and the model is told."""
    run = current(state, event.run_id)
    run = replace(
        run,
        plan=event.plan,
        plan_seq=state.seq,
        plan_edited_seq=state.seq,
        overtaken=run.overtaken | set(run.unresolved),
    )
    return spoken(with_run(state, run), messages.of_plan(event))
