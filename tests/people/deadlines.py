"""Deadlines that come early."""

import json

from runtime.session.ids import SessionKey
from tests.support.slack import SlackMessage
from tests.support.stage import Stage


async def passes(stage: Stage, request: SlackMessage, deadline: str, about: str) -> None:
    """What the sweep would push once the time has come."""
    key = SessionKey(team="T0LOCAL", channel=request.channel, thread_ts=request.thread_ts)
    payload = json.dumps({"kind": deadline, "id": about})
    entry_id = f"early:{deadline}:{about}"
    await stage.core.store.push(str(key), entry_id=entry_id, kind="deadline", payload=payload, urgent=True)
