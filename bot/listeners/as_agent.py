"""`/handrail as AGENT what to do`: a thread of its own for a task, done by the agent that was named."""

import re
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts, texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import Refused
from runtime.house import AGENTS
from runtime.session.commands import Commands
from runtime.session.entries import MessageEntry
from runtime.session.ids import SessionKey

NAMED = re.compile(r"\s*(?P<agent>[A-Za-z_]+)\s*[:,]?\s*(?P<task>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAs:
    """One use of it."""

    user: str
    team: str
    channel: str
    rest: str
    """What stands after `as`."""
    trigger_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AsAgent:
    """Starts runs for a named agent."""

    client: AsyncWebClient
    commands: Commands

    async def start(self, asked: AskedAs) -> str:
        """Post the task where everybody can read it and record it; what is said to the person privately.

        Args:
            asked: who typed what, where.

        Raises:
            StoreError: it could not be recorded.
            DeliveryError: Slack does not answer.
        """
        match = NAMED.fullmatch(asked.rest)
        agent = match["agent"].lower() if match else ""
        if match is None or agent not in AGENTS or not match["task"]:
            return texts_surface.as_agent(tuple(AGENTS))
        task = match["task"]
        try:
            posted = await call(
                self.client,
                "chat_postMessage",
                channel=asked.channel,
                text=texts_surface.asked_as(asked.user, agent, task),
            )
        except Refused:
            return texts_surface.NOT_A_MEMBER
        ts = str(posted["ts"])
        entry = MessageEntry(
            entry_id=f"as:{asked.trigger_id}",
            ts=ts,
            user=asked.user,
            text=f"as {agent}: {task}",
            mentions_bot=True,
        )
        key = SessionKey(team=asked.team, channel=asked.channel, thread_ts=ts)
        pushed = await self.commands.submit(key, entry)
        return texts.BUSY if pushed == "full" else texts_surface.AS_STARTED
