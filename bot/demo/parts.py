"""The running demo: every part started in its order, and ended in the reverse one."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TextIO

from bot.demo.child import Child
from bot.demo.control import Control, serving
from bot.demo.environment import for_child
from bot.demo.model_servers import find_servers, is_set_up
from bot.demo.page import ask_page
from bot.demo.places import DemoError, Places, alone
from bot.demo.scene import APP_TOKEN, BOT_TOKEN, write_scene, write_settings
from bot.demo.world import World, build_world
from bot.environment import prepared_home
from runtime.store.binaries import label
from runtime.store.embedded import read_record, start_embedded
from runtime.store.errors import StoreError
from tools.sandbox.probe import choose
from tools.sandbox.settings import SandboxSettings

ONLINE_SECONDS = 60.0


class Progress:
    """Prints what happens, with the seconds since the start."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.started = monotonic()

    def __call__(self, text: str) -> None:
        """Print one line."""
        self.out.write(f"[{monotonic() - self.started:5.1f} s] {text}\n")
        self.out.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the demo is run."""

    environ: Mapping[str, str]
    port: int = 0
    """Of the page; 0 takes the one of the last time or a free one."""
    pause_ms: int = 0
    """Before each reply of the scripted model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """Everything that runs."""

    page: str
    """The address of the page, without a slash at its end."""
    control: Control
    control_url: str
    world: World
    children: tuple[Child, ...]
    scripted: bool

    @property
    def bot(self) -> Child:
        """The bot's process."""
        return self.control.bot


@asynccontextmanager
async def running(places: Places, options: Options, progress: Progress) -> AsyncGenerator[Demo, None]:
    """Start everything; yields once the bot is connected.

    Raises:
        DemoError: a part could not be started.
    """
    places.prepare()
    async with AsyncExitStack() as stack:
        lock = stack.enter_context(alone(places))
        world = build_world(places.world)
        progress(f"sample files: {places.world}")
        store_url = await store(stack, places, options.environ, progress)
        scripted = not is_set_up(options.environ)
        changes = {"REDIS_URL": store_url, "HANDRAIL_DATA": str(places.data), "HANDRAIL_CONFIG": str(places.settings)}
        bot = child("bot", places, lock, options.environ, "bot", "serve", "--port", "0")
        control = Control(bot)
        control_url = await stack.enter_async_context(serving(control))
        write_scene(places.scene, control_url=control_url, scripted=scripted)
        write_settings(places, world)
        slack = child("localslack", places, lock, options.environ)
        stack.push_async_callback(slack.stop)
        rehearsal = child("rehearsal", places, lock, options.environ)
        stack.push_async_callback(rehearsal.stop)
        page, model, sandbox = await asyncio.gather(
            start_page(slack, places, options.port),
            start_model(rehearsal, options, scripted=scripted),
            sandbox_line(prepared_home(options.environ)),
        )
        control.info = (sandbox, f"model: {model['OPENAI_MODEL'] or 'the server’s default'}")
        for line in (f"local Slack: {page}", *await model_lines(model, scripted=scripted), sandbox):
            progress(line)
        slack_changes = {"SLACK_API_URL": f"{page}/api/", "SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN}
        bot.environment = for_child(options.environ, **{**changes, **slack_changes, **model})
        stack.push_async_callback(bot.stop)
        await bot.start()
        await until_online(page, bot)
        progress("bot: connected")
        yield Demo(
            page=page,
            control=control,
            control_url=control_url,
            world=world,
            children=(slack, rehearsal, bot),
            scripted=scripted,
        )


def child(name: str, places: Places, lock: int, environ: Mapping[str, str], *arguments: str) -> Child:
    """One of our programs; without arguments the module of that name below `bot`."""
    return Child(
        name=name,
        arguments=arguments or (f"bot.{name}",),
        environment=for_child(environ),
        log=places.logs / f"{name}.txt",
        lock=lock,
    )


async def store(stack: AsyncExitStack, places: Places, environ: Mapping[str, str], progress: Progress) -> str:
    """The address of the store: `REDIS_URL`, or a private server that we hold so that it outlives a killed bot.

    Raises:
        DemoError: there is none.
    """
    if named := environ.get("REDIS_URL", "").strip():
        progress("store: the server named by REDIS_URL")
        return named
    try:
        server = await asyncio.to_thread(start_embedded, places.store)
    except StoreError as error:
        raise DemoError(f"The private store did not start: {error}") from error
    stack.push_async_callback(asyncio.to_thread, server.close)
    written_by = read_record(places.store) or {}
    version = tuple(int(part) for part in written_by.get("version", "0").split("."))
    progress(f"store: {label(written_by.get('product', 'server'), version)}, private, in {places.store}")
    return server.url


async def start_page(slack: Child, places: Places, port: int) -> str:
    """Start the local Slack, where it was the last time if that port is still free."""
    ports = (port,) if port else (*remembered(places.port), 0)
    for index, number in enumerate(ports):
        slack.arguments = (
            "bot.localslack",
            *("--port", str(number), "--state", str(places.slack), "--scene", str(places.scene)),
        )
        try:
            page = await slack.start_until("localslack")
        except DemoError:
            if index == len(ports) - 1:
                raise
            continue
        places.port.write_text(page.rpartition(":")[2], encoding="utf-8")
        return page
    raise DemoError("The local Slack has no port to listen on.")


def remembered(path: Path) -> tuple[int, ...]:
    """The port of the last time, if there was one."""
    try:
        return (int(path.read_text(encoding="utf-8")),)
    except (OSError, ValueError):
        return ()


async def start_model(rehearsal: Child, options: Options, *, scripted: bool) -> dict[str, str]:
    """The bot's variables for its model: the real one's as they are, or those of a scripted one started here."""
    if not scripted:
        return {
            name: options.environ.get(name, "").strip()
            for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")
        }
    rehearsal.arguments = ("bot.rehearsal", "--port", "0", "--pause", str(options.pause_ms))
    address = await rehearsal.start_until("rehearsal")
    return {"OPENAI_API_KEY": "rehearsal", "OPENAI_BASE_URL": address, "OPENAI_MODEL": "rehearsal"}


async def model_lines(model: Mapping[str, str], *, scripted: bool) -> tuple[str, ...]:
    """Which model speaks, and for a scripted one how to have a real one."""
    if not scripted:
        return (f"model: {model['OPENAI_MODEL'] or 'default'} at {model['OPENAI_BASE_URL'] or 'OpenAI'}",)
    hints = [f"  {server.hint}" for server in await find_servers()]
    return ("model: scripted rehearsal model; OPENAI_API_KEY=... make demo connects a real one", *hints)


async def sandbox_line(prepared: Path) -> str:
    """How well generated code is contained on this machine."""
    sandbox = await choose(SandboxSettings(), data=prepared)
    return f"sandbox: {sandbox.level.value}" + (
        "" if sandbox.level.contains else ": code will not run here; see doctor"
    )


async def until_online(page: str, bot: Child) -> None:
    """Wait until the local Slack has the bot's connection.

    Raises:
        DemoError: the bot ended, or did not connect in time.
    """
    try:
        async with asyncio.timeout(ONLINE_SECONDS):
            while not (await ask_page(page, "state", user="U0ANA"))["bot"]["online"]:
                bot.must_run()
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise DemoError(f"The bot did not connect within {ONLINE_SECONDS:g} s; see {bot.log}.") from None
