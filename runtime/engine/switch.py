"""The kill switch: what an operator has paused, and which sessions that concerns."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from runtime.session.ids import SessionKey

EVERYTHING = "*"


class Pause(BaseModel):
    """The note left with the switch."""

    model_config = ConfigDict(frozen=True)

    since: str
    """When, in words of ISO 8601."""
    reason: str = ""


def pause_of(pauses: Mapping[str, str], session_id: str) -> str:
    """The note of the pause that holds a session; empty when it may run."""
    if EVERYTHING in pauses:
        return pauses[EVERYTHING]
    try:
        return pauses.get(SessionKey.parse(session_id).channel, "")
    except ValueError:
        return ""
