"""Who works in which session, with what: agents, tools, workspace and limits, ready for the runner."""

import asyncio
import logging
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from runtime.agent.base import BaseAgent
from runtime.agent.context import AgentContext
from runtime.agent.mcp import PREFIX, MCPAgent
from runtime.alerts import Operators
from runtime.budget.account import Account
from runtime.budget.ledger import Ledger
from runtime.budget.limits import run_limits
from runtime.budget.offers import more_for_a_run
from runtime.catalogue import Catalogue
from runtime.flow.executors import EXECUTORS, executor_of, servers_of
from runtime.flow.planning import PlanningFlow
from runtime.llm.port import ChatModel
from runtime.llm.prices import Prices
from runtime.llm.tokens import estimated
from runtime.policy.directory import NO_DIRECTORY, Directory
from runtime.policy.engine import Policy
from runtime.session.events import RunStarted
from runtime.session.ids import SessionKey, workspace_name
from runtime.session.plan_intake import waits_for_plan
from runtime.session.resuming import taken_up
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from runtime.settings import Settings
from runtime.settings_base import SettingsError
from tools.collection import ToolCollection
from tools.context import Conversations
from tools.mounts import Mount, MountUnusable, is_copied, prepare_workspace
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import owner_for
from tools.workspace import Workspace

log = logging.getLogger(__name__)

AS = re.compile(r"\s*(?:<@\w+>\s*)?as\s+(?P<agent>[a-z_]+)(?::(?P<server>[^\s:,]+))?\s*[:,]\s", re.IGNORECASE)
"""`as swe: why does the test fail?` names the agent, `as mcp:tickets: ...` the one of a server."""
PLAN_FIRST = re.compile(r"\bplan\s+first\b", re.IGNORECASE)
"""In a request, these words ask for a plan to approve before any work."""


def asked_for(text: str, servers: Collection[str] = ()) -> str:
    """The agent that a request names; empty where it names none that there is.

    Args:
        text: the request.
        servers: MCP servers that have tools now.
    """
    match = AS.match(text)
    name = match["agent"].lower() if match else ""
    if match and match["server"]:
        return f"{PREFIX}{match['server']}" if name == MCPAgent.name and match["server"] in servers else ""
    return name if name in agent_names() else ""


def agent_names() -> tuple[str, ...]:
    """Every agent that a request or the settings may name, without those of single MCP servers."""
    return (*EXECUTORS, PlanningFlow.name)


def check_agent(name: str, setting: str) -> None:
    """Refuse to start with an agent that there is not.

    Args:
        name: as the settings have it.
        setting: its place in the settings, with the file.

    Raises:
        SettingsError: nobody has that name.
    """
    if name not in agent_names() and not name.startswith(PREFIX):
        raise SettingsError(f"{setting} names {name!r}, which is no agent; they are {', '.join(agent_names())}.")


def agent_named(name: str) -> type[BaseAgent]:
    """The agent of a run: Manus for a name that is none; that of an MCP server also while the server has no tools."""
    return PlanningFlow if name == PlanningFlow.name else executor_of(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Implements the runner's `AgentHouse`."""

    settings: Settings
    model: ChatModel
    profiles: Mapping[str, ChatModel] = field(default_factory=dict[str, ChatModel])
    """Further models by what they are for; see `runtime.llm.profiles`."""
    prices: Prices
    scripted: bool
    tools: ToolCollection
    policy: Policy
    sandbox: Sandbox
    mounts: Sequence[Mount]
    workspaces: Path
    """The directory that holds every session's workspace; the sandbox's unprivileged user must be able to reach it."""
    redact: Callable[[str], str]
    count: Callable[[str], int] = estimated
    """Tokens of a text for the main model; see `runtime.llm.vocabulary`."""
    catalogue: Catalogue | None = None
    """Where tools may come and go; None: `tools` is all there is."""
    ledger: Ledger | None = None
    operators: Operators | None = None
    directory_of: Callable[[str], Directory] = lambda _: NO_DIRECTORY
    """The user groups around a session."""
    conversations: Callable[[str, str], Conversations] | None = None
    """What people wrote elsewhere, by the session that asks and the person."""
    unusable: dict[str, str] = field(default_factory=dict[str, str])
    """Mounts that could not be copied when they were needed last, and why."""

    def without(self, *tools: str) -> "House":
        """The same without some of its own tools, where there is nothing for them to work on."""
        own = self.tools.without(*tools)
        catalogue = Catalogue(own=own, clients=self.catalogue.clients) if self.catalogue else None
        return replace(self, tools=own, catalogue=catalogue)

    def start(self, state: SessionState) -> RunStarted:
        """A run on the messages nobody has taken up, asked for by whoever spoke first among them."""
        first, before = state.untaken[0], taken_up(state)
        named = before.agent if before else asked_for(first.text, servers_of(self.present_tools()))
        return RunStarted(
            run_id=f"r{len(state.runs) + 1}",
            requester=first.user,
            request_ts=first.ts,
            agent=named or self.settings.agent.default,
            model=self.model.name,
            scripted=self.scripted,
            limits=run_limits(self.settings.budget.run),
            more=more_for_a_run(self.settings, self.policy, SessionKey.parse(state.session_id), first.user),
            idle_ms=self.settings.timeouts.idle // timedelta(milliseconds=1),
            plan_first=waits_for_plan(before) if before else self.plan_first(state),
            schedule_id=first.schedule_id if len(state.untaken) == 1 else "",
        )

    def plan_first(self, state: SessionState) -> bool:
        """Whether a plan is to be approved before any work: by the settings, or since a person said so."""
        return self.settings.agent.plan_first or any(PLAN_FIRST.search(said.text) for said in state.untaken)

    def agent(self, session: SessionWriter, workspace: Workspace) -> BaseAgent:
        """The agent of the session's active run."""
        run = session.state.active_run
        return agent_named(run.agent if run else "")(
            AgentContext(
                session=session,
                model=self.model,
                summariser=self.profiles.get("summariser"),
                planner=self.profiles.get("planner"),
                verifier=self.profiles.get("verifier"),
                vision=self.profiles.get("vision"),
                prices=self.prices,
                count=self.count,
                tools=self.present_tools(),
                policy=self.policy,
                settings=self.settings,
                workspace=workspace,
                sandbox=self.sandbox,
                redact=self.redact,
                present_tools=self.catalogue.now if self.catalogue else None,
                foreign_words=self.catalogue.instructions() if self.catalogue else "",
                account=self.account(session),
                operators=self.operators,
                directory=self.directory_of(session.session_id),
                conversations=self.conversations,
                unusable={name: why for name, why in self.unusable.items() if not is_copied(workspace, name)},
            )
        )

    def present_tools(self) -> ToolCollection:
        """The tools that there are now."""
        return self.catalogue.now() if self.catalogue else self.tools

    def account(self, session: SessionWriter) -> Account | None:
        """The session's part of the ledger, for the time of its lease."""
        if self.ledger is None:
            return None
        return Account(
            ledger=self.ledger,
            settings=self.settings,
            policy=self.policy,
            prices=self.prices,
            lease=session.lease,
        )

    async def workspace(self, session_id: str) -> Workspace:
        """The session's workspace with a copy of each mount that can be copied; the agent is told of the others."""
        name = workspace_name(session_id)
        root, owner = self.workspaces / name, owner_for(name)
        workspace = await asyncio.to_thread(prepare_workspace, root, (), owner)
        for mount in self.mounts:
            try:
                await asyncio.to_thread(prepare_workspace, root, [mount], owner)
            except MountUnusable as error:
                if self.unusable.get(mount.name) != str(error):
                    log.error("%s", error)  # noqa: TRY400 - the cause is in the sentence
                self.unusable[mount.name] = str(error)
        # Its time of change is what retention goes by.
        await asyncio.to_thread(os.utime, workspace.root)
        return workspace
