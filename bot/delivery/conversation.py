"""Slack as the runtime's `Conversation`: shows the journal, and adds to entries what only Slack knows."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field

from bot.delivery.directory import SlackDirectory
from bot.delivery.errors import DeliveryError, NotNow, NotOurs
from bot.delivery.incoming import Incoming
from bot.delivery.outbox import wanted
from bot.delivery.poster import Poster
from bot.delivery.reading import SlackReading
from bot.delivery.recall import Recall
from bot.delivery.slack_api import SlackApi
from bot.delivery.status import StatusLine, StatusWay
from bot.listeners.titles import GivenTitles
from runtime.alerts import Operators
from runtime.session.entries import AnyEntry
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from runtime.settings import SlackSettings
from runtime.store.connection import cancellable
from tools.workspace import Workspace

log = logging.getLogger(__name__)

RETRY_AFTER = 2.0
"""Seconds before delivery is tried again while the agent still works."""


@dataclass(slots=True, kw_only=True)
class SlackView:
    """One session's thread for the time of one lease."""

    poster: Poster
    session: SessionWriter
    verbosity: str
    status: StatusLine

    async def follow(self) -> None:
        """Keep thread and status in line with the journal, until cancelled."""
        async with self.status.kept():
            await self.keep_up()

    async def keep_up(self) -> None:
        """Show every change as it comes; several within a moment are shown together."""
        seen = -1
        due: float | None = 0.0
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(due):
                    seen = (await self.session.changed(seen)).seq
            try:
                # Whatever was called may have swallowed the cancellation that ends this.
                with cancellable():
                    due = await self.show(flush=False) or None
            except NotNow as error:
                log.warning("delivery of %s delayed: %s", self.session.session_id, error)
                due = RETRY_AFTER
            except NotOurs:
                return

    async def show(self, *, flush: bool) -> float:
        """One pass over everything wanted, in order.

        Returns:
            Seconds until the first coalesced change is due; 0 when nothing is left.

        Raises:
            NotNow: Slack does not take it now.
            NotOurs: the lease may have lapsed.
        """
        due = 0.0
        self.status.show(self.session.state, len(self.poster.shown))
        for item in wanted(self.poster.key, self.session.state, self.verbosity):
            left = await self.poster.bring(item, flush=flush)
            due = min(due or left, left) if left else due
        return due

    async def settle(self) -> bool:
        """Show the rest, final texts included."""
        try:
            await self.poster.leave_streams()
            self.status.was_active = self.status.was_active or self.poster.streams.started
            seq = -1
            while seq != self.session.state.seq:
                seq = self.session.state.seq
                await self.show(flush=True)
            await self.status.settle(self.session.state)
        except (DeliveryError, NotOurs) as error:
            log.warning("delivery of %s not finished: %s", self.session.session_id, error or type(error).__name__)
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackConversation:
    """The port's implementation for Slack."""

    api: SlackApi
    incoming: Incoming
    settings: SlackSettings
    operators: Operators
    directory: SlackDirectory
    recall: Recall
    titles: GivenTitles
    way: StatusWay = field(default_factory=StatusWay)

    def directory_of(self, _session_id: str) -> SlackDirectory:
        """The user groups of a session's workspace: there is only one."""
        return self.directory

    def reading(self, session_id: str, person: str) -> SlackReading:
        """What a person may read of the workspace from a session."""
        return SlackReading(client=self.api.client, incoming=self.incoming, session_id=session_id, person=person)

    def view(self, session: SessionWriter, workspace: Workspace) -> SlackView:
        """The view of one session's thread."""
        key = SessionKey.parse(session.session_id)
        api = self.api.under(session.may_act)
        poster = Poster(api=api, session=session, workspace=workspace, key=key)
        status = StatusLine(
            api=api,
            key=key,
            way=self.way,
            is_titled=self.titles.given,
            was_active=session.state.active_run is not None,
        )
        return SlackView(
            poster=poster,
            session=session,
            verbosity=self.settings.verbosity_of(key.channel),
            status=status,
        )

    async def enrich(self, entry: AnyEntry, state: SessionState, workspace: Workspace) -> AnyEntry:
        """Names, earlier messages, files and groups."""
        return await self.recall.add(await self.incoming.enrich(entry, state, workspace), state)
