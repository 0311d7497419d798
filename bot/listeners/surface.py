"""The listeners of the ways in beside words and cards. Registered before the catch-alls of `register`."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.delivery.errors import DeliveryError
from bot.delivery.recall import ThreadMemory
from bot.home.schedules import COMMANDS
from bot.listeners.agent_view import AgentView
from bot.listeners.commands import FORGET, HandrailCommand
from bot.listeners.forgetting import FORGET_THREAD, ForgetThread
from bot.listeners.home import HomeTab
from bot.listeners.home_schedules import HomeSchedules
from bot.listeners.reactions import ReactionWay
from bot.listeners.scheduling import FORM as SCHEDULE
from bot.listeners.scheduling import Scheduling
from bot.listeners.shortcuts import CALLBACK, FORM, Shortcuts
from bot.listeners.titles import GivenTitles
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

COMMAND = "/handrail"
AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """All of them."""

    command: HandrailCommand
    home: HomeTab
    scheduling: Scheduling
    shortcuts: Shortcuts
    reactions: ReactionWay
    agent_view: AgentView
    memory: ThreadMemory
    titles: GivenTitles
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    """A burst of events is taken in some at a time: a store that is asked by all at once refuses some of them."""

    async def middleware(self, body: Mapping[str, Any], next_: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        """What stands in front of every listener."""
        async with self.gate:
            return await self.take(body, next_)

    async def take(self, body: Mapping[str, Any], next_: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        """Reactions that start a run are recorded before they are acknowledged, as every request is."""
        event: Mapping[str, Any] = body.get("event") or {}
        if body.get("type") == "event_callback":
            try:
                if event.get("type") == "reaction_added":
                    await self.reactions.take(event, str(body.get("enterprise_id") or body.get("team_id") or ""))
                else:
                    await self.memory.hear(event)
            except (StoreError, DeliveryError) as error:
                log.warning("event not recorded, so not acknowledged: %s", error)
                return BoltResponse(status=503, body="not recorded; deliver it again")
        return await next_()

    async def home_opened(self, event: dict[str, Any]) -> None:
        """Either tab of App Home."""
        await self.agent_view.opened(event)
        await self.home.opened(event)


def register_surface(app: AsyncApp, surface: Surface) -> None:
    """Connect the app."""
    wire: Any = app  # the decorators of Bolt are only partly typed
    home = surface.home
    wire.middleware(surface.middleware)
    wire.command(COMMAND)(surface.command.handle)
    wire.shortcut(CALLBACK)(surface.shortcuts.ask)
    wire.view(FORM)(surface.shortcuts.send)
    wire.view(SCHEDULE)(surface.scheduling.confirmed)
    wire.view(FORGET)(surface.command.forget_for_sure)
    wire.event("app_home_opened")(surface.home_opened)
    wire.event("assistant_thread_started")(surface.agent_view.opened)
    wire.event("agent_session_title_changed")(surface.titles.changed)
    wire.event("app_context_changed")(surface.agent_view.context_changed)
    wire.event("assistant_thread_context_changed")(surface.agent_view.context_changed)
    wire.action("home_approve")(home.approve)
    wire.action("home_deny")(home.deny)
    wire.action("home_answer")(home.answer)
    wire.action("home_stop")(home.stop)
    wire.action("home_forget")(home.forget)
    forgetting = ForgetThread(client=home.client, home=home)
    wire.action("home_forget_thread")(forgetting.ask)
    wire.view(FORGET_THREAD)(forgetting.delete)
    wire.action("home_refresh")(home.refresh)
    of_schedules = HomeSchedules(home=home, desk=surface.scheduling.desk)
    for action_id in COMMANDS:
        wire.action(action_id)(of_schedules.change)
