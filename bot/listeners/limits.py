"""The buttons of a card at a limit: each becomes the same command that a decision on a call becomes."""

from dataclasses import dataclass

from bot.listeners.clicks import Ack, Body, Click, Clicks
from bot.listeners.values import ButtonValue
from runtime.session.entries import DecisionEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitClicks:
    """The listeners of "Add …" and "End here". The amount is the journal's; the runtime checks who clicked."""

    clicks: Clicks

    async def add(self, body: Body, ack: Ack) -> None:
        """More."""
        await self.clicks.guarded(body, ack, self.on_add)

    async def on_add(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Record it."""
        entry = DecisionEntry(entry_id=click.entry_id, approval_id=value.about, verdict="approved", by=click.user)
        await self.clicks.record(click, ack, value.session, entry)

    async def end(self, body: Body, ack: Ack) -> None:
        """No more."""
        await self.clicks.guarded(body, ack, self.on_end)

    async def on_end(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Record it."""
        entry = DecisionEntry(entry_id=click.entry_id, approval_id=value.about, verdict="denied", by=click.user)
        await self.clicks.record(click, ack, value.session, entry)
