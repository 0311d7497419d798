"""`/healthz` and `/readyz`: what is unwell, by name."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from aiohttp import web

Probe = Callable[[], str]
"""What is wrong with a part; empty when nothing is."""


def report(probes: Mapping[str, Probe], facts: Mapping[str, str]) -> web.Response:
    """200 when every part is well, else 503; each part's state and the facts either way."""
    states = {name: probe() for name, probe in probes.items()}
    parts = {name: state or "ok" for name, state in states.items()}
    body = {"ok": not any(states.values()), "parts": parts, **facts}
    return web.json_response(body, status=200 if body["ok"] else 503)


@contextlib.asynccontextmanager
async def health_server(
    host: str,
    port: int,
    *,
    alive: Mapping[str, Probe],
    ready: Mapping[str, Probe],
    more: Sequence[web.RouteDef] = (),
    facts: Callable[[], Mapping[str, str]] = dict,
) -> AsyncGenerator[str]:
    """Serve both pages; the address.

    Args:
        host: address to listen on.
        port: 0 takes a free one.
        alive: parts whose failure means that the process should be restarted.
        ready: parts whose failure means that it cannot work at the moment.
        more: further routes of the same application.
        facts: what else both pages say at the moment, such as how well generated code is contained. Nothing in them
            makes the process unwell.
    """

    async def healthz(_request: web.Request) -> web.Response:
        return report(alive, facts())

    async def readyz(_request: web.Request) -> web.Response:
        return report({**alive, **ready}, facts())

    app = web.Application()
    app.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), *more])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        bound = runner.addresses[0]
        yield f"http://{bound[0]}:{bound[1]}"
    finally:
        await runner.cleanup()
