"""`/handrail as AGENT what to do`: a thread of its own for a task, done by the agent that was named."""

import logging
import re
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts, texts_surface
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, Refused
from bot.listeners.fairness import Fairness
from runtime.house import agent_names
from runtime.session.commands import Commands
from runtime.session.entries import MessageEntry
from runtime.session.ids import SessionKey
from runtime.store.errors import StoreError

log = logging.getLogger(__name__)

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
    fairness: Fairness

    async def refusal(self, asked: AskedAs) -> str:
        """Why nothing is begun, in words for the person; empty where it is. Asks nothing of Slack.

        Args:
            asked: who typed what, where.

        Raises:
            StoreError: it cannot be told now.
        """
        if read(asked.rest) is None:
            return texts_surface.as_agent(agent_names())
        key = SessionKey(team=asked.team, channel=asked.channel, thread_ts="command")
        return await self.fairness.too_often(key, asked.user, asked.trigger_id)

    async def start(self, asked: AskedAs) -> str:
        """Post the task where everybody can read it and record it; why that failed, in words; empty where it did not.

        A message whose task could not be recorded is taken back.
        """
        found = read(asked.rest)
        if found is None:
            return texts_surface.as_agent(agent_names())
        agent, task = found
        words = texts_surface.asked_as(asked.user, agent, task)
        try:
            posted = await call(self.client, "chat_postMessage", channel=asked.channel, text=words)
        except Refused:
            return texts_surface.NOT_A_MEMBER
        except DeliveryError as error:
            log.warning("task for %s not posted: %s", agent, error)
            return texts_surface.UNREACHABLE
        ts = str(posted["ts"])
        entry = MessageEntry(
            entry_id=f"as:{asked.trigger_id}",
            ts=ts,
            user=asked.user,
            text=f"as {agent}: {task}",
            mentions_bot=True,
        )
        try:
            pushed = await self.commands.submit(SessionKey(team=asked.team, channel=asked.channel, thread_ts=ts), entry)
        except StoreError as error:
            log.warning("task for %s not recorded: %s", agent, error)
            await self.take_back(asked.channel, ts)
            return texts_surface.UNREACHABLE
        if pushed == "full":
            await self.take_back(asked.channel, ts)
            return texts.BUSY
        return ""

    async def take_back(self, channel: str, ts: str) -> None:
        """Delete the message of a task that nobody works on."""
        try:
            await call(self.client, "chat_delete", channel=channel, ts=ts)
        except DeliveryError as error:
            log.warning("the message %s of a task without a run stays: %s", ts, error)


def read(typed: str) -> tuple[str, str] | None:
    """The agent and the task; None where one of them is missing."""
    match = NAMED.fullmatch(typed)
    agent = match["agent"].lower() if match else ""
    return (agent, match["task"]) if match and agent in agent_names() and match["task"] else None
