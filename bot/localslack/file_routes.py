"""Bytes over HTTP: receiving uploads and serving files."""

import asyncio
from urllib.parse import quote

from aiohttp import web

from bot.localslack.values import as_text, new_id
from bot.localslack.workspace import Workspace

DOWNLOAD = "download"
"""How downloads are named among the calls and in faults; "slow" is the only kind that they know."""
SIGN_IN = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in to see this file.</body></html>"


def routes(workspace: Workspace) -> list[web.RouteDef]:
    """The routes of uploads and downloads."""

    async def receive(request: web.Request) -> web.StreamResponse:
        return await receive_upload(workspace, request)

    async def serve(request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization"):
            await strike(workspace, request)
        return serve_file(workspace, request)

    return [
        web.post("/upload/v1/{secret}", receive),
        web.put("/upload/v1/{secret}", receive),
        web.get("/files/{file_id}/{name}", serve),
    ]


async def strike(workspace: Workspace, request: web.Request) -> None:
    """Note a download by the bot, and let it wait where a fault says so."""
    workspace.calls.add(DOWNLOAD, {"file": request.match_info["file_id"]})
    fault = workspace.faults.take(DOWNLOAD)
    if fault is not None:
        await asyncio.sleep(fault.delay_ms / 1_000)


async def receive_upload(workspace: Workspace, request: web.Request) -> web.StreamResponse:
    """The bytes of a promised upload, raw or as the file part of a form."""
    secret = request.match_info["secret"]
    ticket = next((ticket for ticket in workspace.shelf.tickets.values() if ticket.secret == secret), None)
    if ticket is None:
        return web.Response(status=404, text="unknown upload")
    content = await read_content(request)
    workspace.shelf.receive(ticket, content)
    return web.Response(text=f"OK - {len(content)}")


async def read_content(request: web.Request) -> bytes:
    """The body, or the first file of a form."""
    if request.content_type != "multipart/form-data":
        return await request.read()
    form = await request.post()
    for value in form.values():
        if isinstance(value, web.FileField):
            return value.file.read()
    return b""


async def receive_from_page(workspace: Workspace, request: web.Request) -> web.StreamResponse:
    """A file that a person chose on the page; it is shown once a message with it is sent."""
    form = await request.post()
    field = form.get("file")
    user = as_text(form.get("user")) or request.query.get("user", "")
    if not isinstance(field, web.FileField) or user not in workspace.directory.people:
        return web.json_response({"ok": False, "error": "invalid_arguments"}, status=400)
    content = field.file.read()
    file_id = new_id("F0")
    workspace.store.put_bytes(file_id, content)
    body = workspace.shelf.add(file_id, field.filename, len(content), user)
    return web.json_response(
        {"ok": True, "file_id": file_id, "name": body["name"], "mimetype": body["mimetype"], "size": body["size"]}
    )


def serve_file(workspace: Workspace, request: web.Request) -> web.StreamResponse:
    """A file for its page or for the bot; anybody else gets the sign-in page with status 200, as at Slack."""
    bearer = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    allowed = bearer == workspace.scene.bot.bot_token or request.query.get("user", "") in workspace.directory.people
    body = workspace.shelf.files.get(request.match_info["file_id"])
    granted = workspace.scene.bot.scopes
    if bearer and granted is not None and "files:read" not in granted:
        allowed = False
    if not allowed:
        return web.Response(text=SIGN_IN, content_type="text/html")
    if body is None:
        return web.Response(status=404, text="file not found")
    content = workspace.store.get_bytes(as_text(body["id"]))
    inline = as_text(body["mimetype"]).startswith("image/") and "download" not in request.query
    disposition = "inline" if inline else f"attachment; filename*=UTF-8''{quote(as_text(body['name']))}"
    headers = {
        "Content-Disposition": disposition,
        # A file is somebody's upload: it may never run as a page of this origin.
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    return web.Response(body=content, content_type=as_text(body["mimetype"]), headers=headers)
