"""Events of a plan in people's hands."""

from typing import Literal

from runtime.session.event_base import Event
from tools.plan import Plan


class PlanEdited(Event):
    """A person changed what is still to be done. The plan of a flow changes by `FlowPlanned` instead."""

    kind: Literal["plan_edited"] = "plan_edited"
    run_id: str
    plan: Plan
    by: str
    speaker: str = ""
    """Their name for the model; empty: the id."""
