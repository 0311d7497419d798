"""The fold of images: which ones no model has seen yet. All pure; see `fold.py`."""

from collections.abc import Collection, Iterable

from runtime.session.folding import current, replace, with_run
from runtime.session.image_events import ImagesDescribed
from runtime.session.message_events import Attachment
from runtime.session.spending import paid
from runtime.session.state import SessionState


def with_images(state: SessionState, paths: Iterable[str]) -> SessionState:
    """The state with images that wait to be shown; the newest come last, each once."""
    new = [path for path in dict.fromkeys(paths) if path]
    if not new:
        return state
    return replace(state, unseen=(*(path for path in state.unseen if path not in new), *new))


def without_images(state: SessionState, paths: Collection[str]) -> SessionState:
    """The state without images that were shown."""
    return replace(state, unseen=tuple(path for path in state.unseen if path not in paths)) if paths else state


def image_paths(attachments: Iterable[Attachment]) -> list[str]:
    """Where the images among attached files lie."""
    return [attached.path for attached in attachments if attached.path and attached.mimetype.startswith("image/")]


def on_images_described(state: SessionState, event: ImagesDescribed) -> SessionState:
    """They stand in memory in words, and wait no longer."""
    run = paid(current(state, event.run_id), event.usage, event.micros, event.elapsed_ms)
    state = without_images(replace(state, memory=(*state.memory, event.message)), event.paths)
    return with_run(state, run)
