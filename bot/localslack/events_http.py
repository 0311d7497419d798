"""HTTP mode: payloads are posted, signed, to the app's request URL instead of travelling over a socket."""

import asyncio
import hashlib
import hmac
from urllib.parse import urlencode

from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.localslack.outbox import Connection
from bot.localslack.values import JsonObject, as_object, as_text, compact, epoch, parse_json
from bot.localslack.workspace import Workspace

RETRY_REASONS = {"timeout": "http_timeout"}


def start_pushing(workspace: Workspace) -> None:
    """Start HTTP mode if the scene names a request URL; otherwise the app connects by Socket Mode."""
    if workspace.scene.events_url is not None:
        workspace.background.start(push(workspace, workspace.scene.events_url))


async def push(workspace: Workspace, url: str) -> None:
    """Post everything the outbox hands out to the URL until the connection is ended."""
    connection = Connection(name=url)
    workspace.outbox.connect(connection)
    async with ClientSession() as session, asyncio.TaskGroup() as group:
        while (envelope := await connection.queue.get()) is not None:
            group.create_task(post(workspace, session, url, envelope))
    workspace.outbox.disconnect(connection)


async def post(workspace: Workspace, session: ClientSession, url: str, envelope: JsonObject) -> None:
    """Post one payload; an answer of 2xx acknowledges it, anything else leaves it to be retried."""
    body, content_type = encoded(envelope)
    headers = {"Content-Type": content_type, **signature(workspace.scene.bot.signing_secret, body)}
    if envelope.get("retry_attempt"):
        reason = as_text(envelope.get("retry_reason"))
        headers["X-Slack-Retry-Num"] = str(envelope["retry_attempt"])
        headers["X-Slack-Retry-Reason"] = RETRY_REASONS.get(reason, "http_error")
    envelope_id = as_text(envelope["envelope_id"])
    try:
        timeout = ClientTimeout(total=workspace.outbox.ack_seconds)
        async with session.post(url, data=body, headers=headers, timeout=timeout) as response:
            text = await response.text()
            if response.ok:
                answer = parse_json(text)
                given = as_object(answer) or ({"text": text} if text and answer is None else {})
                workspace.outbox.acknowledge(envelope_id, given)
            else:
                no_retry = response.headers.get("X-Slack-No-Retry") == "1"
                workspace.outbox.refuse(envelope_id, final=no_retry)
    except (ClientError, TimeoutError):
        workspace.outbox.refuse(envelope_id, final=False)


def encoded(envelope: JsonObject) -> tuple[bytes, str]:
    """The body as Slack encodes it: JSON for events, a form for interactive payloads and commands."""
    payload = as_object(envelope["payload"])
    form = "application/x-www-form-urlencoded"
    if envelope["type"] == "events_api":
        return compact(payload).encode(), "application/json"
    if envelope["type"] == "interactive":
        return urlencode({"payload": compact(payload)}).encode(), form
    return urlencode(payload).encode(), form


def signature(secret: str, body: bytes) -> dict[str, str]:
    """The two headers by which the app knows that a request is Slack's."""
    stamp = str(int(epoch()))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}
