"""The aiohttp application of the look-alike, put together from its routes."""

from collections.abc import AsyncIterator
from pathlib import Path

from aiohttp import web

from bot.localslack import control, file_routes, hooks, page_api, socket_mode, testing_api, wire
from bot.localslack.events_http import start_pushing
from bot.localslack.origin import own_pages_only
from bot.localslack.workspace import Workspace

STATIC = Path(__file__).parent / "static"
LARGEST_REQUEST = 1024**3
NOTICE = (
    "<!DOCTYPE html><title>Local Slack</title><p>The local Slack is running. "
    "Its page is not built in this checkout; the Web API is under <code>/api/</code>.</p>"
)


def make_app(workspace: Workspace, host: str) -> web.Application:
    """The application for an address it will be bound to; closing it closes the workspace."""
    app = web.Application(client_max_size=LARGEST_REQUEST, middlewares=[own_pages_only(host)])
    for part in (wire, socket_mode, hooks, file_routes, page_api, testing_api, control):
        app.add_routes(part.routes(workspace))
    app.router.add_get("/{path:.*}", serve_static)

    async def live(_app: web.Application) -> AsyncIterator[None]:
        start_pushing(workspace)
        yield
        await workspace.background.close()
        workspace.store.close()

    async def end_connections(_app: web.Application) -> None:
        workspace.outbox.close()
        workspace.feed.close_all()

    app.cleanup_ctx.append(live)
    app.on_shutdown.append(end_connections)
    return app


async def serve_static(request: web.Request) -> web.StreamResponse:
    """A file of the built page; every other path is the page itself."""
    wanted = (STATIC / request.match_info["path"]).resolve()
    if wanted.is_file() and wanted.is_relative_to(STATIC.resolve()):
        return web.FileResponse(wanted)
    index = STATIC / "index.html"
    if index.is_file():
        return web.FileResponse(index, headers={"Cache-Control": "no-cache"})
    return web.Response(text=NOTICE, content_type="text/html")
