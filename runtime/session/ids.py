"""Which conversation a session is: `(enterprise or team, channel, thread_ts)`, as a value and as a string."""

import hashlib
from dataclasses import dataclass

SEPARATOR = ":"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """The thread a session lives in. Its string form names the session everywhere: Redis, logs, buttons, commands."""

    team: str
    """Enterprise id where the workspace belongs to one, else team id."""
    channel: str
    thread_ts: str

    def __str__(self) -> str:
        return SEPARATOR.join((self.team, self.channel, self.thread_ts))

    @classmethod
    def parse(cls, text: str) -> "SessionKey":
        """Read the string form back.

        Raises:
            ValueError: the text is not `TEAM:CHANNEL:THREAD_TS`.
        """
        parts = text.split(SEPARATOR)
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"{text!r} is not a session id; expected TEAM:CHANNEL:THREAD_TS")
        return cls(team=parts[0], channel=parts[1], thread_ts=parts[2])


def workspace_name(session_id: str) -> str:
    """The folder of a session's workspace: the id itself may be no file name."""
    return hashlib.sha256(session_id.encode()).hexdigest()[:20]
