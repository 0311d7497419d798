"""How much is said in a thread, as people chose it there: from the choice on, for follow-ups too. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from runtime.session.event_base import Event

Verbosity = Literal["all", "steps", "quiet"]
"""A reply a call, one a finished step, or only plan and answer."""
QUIET: Final = "quiet"


class VerbosityChosen(Event):
    """A person chose how much is said in the thread from now on."""

    kind: Literal["verbosity_chosen"] = "verbosity_chosen"
    verbosity: Verbosity
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A choice and the journal position from which it holds."""

    seq: int
    verbosity: Verbosity


def verbosity_at(choices: Sequence[Choice], seq: int, default: str) -> str:
    """How much is said of what happened at a position: what is shown already is shown the same way for ever."""
    return next((choice.verbosity for choice in reversed(choices) if choice.seq < seq), default)
