"""What one run may use, as the journal keeps it."""

from pydantic import BaseModel, ConfigDict


class RunLimits(BaseModel):
    """Part of the journal, so that a later change of settings does not rewrite history."""

    model_config = ConfigDict(frozen=True)

    steps: int
    wall_ms: int
    tokens: int
    micros: int
    """Micro-dollars."""
