"""What a button carries: a session, an id and a choice, packed into Slack's value string and read back.

A value is only an address. Authority is checked by the runtime against who clicked, never read from the value.
"""

import json
from dataclasses import dataclass

from bot.render.limits import BUTTON_VALUE
from runtime.session.ids import SessionKey


class BadValue(Exception):
    """A button's value is not one of ours: copied from elsewhere or of an unknown version. The person is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonValue:
    """Where a click belongs."""

    session: SessionKey
    about: str
    """The id of a question, an approval, a run or a group of calls."""
    choice: str = ""
    to: str = ""
    """Whose direct message the button stands in; empty in the session's own thread."""

    def pack(self) -> str:
        """The value string.

        Raises:
            ValueError: it would not fit into Slack's 2,000 characters.
        """
        parts = [2, str(self.session), self.about, self.choice, self.to]
        if not self.to:
            parts = [1, *parts[1:-1]]
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        if len(text) > BUTTON_VALUE:
            raise ValueError(f"a button value of {len(text)} characters does not fit into {BUTTON_VALUE}")
        return text

    @classmethod
    def parse(cls, text: str) -> "ButtonValue":
        """Read a value back.

        Raises:
            BadValue: it was not packed by this class.
        """
        try:
            version, session, about, choice, *more = json.loads(text)
            (to,) = more or [""]
            if version != 1 + len(more) or not all(isinstance(part, str) for part in (session, about, choice, to)):
                raise BadValue(f"unknown button value of {len(text)} characters")
            return cls(session=SessionKey.parse(session), about=about, choice=choice, to=to)
        except (ValueError, TypeError, RecursionError) as error:
            raise BadValue(f"unreadable button value of {len(text)} characters") from error
