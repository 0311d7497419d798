"""Events of limits and of a model that is away: what was reached, who added, what was said quietly, when it goes on."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from runtime.session.event_base import Event

ScopeKind = Literal["run", "thread", "person", "channel", "workspace"]
Limited = Literal["steps", "wall", "tokens", "usd"]


class MoreOffer(BaseModel):
    """Who may add to a run's own limits, and what one click adds. Absent in a journal: nobody may."""

    model_config = ConfigDict(frozen=True)

    approvers: tuple[str, ...]
    steps: int
    wall_ms: int
    tokens: int
    micros: int
    wait_ms: int
    """How long the card waits."""
    remind_ms: int


class LimitReached(Event):
    """The run has used up a limit and waits for somebody who may add to it."""

    kind: Literal["limit_reached"] = "limit_reached"
    run_id: str
    limit_id: str
    scope: ScopeKind = "run"
    scope_name: str = ""
    """The ledger's name of the scope; empty for the run's own limits."""
    what: Limited
    used: int
    """Steps, milliseconds, tokens or micro-dollars, as `what` says; so are the next two."""
    limit: int
    adds: int
    approvers: tuple[str, ...]
    expires_at_ms: int
    remind_at_ms: int = 0
    new_day: bool = False
    """The limit is a day's, and the day ends before anything else: the run goes on at `expires_at_ms`."""


class LimitExtended(Event):
    """Somebody who may has added to a limit, or a new day has begun; the run goes on."""

    kind: Literal["limit_extended"] = "limit_extended"
    run_id: str
    limit_id: str
    added: int
    by: str = ""
    """Empty when a new day began."""


class NoteCode(StrEnum):
    """What is said quietly; the words are `bot`'s business."""

    NEAR = "near"
    """about: scope, what, used, limit."""
    PRICE_UNKNOWN = "price_unknown"
    """about: model."""
    QUEUED = "queued"
    """Others of the same person or channel are at work. about: whose, limit."""


class RunNoted(Event):
    """Something is said quietly in the thread, once."""

    kind: Literal["run_noted"] = "run_noted"
    run_id: str
    note_id: str
    code: NoteCode
    about: Mapping[str, str] = Field(default_factory=dict)


class ModelAway(Event):
    """The model does not answer; the run waits and tries again by itself."""

    kind: Literal["model_away"] = "model_away"
    run_id: str
    away_id: str
    """Names the outage as this run met it; the same over all its tries."""
    code: str
    """A `ModelError` code."""
    since_ms: int
    tries: int
    until_ms: int
    """When it is tried again."""


class ModelTried(Event):
    """The time has come to ask the model again."""

    kind: Literal["model_tried"] = "model_tried"
    run_id: str
    away_id: str


class SessionParked(Event):
    """Nobody has said anything for so long that replies need a mention again."""

    kind: Literal["session_parked"] = "session_parked"
