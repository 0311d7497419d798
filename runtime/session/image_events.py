"""Events of images: what a model that takes none is told of them in words."""

from typing import Literal

from runtime.session.event_base import Event
from runtime.session.usage import Usage


class ImagesDescribed(Event):
    """Images that the run's model cannot be shown stand in its memory in words, or as not to be seen."""

    kind: Literal["images_described"] = "images_described"
    run_id: str
    paths: tuple[str, ...]
    """In the workspace."""
    message: str
    """What the model is told, as a serialised message."""
    by: str = ""
    """The model that looked at them; empty: none could."""
    problem: str = ""
    """Why they cannot be seen."""
    usage: Usage = Usage()
    micros: int = 0
    elapsed_ms: int = 0
