"""What the operator may say about the sandbox."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class SandboxSettings(BaseModel):
    """The `[sandbox]` table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    backend: Literal["auto", "bubblewrap", "landlock", "seatbelt"] = "auto"
    """Which back-end; `auto` takes the strongest one that works."""
    unsafe_local: bool = False
    """Where no back-end works, run code uncontained; every call is then asked for."""
