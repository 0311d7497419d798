"""Agent sessions and status lines of threads."""

from dataclasses import dataclass, field

from bot.localslack import limits
from bot.localslack.store import Store
from bot.localslack.values import JsonObject, as_text, epoch

STATUSES = ("active", "processing", "suspended", "closed")


@dataclass(slots=True, kw_only=True)
class StatusLine:
    """The text under a thread's composer, set by assistant.threads.setStatus; it ends by itself."""

    text: str
    expires_at: float
    loading_messages: list[str] = field(default_factory=list[str])


class Sessions:
    """The session of each thread and its status line."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.by_thread: dict[tuple[str, str], JsonObject] = {}
        self.lines: dict[tuple[str, str], StatusLine] = {}
        self.prompts: dict[tuple[str, str], JsonObject] = {}
        for key, body in store.all("session"):
            channel, _, thread_ts = key.partition(":")
            self.by_thread[channel, thread_ts] = body

    def set(self, channel: str, thread_ts: str, changes: JsonObject) -> JsonObject:
        """Create or change the session of a thread."""
        session = {**self.by_thread.get((channel, thread_ts), {"status": "active", "title": ""}), **changes}
        session["since"] = epoch()
        self.by_thread[channel, thread_ts] = session
        self.store.put("session", f"{channel}:{thread_ts}", session)
        return session

    def status(self, channel: str, thread_ts: str) -> str | None:
        """The status of a thread's session; `processing` falls back to `active` after an hour. None without session."""
        session = self.by_thread.get((channel, thread_ts))
        if session is None:
            return None
        stale = session["status"] == "processing" and epoch() - session["since"] > limits.PROCESSING_SECONDS
        return "active" if stale else as_text(session["status"])

    def line(self, channel: str, thread_ts: str) -> str:
        """The status line of a thread; empty when there is none or it has ended."""
        line = self.lines.get((channel, thread_ts))
        return line.text if line is not None and line.expires_at > epoch() else ""

    def set_line(self, channel: str, thread_ts: str, text: str, loading: list[str]) -> None:
        """Set or (with an empty text) clear the status line."""
        if text:
            expires_at = epoch() + limits.STATUS_SECONDS
            self.lines[channel, thread_ts] = StatusLine(text=text, expires_at=expires_at, loading_messages=loading)
        else:
            self.lines.pop((channel, thread_ts), None)
