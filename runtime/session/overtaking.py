"""Messages that were changed or deleted before anybody read them: only what stands in the end is taken in. Pure."""

from collections.abc import Sequence

from runtime.session.entries import AnyEntry, ChangedEntry, MessageEntry

DELETED = "deleted before it was read"
CHANGED = "its message was not read yet and says so already"


def as_they_stand(entries: Sequence[AnyEntry | None]) -> list[AnyEntry | str | None]:
    """The entries of an inbox with what later ones say of earlier ones applied.

    Args:
        entries: in their order; None for one that cannot be read.

    Returns:
        For each the entry as it counts, or why it has no effect of its own.
    """
    newest = {entry.ts: entry for entry in entries if isinstance(entry, ChangedEntry)}
    unread = {entry.ts for entry in entries if isinstance(entry, MessageEntry)}
    result: list[AnyEntry | str | None] = []
    for entry in entries:
        if isinstance(entry, ChangedEntry) and entry.ts in unread:
            result.append(CHANGED)
        elif isinstance(entry, MessageEntry) and (change := newest.get(entry.ts)) is not None:
            result.append(DELETED if change.deleted else entry.model_copy(update={"text": change.text}))
        else:
            result.append(entry)
    return result
