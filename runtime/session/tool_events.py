"""That the tools of a run came or went, and what its model is told of it."""

from typing import Literal

from runtime.session.event_base import Event


class ToolsChanged(Event):
    """Between two steps the tools became others: a server changed, was accepted, failed or came back."""

    kind: Literal["tools_changed"] = "tools_changed"
    run_id: str
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
