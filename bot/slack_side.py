"""Everything that speaks to one workspace of Slack, put together: client, delivery, listeners."""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from urllib.parse import urljoin

import aiohttp
from pydantic import SecretStr
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.assembly import Core, own_tools
from bot.commands.start import Start, StartProblem
from bot.delivery.conversation import SlackConversation
from bot.delivery.directory import SlackDirectory
from bot.delivery.incoming import Incoming
from bot.delivery.operators import OperatorsChannel
from bot.delivery.paced_client import PacedClient
from bot.delivery.recall import Recall, ThreadMemory
from bot.delivery.scheduled import ScheduledPlaces
from bot.delivery.shared_pace import SharedPace
from bot.delivery.slack_api import SlackApi
from bot.environment import unseen_by_bolt
from bot.home.service import HomeService
from bot.listeners.access import Access
from bot.listeners.agent_view import AgentView, LookedAt
from bot.listeners.clicks import Clicks
from bot.listeners.commands import HandrailCommand
from bot.listeners.edits import EditClicks, EditForms
from bot.listeners.fairness import Fairness
from bot.listeners.forms import Forms
from bot.listeners.home import HomeTab
from bot.listeners.ingress import Ingress
from bot.listeners.limits import LimitClicks
from bot.listeners.once import Once
from bot.listeners.people import PeopleClicks, PeopleForms
from bot.listeners.plans import Plans
from bot.listeners.reactions import ReactionWay
from bot.listeners.reading import Reading
from bot.listeners.register import Listeners, register
from bot.listeners.scheduling import Scheduling
from bot.listeners.shortcuts import Shortcuts
from bot.listeners.surface import Surface, register_surface
from bot.listeners.tasks import Tasks, listeners_done
from bot.listeners.titles import GivenTitles
from bot.slack_identity import SlackIdentity, who_am_i
from runtime.alerts import Operators
from runtime.budget.ledger import Ledger
from runtime.policy.directory import Directory
from runtime.schedule.desk import Desk
from runtime.schedule.store import Schedules
from runtime.session.commands import Commands
from runtime.store.redis_store import SessionStore
from tools.context import Conversations


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSide:
    """Everything that speaks to Slack."""

    client: AsyncWebClient
    identity: SlackIdentity
    conversation: SlackConversation
    app: AsyncApp

    @property
    def places(self) -> ScheduledPlaces:
        """Where work on a schedule happens."""
        return ScheduledPlaces(api=self.conversation.api, access=self.conversation.incoming.access)

    @property
    def operators(self) -> Operators:
        """Where operators are told of an outage."""
        return self.conversation.operators

    @property
    def directory(self) -> Directory:
        """The user groups."""
        return self.conversation.directory

    def reading(self, session_id: str, person: str) -> Conversations:
        """What a person may read of the workspace from a session."""
        return self.conversation.reading(session_id, person)


@contextlib.asynccontextmanager
async def open_slack(core: Core, installed: str = "") -> AsyncGenerator[SlackSide]:
    """The Bolt app with its listeners, and delivery.

    Args:
        core: the runtime; what is shown has the secrets taken out that it knows of by then.
        installed: the bot token of an installation by OAuth; empty: SLACK_BOT_TOKEN.

    Raises:
        StartProblem: a token is missing or refused, or Slack does not answer.
    """
    start, store = core.start, core.store
    token = SecretStr(installed) if installed else start.environment.slack_bot_token
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
        api = SlackApi(client=client, http=http)
        tasks = Tasks()
        stack.push_async_callback(tasks.aclose)
        stack.push_async_callback(listeners_done)
        access = access_of(start, client, identity)
        directory = SlackDirectory(client)
        incoming = Incoming(
            client=client,
            http=http,
            bot_user=identity.user_id,
            access=access,
            directory=directory,
            refused=start.settings.slack.refused_files,
            once=Once(store=store),
        )
        team = identity.enterprise_id or identity.team_id
        titles = titles_of(store, identity)
        memory, looked_at = ThreadMemory(store=store, team=team), LookedAt(store=store, team=team)
        conversation = SlackConversation(
            api=api,
            incoming=incoming,
            recall=Recall(memory=memory, looked_at=looked_at, name=incoming.name),
            directory=directory,
            titles=titles,
            settings=start.settings.slack,
            operators=OperatorsChannel(
                client=client, channel=start.settings.slack.operators_channel.rpartition(":")[2]
            ),
        )
        with unseen_by_bolt():
            # Socket Mode needs no signature, and over HTTP it was checked before anything was read.
            # Without a name it would read the sources of the whole call stack to find one.
            app = AsyncApp(
                name="handrail", client=client, process_before_response=False, request_verification_enabled=False
            )
        register_surface(app, surface(start, store, api, identity, access))
        register(app, listeners(core, api, identity, tasks, incoming))
        yield SlackSide(client=client, identity=identity, conversation=conversation, app=app)


def rates_base(store: SessionStore, token: str) -> str:
    """Under which name replicas with the same token count their calls together."""
    return f"{store.keys.namespace}:rate:{hashlib.sha256(token.encode()).hexdigest()[:12]}"


def titles_of(store: SessionStore, identity: SlackIdentity) -> GivenTitles:
    """Which threads people named themselves."""
    return GivenTitles(store=store, team=identity.enterprise_id or identity.team_id, bot_user=identity.user_id)


def access_of(start: Start, client: AsyncWebClient, identity: SlackIdentity) -> Access:
    """The gate; other bots that are heard are let in by name."""
    settings = start.settings.access
    settings = settings.model_copy(update={"users": (*settings.users, *start.settings.slack.bots)})
    return Access(client=client, settings=settings, teams=identity.teams)


def fairness_of(start: Start, store: SessionStore) -> Fairness:
    """What every way in asks before it starts a run."""
    settings = start.settings
    return Fairness(
        ledger=Ledger.beside(store), commands=Commands(store), settings=settings.fair, idle=settings.timeouts.idle
    )


def desk_of(start: Start, store: SessionStore) -> Desk:
    """The schedule tool's desk, for reading its parameters."""
    return Desk(sessions=store, schedules=Schedules.beside(store), zone=start.settings.budget.timezone)


def listeners(core: Core, api: SlackApi, identity: SlackIdentity, tasks: Tasks, incoming: Incoming) -> Listeners:
    """The listeners with what they need."""
    start, store, redact = core.start, core.store, core.house.redact
    commands, access = Commands(store), incoming.access
    clicks = Clicks(client=api.client, commands=commands, access=access)
    forms = Forms(commands=commands, access=access)
    people = PeopleClicks(clicks=clicks, store=store)
    people_forms = PeopleForms(forms=forms, store=store)
    edit_forms = EditForms(people=people_forms, tools=own_tools(start, desk_of(start, store)))
    return Listeners(
        ingress=Ingress(
            client=api.client,
            commands=commands,
            access=access,
            tasks=tasks,
            bot_user=identity.user_id,
            follow_ups=start.settings.slack.follow_ups,
            bots=frozenset(start.settings.slack.bots),
            once=Once(store=store),
            fairness=fairness_of(start, store),
        ),
        clicks=clicks,
        forms=forms,
        reading=Reading(clicks=clicks, api=api, store=store, settings=start.settings.slack, redact=redact),
        limits=LimitClicks(clicks=clicks),
        people=people,
        people_forms=people_forms,
        edits=EditClicks(people=people, incoming=incoming, redact=redact),
        edit_forms=edit_forms,
        plans=Plans(clicks=people, forms=people_forms),
    )


def surface(start: Start, store: SessionStore, api: SlackApi, identity: SlackIdentity, access: Access) -> Surface:
    """The ways in beside words and cards."""
    client, commands, fairness = api.client, Commands(store), fairness_of(start, store)
    team = identity.enterprise_id or identity.team_id
    service = HomeService(store=store, settings=start.settings, workspaces=start.data / "workspaces", team=team)
    reaction = start.settings.slack.reaction
    zone_of = ScheduledPlaces(api=api, access=access).zone_of
    desk = Desk(sessions=store, schedules=Schedules.beside(store), zone=start.settings.budget.timezone, zone_of=zone_of)
    scheduling = Scheduling(client=client, desk=desk, access=access, team=team)
    return Surface(
        command=HandrailCommand(
            client=client,
            commands=commands,
            access=access,
            service=service,
            reaction=reaction,
            fairness=fairness,
            more={"schedule": scheduling.command},
        ),
        scheduling=scheduling,
        home=HomeTab(client=client, commands=commands, access=access, service=service),
        shortcuts=Shortcuts(client=client, commands=commands, access=access, fairness=fairness),
        reactions=ReactionWay(
            client=client,
            commands=commands,
            access=access,
            fairness=fairness,
            bot_user=identity.user_id,
            reaction=reaction,
        ),
        agent_view=AgentView(client=client, looked_at=LookedAt(store=store, team=team)),
        memory=ThreadMemory(store=store, team=team),
        titles=titles_of(store, identity),
    )
