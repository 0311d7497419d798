"""The fold of tools that come and go. Pure; see `fold.py`."""

from runtime.session import messages
from runtime.session.folding import current, replace
from runtime.session.state import IllegalMove, SessionState
from runtime.session.tool_events import ToolsChanged


def on_tools_changed(state: SessionState, event: ToolsChanged) -> SessionState:
    """The model is told. Only between a result and the next request, so that no call is parted from its result."""
    run = current(state, event.run_id)
    if run.unresolved:
        raise IllegalMove(f"{event.run_id}: tools changed while calls were open")
    return replace(state, memory=(*state.memory, messages.of_tools(event)))
