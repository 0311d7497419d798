"""User groups, which only the outside knows: a port, and the answer of a place that has none."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol


class Directory(Protocol):
    """Who belongs to which user group.

    Above: policy and approvals, which name groups by handle ("@oncall"). Below: Slack, or nothing.
    Implementations: `bot.delivery.directory.SlackDirectory`, `NoDirectory`.
    """

    async def groups_of(self, user: str) -> frozenset[str] | None:
        """The handles of a person's groups; None where that cannot be known now."""
        ...

    async def group_ids(self, handles: Sequence[str]) -> Mapping[str, str]:
        """The ids by which groups can be mentioned; what is not known is left out."""
        ...


class NoDirectory:
    """A place without user groups."""

    async def groups_of(self, user: str) -> frozenset[str] | None:
        """Nobody is in any."""
        return frozenset()

    async def group_ids(self, handles: Sequence[str]) -> Mapping[str, str]:
        """None is known."""
        return {}


NO_DIRECTORY: Final = NoDirectory()
