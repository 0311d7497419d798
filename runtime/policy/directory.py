"""User groups, which only the outside knows: a port, and the answer of a place that has none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A user group as it is now."""

    group_id: str
    """By which it can be mentioned."""
    members: tuple[str, ...] = ()


class Directory(Protocol):
    """Who belongs to which user group.

    Above: policy and approvals, which name groups by handle ("@oncall"). Below: Slack, or nothing.
    Implementations: `bot.delivery.directory.SlackDirectory`, `bot.oauth.surroundings.TenantDirectory`, `NoDirectory`.
    """

    async def groups_of(self, user: str) -> frozenset[str] | None:
        """The handles of a person's groups; None where that cannot be known now."""
        ...

    async def groups(self, handles: Sequence[str]) -> Mapping[str, Group]:
        """The groups of these handles; what is not known is left out."""
        ...


class NoDirectory:
    """A place without user groups."""

    async def groups_of(self, user: str) -> frozenset[str] | None:
        """Nobody is in any."""
        return frozenset()

    async def groups(self, handles: Sequence[str]) -> Mapping[str, Group]:
        """None is known."""
        return {}


NO_DIRECTORY: Final = NoDirectory()
