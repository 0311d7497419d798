"""The composition root: creates every part and wires it; an exit stack closes them in reverse order."""

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from bot.commands.rehearsal import MODEL as REHEARSAL
from bot.commands.rehearsal import rehearsal_model
from bot.commands.start import Start
from bot.delivery.conversation import SlackConversation
from bot.environment import prepared_home
from bot.mcp import configured_servers, open_servers, secrets_of
from bot.oauth.conversation import TenantConversation
from bot.sandbox import wanted_sandbox
from bot.toolbox import web_tools
from runtime.audit.trail import AuditLog
from runtime.budget.ledger import Ledger
from runtime.budget.seats import Seats
from runtime.catalogue import Catalogue
from runtime.engine.worker import Worker
from runtime.house import House, check_agent
from runtime.llm.client import ModelOptions
from runtime.llm.port import ChatModel
from runtime.llm.prices import prices_of
from runtime.llm.profiles import MAIN, profiles_of
from runtime.llm.retry import RetryPolicy
from runtime.llm.vocabulary import counter_of
from runtime.policy.checking import check, place
from runtime.policy.engine import Policy
from runtime.ports import Conversation
from runtime.schedule.desk import Desk
from runtime.schedule.store import Schedules
from runtime.schedule.ticker import Periodic, Ticker
from runtime.session.caution import Caution
from runtime.session.events import READER_VERSION
from runtime.session.runner import Runner
from runtime.settings_file import DEFAULT_NAME, settings_lines
from runtime.store.embedded import start_embedded
from runtime.store.redis_store import SessionStore
from tools.builtin.schedule import ScheduleDesk, ScheduleTool
from tools.builtin.slack_read import SlackRead
from tools.collection import ToolCollection, builtin_tools
from tools.mounts import Mount
from tools.redact import Redactor
from tools.sandbox.port import Level, Sandbox
from tools.sandbox.probe import choose

OPENAI_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-5-mini"


@contextlib.asynccontextmanager
async def open_store(start: Start) -> AsyncGenerator[SessionStore]:
    """The store at REDIS_URL, or a private server in the data directory.

    Raises:
        StoreError: it cannot be used; the message says what to do.
    """
    async with contextlib.AsyncExitStack() as stack:
        if start.environment.redis_url is not None:
            url = start.environment.redis_url.get_secret_value()
        else:
            server = await asyncio.to_thread(start_embedded, start.data / "store")
            stack.callback(server.close)
            url = server.url
        kept = start.settings.retention
        store = await SessionStore.open(url, retention=kept.sessions, journal_events=kept.journal_events)
        stack.push_async_callback(store.aclose)
        await store.ping()
        yield store


@contextlib.asynccontextmanager
async def open_models(start: Start, redact: Redactor) -> AsyncGenerator[Mapping[str, ChatModel]]:
    """The configured models by profile; without one, the rehearsal model as a process of its own.

    Raises:
        SettingsError: a profile falls back to one that there is not.
    """
    environment, settings = start.environment, start.settings
    async with contextlib.AsyncExitStack() as stack:
        if environment.has_model:
            url = environment.openai_base_url or OPENAI_URL
            name = environment.openai_model or DEFAULT_MODEL
        else:
            url, name = await stack.enter_async_context(rehearsal_model()), REHEARSAL
        options = ModelOptions(
            model=name,
            base_url=url,
            silence=settings.timeouts.model_silence,
            whole=settings.timeouts.model,
            retries=RetryPolicy(tries=settings.model.tries),
        )
        key = environment.openai_api_key.get_secret_value() if environment.openai_api_key else ""
        models = profiles_of(
            options,
            settings.models,
            settings=settings.model,
            api_key=key,
            keys=start.variables,
            redact=redact,
        )
        for model in models.values():
            stack.push_async_callback(model.aclose)
        yield models


def redactor(start: Start) -> Redactor:
    """Knows the shapes of secrets and this installation's own."""
    keys = [start.variables.get(profile.api_key_env, "") for profile in start.settings.models if profile.api_key_env]
    return Redactor([*start.secrets, *filter(None, keys), *secrets_of(configured_servers(start))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The runtime without a conversation."""

    start: Start
    store: SessionStore
    house: House
    sandbox: Sandbox
    model: ChatModel
    desk: Desk

    @property
    def worker_name(self) -> str:
        """Tells this process from others."""
        return f"{socket.gethostname()}-{os.getpid()}"

    @property
    def seats(self) -> Seats:
        """Places at work, over all processes."""
        settings = self.start.settings
        return Seats(
            ledger=Ledger.beside(self.store),
            settings=settings.fair,
            concurrency=settings.engine.concurrency,
            kept=settings.timeouts.step + timedelta(minutes=1),
        )

    def worker(self, conversation: Conversation) -> Worker:
        """A worker that runs sessions and lets the conversation show them."""
        settings = self.start.settings.engine
        if isinstance(conversation, SlackConversation | TenantConversation):
            house = replace(
                self.house,
                operators=conversation.operators,
                directory_of=conversation.directory_of,
                conversations=conversation.reading,
            )
        else:
            house = self.house.without("slack_read")
        return Worker(
            self.store,
            Runner(
                store=self.store,
                house=house,
                conversation=conversation,
                places=self.seats,
                snapshot_every=settings.snapshot_every,
                audit=AuditLog(store=self.store, retention=self.start.settings.retention.audit),
                caution=Caution(
                    park_after=settings.park_after,
                    question=self.start.settings.timeouts.question,
                    reminder=self.start.settings.timeouts.reminder,
                ),
            ),
            name=self.worker_name,
            reader_version=READER_VERSION,
            concurrency=settings.concurrency,
            ttl=settings.lease,
        )


def facts_of(core: Core) -> dict[str, str]:
    """What the health pages say beside the state of each part."""
    catalogue = core.house.catalogue
    servers = catalogue.clients.health if catalogue is not None else ()
    return {"sandbox": core.sandbox.level.value, **{f"MCP server {one.server}": one.in_words for one in servers}}


@contextlib.asynccontextmanager
async def open_core(start: Start, sandbox: Sandbox | None = None) -> AsyncGenerator[Core]:
    """Store, model, sandbox, tools and policy.

    Args:
        start: what was read at start.
        sandbox: one that was tried before; None: it is chosen now.
    """
    settings = start.settings
    async with contextlib.AsyncExitStack() as stack:
        workspaces = start.data / "workspaces"
        reachable(workspaces)
        store = await stack.enter_async_context(open_store(start))
        redact = redactor(start)
        models = await stack.enter_async_context(open_models(start, redact))
        model = models[MAIN]
        if sandbox is None:
            sandbox = await choose(wanted_sandbox(start), data=prepared_home(start.variables))
        mounts = [Mount(name=mount.name, path=mount.path) for mount in settings.workspace.mounts]
        desk = Desk(sessions=store, schedules=Schedules.beside(store), zone=settings.budget.timezone)
        tools = own_tools(start, desk)
        check_policy(start, tools)
        check_default_agent(start)
        stack.push_async_callback(tools.cleanup)
        servers = await stack.enter_async_context(open_servers(start, configured_servers(start), redact))
        scripted = model.name == REHEARSAL
        house = House(
            settings=settings,
            model=model,
            profiles=models,
            prices=prices_of(model.name, settings.model, scripted=scripted, profiles=settings.models),
            scripted=scripted,
            tools=tools,
            policy=Policy(
                rules=settings.policy.rules,
                contains=sandbox.level not in {Level.UNSAFE_LOCAL, Level.NONE},
                expires=settings.timeouts.approval,
            ),
            sandbox=sandbox,
            mounts=mounts,
            workspaces=workspaces,
            redact=redact,
            count=counter_of(model.name, start.environment.vocabularies),
            catalogue=Catalogue(own=tools, clients=servers),
            ledger=Ledger.beside(store),
        )
        yield Core(start=start, store=store, house=house, sandbox=sandbox, model=model, desk=desk)


def own_tools(start: Start, desk: ScheduleDesk) -> ToolCollection:
    """The tools that ship with Handrail, as these settings make them."""
    mounts = [Mount(name=m.name, path=m.path) for m in start.settings.workspace.mounts]
    return ToolCollection([*builtin_tools(mounts), *web_tools(start), SlackRead(), ScheduleTool(desk)])


def check_policy(start: Start, tools: ToolCollection) -> None:
    """Hold the rules against the tools there are.

    Raises:
        SettingsError: a rule cannot mean what it says.
    """
    file = start.environment.config
    check(start.settings.policy, tools, str(file or DEFAULT_NAME), settings_lines(file))


def check_default_agent(start: Start) -> None:
    """Hold the agent that the settings name against those there are.

    Raises:
        SettingsError: there is none of that name.
    """
    file = start.environment.config
    where = place(str(file or DEFAULT_NAME), "agent.default", settings_lines(file))
    check_agent(start.settings.agent.default, f"{where}: agent.default")


def reachable(directory: Path) -> None:
    """Make the directory, passable for the sandbox's unprivileged user where this process is root."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o711)
    if os.geteuid() == 0:
        directory.chmod(0o711)
        directory.parent.chmod(directory.parent.stat().st_mode | 0o011)


@contextlib.asynccontextmanager
async def ticking(store: SessionStore, jobs: Iterable[Periodic] = ()) -> AsyncGenerator[Ticker]:
    """The process's ticker, with further jobs beside the sweep."""
    ticker = Ticker(store)
    for period, name, job in jobs:
        ticker.every(period, name, job)
    ticker.start()
    try:
        yield ticker
    finally:
        await ticker.stop()
