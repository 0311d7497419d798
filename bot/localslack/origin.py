"""Who may talk to this server: programs, and the page it serves itself; never a page of somebody else."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def own_pages_only(host: str) -> Middleware:
    """Refuse browser requests from other origins, and on a loopback address any foreign host name.

    A click on a stranger's web page could otherwise write to the bot and approve its calls as anybody. `host` is the
    address the server is bound to.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            return web.Response(status=403, text="This page may not talk to the local Slack.")
        name = urlsplit(f"//{request.host}").hostname
        if host in LOOPBACK and name not in LOOPBACK:
            return web.Response(status=403, text="Open the local Slack under the address it printed.")
        return await handler(request)

    return guard
