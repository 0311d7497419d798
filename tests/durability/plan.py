"""What is to befall a bot process of a test, as a value that crosses from the test to that process."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Point = Literal["commit", "slack", "tool", "push"]
"""A commit of the journal, a write to Slack, a run of a tool, an entry recorded for an event or a click."""
Fate = Literal["dies before", "dies after", "freezes before"]
SPEAKING = "speaking"
"""The file in which a bot says how many calls of Slack it has under way."""
Ablation = Literal["fence", "dedupe", "intent", "lookup"]


class Plan(BaseModel):
    """One bot process: where it finds things, and how it ends."""

    model_config = ConfigDict(frozen=True)

    environment: dict[str, str]
    folder: str
    """Its own: logs, the toll, the ledger of payments."""
    command: tuple[str, ...] = ("serve", "--port", "0")
    point: Point = "commit"
    at: int = 0
    """Which one of its kind, counted from 1; 0 lets the process live."""
    only: str = ""
    """Only points of this name count: a method of Slack, a tool. Empty: every point of its kind."""
    fate: Fate = "dies before"
    version: int = 0
    """The reader version that it reads and writes; 0: this package's own."""
    without: tuple[Ablation, ...] = ()
    """Safeguards taken away, to show that the tests notice."""
