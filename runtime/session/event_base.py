"""The base of the journal's events."""

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """Base of all events. `v` is the schema version of the kind."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = 1
