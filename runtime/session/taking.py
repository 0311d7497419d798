"""What every way of taking in an entry shares: it has no effect, or somebody is told why."""

from runtime.session.entries import AnyEntry
from runtime.session.events import AnyEvent, EntryIgnored, NoticeCode, NoticeQueued

Intake = tuple[AnyEvent, ...]
"""The events to append for one entry."""


def ignored(entry: AnyEntry, reason: str) -> Intake:
    """Consumed without effect."""
    return (EntryIgnored(entry=entry.entry_id, reason=reason),)


def told(entry: AnyEntry, to: str, code: NoticeCode, **about: str) -> Intake:
    """Consumed; the person is told privately why nothing happened."""
    return (NoticeQueued(notice_id=f"notice:{entry.entry_id}", code=code, to=to, about=about),)
