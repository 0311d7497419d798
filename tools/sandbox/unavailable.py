"""The sandbox of a machine that has none: it refuses, and says what would help."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.sandbox.port import Completed, Execution, HasRoot, Level, SandboxUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """Runs nothing."""

    reasons: tuple[str, ...]
    """Why each back-end cannot be used here."""
    fix: str

    @property
    def level(self) -> Level:
        """None."""
        return Level.NONE

    @property
    def python(self) -> tuple[str, ...]:
        """A name only; it is never run."""
        return ("python3",)

    def inside(self, workspace: HasRoot) -> str:
        """The real path."""
        return str(workspace.root)

    def mount_path(self, name: str, source: Path) -> str:
        """The real path."""
        return str(source)

    def describe(self) -> str:
        """One line for people: what is wrong and the fix."""
        return f"no sandbox, so no code runs. {self.fix} ({'; '.join(self.reasons)})"

    async def run(
        self, workspace: HasRoot, execution: Execution, *, read_only: Mapping[str, Path] | None = None
    ) -> Completed:
        """Refuse.

        Raises:
            SandboxUnavailable: always.
        """
        raise SandboxUnavailable(self.describe())
