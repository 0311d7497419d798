"""The composition root: creates every part and wires it; an exit stack closes them in reverse order."""

import asyncio
import contextlib
import hashlib
import os
import socket
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urljoin

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.commands.rehearsal import MODEL as REHEARSAL
from bot.commands.rehearsal import rehearsal_model
from bot.commands.start import Start, StartProblem
from bot.delivery.conversation import SlackConversation
from bot.delivery.directory import SlackDirectory
from bot.delivery.incoming import Incoming
from bot.delivery.operators import OperatorsChannel
from bot.delivery.paced_client import PacedClient
from bot.delivery.recall import Recall, ThreadMemory
from bot.delivery.shared_pace import SharedPace
from bot.delivery.slack_api import SlackApi
from bot.environment import prepared_home
from bot.home.service import HomeService
from bot.listeners.access import Access
from bot.listeners.agent_view import AgentView, LookedAt
from bot.listeners.clicks import Clicks
from bot.listeners.commands import HandrailCommand
from bot.listeners.fairness import Fairness
from bot.listeners.forms import Forms
from bot.listeners.home import HomeTab
from bot.listeners.ingress import Ingress
from bot.listeners.limits import LimitClicks
from bot.listeners.people import PeopleClicks, PeopleForms
from bot.listeners.reactions import ReactionWay
from bot.listeners.reading import Reading
from bot.listeners.register import Listeners, register
from bot.listeners.shortcuts import Shortcuts
from bot.listeners.surface import Surface, register_surface
from bot.listeners.tasks import Tasks
from bot.mcp import configured_servers, open_servers, secrets_of
from bot.slack_identity import SlackIdentity, who_am_i
from runtime.audit.trail import AuditLog
from runtime.budget.ledger import Ledger
from runtime.budget.seats import Seats
from runtime.catalogue import Catalogue
from runtime.engine.worker import Worker
from runtime.house import House
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.prices import prices_of
from runtime.llm.retry import RetryPolicy
from runtime.policy.checking import check
from runtime.policy.directory import NO_DIRECTORY
from runtime.policy.engine import Policy
from runtime.ports import Conversation
from runtime.schedule.ticker import Ticker
from runtime.session.caution import Caution
from runtime.session.commands import Commands
from runtime.session.events import READER_VERSION
from runtime.session.runner import Runner
from runtime.settings_file import DEFAULT_NAME, settings_lines
from runtime.store.embedded import start_embedded
from runtime.store.redis_store import SessionStore
from tools.collection import ToolCollection, builtin_tools
from tools.mounts import Mount
from tools.redact import Redactor
from tools.sandbox.port import Level, Sandbox
from tools.sandbox.probe import choose
from tools.sandbox.settings import SandboxSettings

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
        store = await SessionStore.open(url, retention=start.settings.retention.sessions)
        stack.push_async_callback(store.aclose)
        await store.ping()
        yield store


@contextlib.asynccontextmanager
async def open_model(start: Start) -> AsyncGenerator[OpenAIModel]:
    """The configured model; without one, the rehearsal model as a process of its own."""
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
            temperature=settings.model.temperature,
            max_output_tokens=settings.model.max_output_tokens,
            silence=settings.timeouts.model_silence,
            whole=settings.timeouts.model,
            retries=RetryPolicy(tries=settings.model.tries),
        )
        key = environment.openai_api_key.get_secret_value() if environment.openai_api_key else ""
        model = OpenAIModel(options, api_key=key, redact=redactor(start))
        stack.push_async_callback(model.aclose)
        yield model


def redactor(start: Start) -> Redactor:
    """Knows the shapes of secrets and this installation's own."""
    own = [secret.get_secret_value() for secret in start.environment.secrets]
    return Redactor([*own, *secrets_of(configured_servers(start))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The runtime without a conversation."""

    start: Start
    store: SessionStore
    house: House
    sandbox: Sandbox
    model: OpenAIModel

    def worker(self, conversation: Conversation) -> Worker:
        """A worker that runs sessions and lets the conversation show them."""
        settings = self.start.settings.engine
        operators = conversation.operators if isinstance(conversation, SlackConversation) else None
        directory = conversation.directory if isinstance(conversation, SlackConversation) else NO_DIRECTORY
        house = replace(self.house, operators=operators, directory=directory)
        return Worker(
            self.store,
            Runner(
                store=self.store,
                house=house,
                conversation=conversation,
                places=Seats(ledger=Ledger.beside(self.store), settings=self.start.settings.fair),
                snapshot_every=settings.snapshot_every,
                audit=AuditLog(store=self.store, retention=self.start.settings.retention.audit),
                caution=Caution(
                    park_after=settings.park_after,
                    question=self.start.settings.timeouts.question,
                    reminder=self.start.settings.timeouts.reminder,
                ),
            ),
            name=f"{socket.gethostname()}-{os.getpid()}",
            reader_version=READER_VERSION,
            concurrency=settings.concurrency,
            ttl=settings.lease,
        )


@contextlib.asynccontextmanager
async def open_core(start: Start) -> AsyncGenerator[Core]:
    """Store, model, sandbox, tools and policy."""
    settings = start.settings
    async with contextlib.AsyncExitStack() as stack:
        workspaces = start.data / "workspaces"
        reachable(workspaces)
        store = await stack.enter_async_context(open_store(start))
        model = await stack.enter_async_context(open_model(start))
        wanted = SandboxSettings(unsafe_local=settings.sandbox.unsafe_local)
        sandbox = await choose(wanted, data=prepared_home(start.variables))
        mounts = [Mount(name=mount.name, path=mount.path) for mount in settings.workspace.mounts]
        tools = ToolCollection(builtin_tools(mounts))
        check_policy(start, tools)
        stack.push_async_callback(tools.cleanup)
        servers = await stack.enter_async_context(open_servers(start, configured_servers(start), redactor(start)))
        scripted = model.name == REHEARSAL
        house = House(
            settings=settings,
            model=model,
            prices=prices_of(model.name, settings.model, scripted=scripted),
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
            redact=redactor(start),
            catalogue=Catalogue(own=tools, clients=servers),
            ledger=Ledger.beside(store),
        )
        yield Core(start=start, store=store, house=house, sandbox=sandbox, model=model)


def own_tools(start: Start) -> ToolCollection:
    """The tools that ship with Handrail, as these settings make them."""
    return ToolCollection(builtin_tools([Mount(name=m.name, path=m.path) for m in start.settings.workspace.mounts]))


def check_policy(start: Start, tools: ToolCollection) -> None:
    """Hold the rules against the tools there are.

    Raises:
        SettingsError: a rule cannot mean what it says.
    """
    file = start.environment.config
    check(start.settings.policy, tools, str(file or DEFAULT_NAME), settings_lines(file))


def reachable(directory: Path) -> None:
    """Make the directory, passable for the sandbox's unprivileged user where this process is root."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o711)
    if os.geteuid() == 0:
        directory.chmod(0o711)
        directory.parent.chmod(directory.parent.stat().st_mode | 0o011)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSide:
    """Everything that speaks to Slack."""

    client: AsyncWebClient
    identity: SlackIdentity
    conversation: SlackConversation
    app: AsyncApp


@contextlib.asynccontextmanager
async def open_slack(start: Start, store: SessionStore) -> AsyncGenerator[SlackSide]:
    """The Bolt app with its listeners, and delivery.

    Raises:
        StartProblem: a token is missing or refused, or Slack does not answer.
    """
    token = start.environment.slack_bot_token
    if token is None:
        raise StartProblem(
            "SLACK_BOT_TOKEN is not set. `python -m bot init` prepares a workspace; `make demo` needs no Slack."
        )
    url = start.environment.slack_api_url
    async with contextlib.AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        pace = SharedPace(
            clients=store.clients,
            base=rates_base(store, token.get_secret_value()),
            clock=asyncio.get_running_loop().time,
        )
        client = PacedClient(
            pace=pace,
            token=token.get_secret_value(),
            base_url=urljoin(url, "./"),
            session=http,
            # The default handler repeats a request whose connection broke, and may post a message twice.
            retry_handlers=[],
        )
        identity = await who_am_i(client, url)
        api = SlackApi(client=client, http=http, pace=pace)
        tasks = Tasks()
        stack.push_async_callback(tasks.aclose)
        access = Access(client=client, settings=start.settings.access, teams=identity.teams)
        directory = SlackDirectory(client)
        incoming = Incoming(client=client, http=http, bot_user=identity.user_id, access=access, directory=directory)
        team = identity.enterprise_id or identity.team_id
        memory, looked_at = ThreadMemory(store=store, team=team), LookedAt(store=store, team=team)
        conversation = SlackConversation(
            api=api,
            incoming=incoming,
            recall=Recall(memory=memory, looked_at=looked_at, name=incoming.name),
            directory=directory,
            verbosity=start.settings.slack.verbosity,
            operators=OperatorsChannel(client=client, channel=start.settings.slack.operators_channel),
        )
        app = AsyncApp(client=client, process_before_response=False)
        register_surface(app, surface(start, store, api, identity))
        register(app, listeners(start, store, api, identity, tasks, access))
        yield SlackSide(client=client, identity=identity, conversation=conversation, app=app)


def rates_base(store: SessionStore, token: str) -> str:
    """Under which name replicas with the same token count their calls together."""
    return f"{store.keys.namespace}:rate:{hashlib.sha256(token.encode()).hexdigest()[:12]}"


def listeners(
    start: Start, store: SessionStore, api: SlackApi, identity: SlackIdentity, tasks: Tasks, access: Access
) -> Listeners:
    """The listeners with what they need."""
    commands = Commands(store)
    clicks = Clicks(client=api.client, commands=commands, access=access)
    forms = Forms(commands=commands, access=access)
    return Listeners(
        ingress=Ingress(
            client=api.client,
            commands=commands,
            access=access,
            tasks=tasks,
            bot_user=identity.user_id,
            follow_ups=start.settings.slack.follow_ups,
            fairness=Fairness(
                ledger=Ledger.beside(store),
                commands=commands,
                settings=start.settings.fair,
                idle=start.settings.timeouts.idle,
            ),
        ),
        clicks=clicks,
        forms=forms,
        reading=Reading(clicks=clicks, api=api, store=store),
        limits=LimitClicks(clicks=clicks),
        people=PeopleClicks(clicks=clicks, store=store),
        people_forms=PeopleForms(forms=forms, store=store, tools=own_tools(start)),
    )


def surface(start: Start, store: SessionStore, api: SlackApi, identity: SlackIdentity) -> Surface:
    """The ways in beside words and cards."""
    client, commands = api.client, Commands(store)
    team = identity.enterprise_id or identity.team_id
    access = Access(client=client, settings=start.settings.access, teams=identity.teams)
    service = HomeService(store=store, settings=start.settings, workspaces=start.data / "workspaces", team=team)
    reaction = start.settings.slack.reaction
    return Surface(
        command=HandrailCommand(client=client, commands=commands, access=access, service=service, reaction=reaction),
        home=HomeTab(client=client, commands=commands, access=access, service=service),
        shortcuts=Shortcuts(client=client, commands=commands, access=access),
        reactions=ReactionWay(
            client=client, commands=commands, access=access, bot_user=identity.user_id, reaction=reaction
        ),
        agent_view=AgentView(client=client, looked_at=LookedAt(store=store, team=team)),
        memory=ThreadMemory(store=store, team=team),
    )


@contextlib.asynccontextmanager
async def ticking(store: SessionStore) -> AsyncGenerator[Ticker]:
    """The process's ticker."""
    ticker = Ticker(store)
    ticker.start()
    try:
        yield ticker
    finally:
        await ticker.stop()
