"""Every kind of payload that went over the wire in a test, kept for the check against Slack's own types."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from scripts.machine import ROOT

FOLDER = ROOT / ".pytest_cache" / "slack-payloads"
TAGS = frozenset({"type", "status", "style", "session_status", "task_display_mode", "subtype"})
"""Texts whose value matters to the types."""


def shape(value: object, key: str = "") -> object:
    """A payload without its words: equal shapes need one check."""
    if isinstance(value, dict):
        return {name: shape(inner, name) for name, inner in sorted(cast("dict[str, object]", value).items())}
    if isinstance(value, list):
        inner = {json.dumps(shape(item)) for item in cast("list[object]", value)}
        return sorted(inner)
    return value if key in TAGS else type(value).__name__


def keep(kind: str, name: str, payload: Mapping[str, Any], folder: Path = FOLDER) -> None:
    """Write one payload unless one of its shape is there already."""
    digest = hashlib.sha256(json.dumps(shape(payload)).encode()).hexdigest()[:12]
    file = folder / f"{kind}-{name}-{digest}.json"
    if file.exists():
        file.touch()
    else:
        folder.mkdir(parents=True, exist_ok=True)
        # Another worker may read the folder now: what it finds is whole.
        begun = file.with_suffix(f".{os.getpid()}")
        begun.write_text(json.dumps({"kind": kind, "name": name, "payload": payload}), encoding="utf-8")
        begun.replace(file)


def is_handmade() -> bool:
    """Whether the test at hand plays a bot of its own: what it sends is not the bot's, and partly wrong on purpose."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    return test.startswith(("tests/localslack/", "tests/page/"))


def keep_calls(calls: list[dict[str, Any]], folder: Path = FOLDER) -> None:
    """Accepted calls of the Web API by the bot, and what the local Slack answered."""
    for call in () if is_handmade() else calls:
        if call.get("ok") and call.get("args") is not None:
            keep("call", str(call["method"]), call["args"], folder)
            response: object = call.get("response")
            # What an injected fault kept from the bot is in the list of calls and was never sent.
            if isinstance(response, dict) and "hidden" not in response:
                keep("answer", str(call["method"]), cast("dict[str, Any]", response), folder)


def keep_deliveries(deliveries: list[dict[str, Any]], folder: Path = FOLDER) -> None:
    """Events, clicks, forms and commands that the local Slack sent."""
    for item in deliveries:
        payload: Mapping[str, Any] = item.get("payload") or {}
        event: object = payload.get("event")
        if isinstance(event, dict):
            keep("event", str(item.get("event_type")), cast("dict[str, Any]", event), folder)
        elif payload and not is_handmade():
            keep("interaction", str(payload.get("type") or payload.get("command", "")).strip("/"), payload, folder)
