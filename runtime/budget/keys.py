"""Every Redis key of the ledger. They share one hash tag, so that a reservation over all its scopes is one script."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

KEPT: Final = timedelta(days=90)
"""How long what was used stays in the ledger."""


@dataclass(frozen=True, slots=True)
class BudgetKeys:
    """Builds the names.

    `scope:<name>` (hash): what one scope has used and holds. `hold:<id>` (hash): one reservation, for a day after its
    end. `leases` (zset): id -> server ms at which it lapses. `open` (hash): owner -> its newest reservation.
    `day:<date>` (set): the scopes used on a day. `told:<what>` (string): something that is said once.
    `seats:<who>` (zset): session -> server ms until which it counts as one run at work. `starts:<who>` (zset): starts
    of the last hour. `clock` (string): tests only, ms added to the server's time.
    """

    namespace: str = "handrail"

    @property
    def base(self) -> str:
        """The beginning of every name."""
        return f"{self.namespace}:{{budget}}"

    @property
    def shared(self) -> dict[str, str]:
        """The keys that scripts name."""
        return {name: f"{self.base}:{name}" for name in ("clock", "leases", "open")}

    def scope(self, name: str) -> str:
        """What one scope has used."""
        return f"{self.base}:scope:{name}"

    def day(self, date: str) -> str:
        """The scopes used on a day."""
        return f"{self.base}:day:{date}"

    def told(self, what: str) -> str:
        """Something that is said once."""
        return f"{self.base}:told:{what}"
