"""The one error of the look-alike: a refusal that becomes Slack's `ok: false` answer."""

from typing import Any


class SlackRefusal(Exception):
    """A call that Slack refuses; the caller on the wire sees `error` and the extra fields.

    `status` is the HTTP status (200 for nearly everything, as at Slack) and `headers` go with it.
    """

    def __init__(self, error: str, *, status: int = 200, headers: dict[str, str] | None = None, **extra: Any) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.headers = headers or {}
        self.extra = extra

    def body(self) -> dict[str, Any]:
        """The JSON body of the refusal."""
        return {"ok": False, "error": self.error, **self.extra}


def refused_arguments(*messages: str) -> SlackRefusal:
    """`invalid_arguments` with Slack's list of what is wrong."""
    return SlackRefusal("invalid_arguments", response_metadata={"messages": [f"[ERROR] {text}" for text in messages]})
