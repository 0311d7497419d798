"""The base of the journal's events, and the event of what had no effect."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """Base of all events. `v` is the schema version of the kind."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = 1


class EntryIgnored(Event):
    """An inbox entry was consumed without any other effect; kept so that nothing vanishes without a trace."""

    kind: Literal["entry_ignored"] = "entry_ignored"
    entry: str
    reason: str
