"""What keeps a message out although its person may speak: a parked thread, or too many requests within an hour."""

from dataclasses import dataclass
from datetime import timedelta

from bot import texts_budget
from bot.listeners.messages import Heard
from runtime.budget.ledger import Ledger
from runtime.budget.seats import too_many
from runtime.session.commands import Commands
from runtime.session.ids import SessionKey
from runtime.settings_budget import FairSettings

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fairness:
    """The gate behind the one of access."""

    ledger: Ledger
    commands: Commands
    settings: FairSettings
    idle: timedelta

    async def refusal(self, said: Heard) -> str:
        """Why it is not taken up, in words for the person; empty when it is.

        Raises:
            StoreUnavailable: it cannot be told now, so nothing was promised.
        """
        if not said.mentions_bot and not said.is_direct and await self.commands.is_parked(said.key):
            return texts_budget.parked(max(1, self.idle // DAY))
        if said.chooses is not None:
            return ""
        return await self.too_often(said.key, said.user, said.ts)

    async def too_often(self, key: SessionKey, user: str, about: str) -> str:
        """Count a request; why it is not taken up, in words for the person; empty when it is.

        Args:
            key: where it was made.
            user: who made it.
            about: names it, so that the same one is not counted again.

        Raises:
            StoreUnavailable: it cannot be told now, so nothing was promised.
        """
        found = await too_many(self.ledger, self.settings, key, user, about)
        if found is None:
            return ""
        return texts_budget.too_many(found.whose, found.limit, found.wait // MINUTE + 1)
