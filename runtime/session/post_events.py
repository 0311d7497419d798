"""Events of delivery: what was created in the place where the session is seen."""

from typing import Literal

from runtime.session.event_base import Event


class PostStarted(Event):
    """Intent: a Slack message, stream or file with this operation id is about to be created."""

    kind: Literal["post_started"] = "post_started"
    op: str
    file_id: str = ""
    """Of a file: known before it is completed, since a file takes no metadata."""


class PostDone(Event):
    """Slack accepted it, or `problem` says why it never will."""

    kind: Literal["post_done"] = "post_done"
    op: str
    ts: str = ""
    file_id: str = ""
    digest: str = ""
    """Digest of the content that was accepted; a later different content is an update."""
    problem: str = ""
