"""A headless Chromium looking at the local Slack, and the fixtures' world around it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Literal

from aiohttp import web
from playwright.async_api import Browser, ConsoleMessage, Page, ViewportSize, async_playwright, expect

from scripts.machine import program
from scripts.system_parts import PARTS

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE = ViewportSize(width=1360, height=860)
PHONE = ViewportSize(width=390, height=780)
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)


@asynccontextmanager
async def chromium() -> AsyncGenerator[Browser, None]:
    """The browser of the machine, for the time of a test."""
    path = next(path for name in PARTS["chromium"].programs if (path := program(name)))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(path), args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


class Visitor:
    """One browser window of one person; errors on its console fail the test that looks at them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.set_default_timeout(WAIT_MS)

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    async def open(self, url: str, user: str) -> None:
        """Open the page as somebody and wait until the channel is there."""
        await self.page.goto(f"{url}/?user={user}")
        await self.page.wait_for_selector(".pane h1")


async def visit(
    browser: Browser,
    url: str,
    user: str = "U0ANA",
    *,
    size: ViewportSize = WIDE,
    scheme: Literal["light", "dark"] = "light",
) -> Visitor:
    """A new window, with nothing remembered from another."""
    context = await browser.new_context(viewport=size, color_scheme=scheme, locale="en-US")
    visitor = Visitor(await context.new_page())
    await visitor.open(url, user)
    return visitor


class Control:
    """What stands behind the page's Kill and Start: it notes the commands and says what it was told."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.online = False

    async def press(self, request: web.Request) -> web.Response:
        """Answer one press as the one who runs the bot would."""
        command = str((await request.json())["command"])
        self.commands.append(command)
        self.online = command == "start"
        return web.json_response({"online": self.online})


@asynccontextmanager
async def control_server(control: Control) -> AsyncGenerator[str, None]:
    """The control's address for the time of a test."""
    app = web.Application()
    app.router.add_post("/", control.press)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()
