"""Socket Mode: the WebSocket over which the app receives envelopes and acknowledges them."""

import asyncio
import contextlib
from typing import Literal

from aiohttp import WSMsgType, web

from bot.localslack import limits
from bot.localslack.outbox import Connection
from bot.localslack.values import JsonObject, as_object, as_text, compact, new_word, parse_json
from bot.localslack.workspace import Workspace

Reason = Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"]


def routes(workspace: Workspace) -> list[web.RouteDef]:
    """The route a socket connects to."""

    async def handle(request: web.Request) -> web.StreamResponse:
        return await serve(workspace, request)

    return [web.get("/link/", handle)]


async def serve(workspace: Workspace, request: web.Request) -> web.StreamResponse:
    """Serve one socket until either side ends it."""
    ticket = request.query.get("ticket", "")
    if ticket not in workspace.socket_tickets:
        return web.Response(status=403, text="invalid ticket")
    workspace.socket_tickets.discard(ticket)
    socket = web.WebSocketResponse(autoping=False)
    await socket.prepare(request)
    connection = Connection(name=f"applink-{new_word(6).lower()}")
    if len(workspace.outbox.connections) >= limits.SOCKETS:
        await socket.send_str(compact(farewell(connection, "too_many_websockets")))
        await socket.close()
        return socket
    writer = asyncio.create_task(write(socket, connection))
    connection.queue.put_nowait(hello(workspace, connection))
    workspace.outbox.connect(connection)
    tell_online(workspace)
    try:
        await read(workspace, socket, connection)
    finally:
        workspace.outbox.disconnect(connection)
        tell_online(workspace)
        writer.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await writer
    return socket


async def write(socket: web.WebSocketResponse, connection: Connection) -> None:
    """Send what the connection is given, in order, until it is ended."""
    while (message := await connection.queue.get()) is not None:
        if not connection.hushed:
            await socket.send_str(compact(message))
    await socket.close()


async def read(workspace: Workspace, socket: web.WebSocketResponse, connection: Connection) -> None:
    """Take acknowledgements and answer pings until the socket closes."""
    async for message in socket:
        if connection.hushed:
            continue
        if message.type is WSMsgType.PING:
            await socket.pong(message.data)
        elif message.type is WSMsgType.TEXT:
            body = as_object(parse_json(message.data))
            workspace.outbox.acknowledge(as_text(body.get("envelope_id")), body.get("payload"))


def hello(workspace: Workspace, connection: Connection) -> JsonObject:
    """The first message on a socket."""
    return {
        "type": "hello",
        "num_connections": len(workspace.outbox.connections) + 1,
        "debug_info": {"host": connection.name, "build_number": 1, "approximate_connection_time": 3600},
        "connection_info": {"app_id": workspace.scene.bot.app_id},
    }


def farewell(connection: Connection, reason: Reason) -> JsonObject:
    """The announcement that a socket will be closed."""
    return {"type": "disconnect", "reason": reason, "debug_info": {"host": connection.name}}


def warn(workspace: Workspace) -> int:
    """Announce to every socket that it will be closed, as Slack does before it refreshes them. Returns how many."""
    connections = list(workspace.outbox.connections)
    for connection in connections:
        connection.queue.put_nowait(farewell(connection, "warning"))
    return len(connections)


def drop(workspace: Workspace) -> int:
    """Close every socket without a word. Returns how many."""
    connections = list(workspace.outbox.connections)
    for connection in connections:
        connection.queue.put_nowait(None)
    return len(connections)


def hush(workspace: Workspace) -> int:
    """Say nothing more on any socket that is open now, as a connection that a network forgot. Returns how many."""
    connections = list(workspace.outbox.connections)
    for connection in connections:
        connection.hushed = True
    return len(connections)


def tell_online(workspace: Workspace) -> None:
    """Tell the pages whether the app is connected."""
    count = len(workspace.outbox.connections)
    workspace.feed.publish({"type": "bot", "online": count > 0, "connections": count})
