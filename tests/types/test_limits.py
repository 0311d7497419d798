"""What Handrail sends and what the local Slack sends is within Slack's limits, by a table of its own."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import pytest

from tests.support.recording import FOLDER
from tests.types.records import records

CHARACTERS: Final[Mapping[tuple[str, str], int]] = {
    ("section", "text"): 3_000,
    ("header", "text"): 150,
    ("button", "text"): 75,
    ("button", "value"): 2_000,
    ("button", "url"): 3_000,
    ("input", "label"): 2_000,
    ("input", "hint"): 2_000,
    ("image", "alt_text"): 2_000,
    ("image", "image_url"): 3_000,
    ("markdown", "text"): 12_000,
    ("plan", "title"): 256,
    ("task_card", "title"): 256,
    ("task_update", "title"): 256,
    ("task_update", "details"): 256,
    ("plan_update", "title"): 256,
    ("modal", "title"): 24,
    ("modal", "submit"): 24,
    ("modal", "close"): 24,
    ("modal", "private_metadata"): 3_000,
    ("modal", "callback_id"): 255,
    ("home", "private_metadata"): 3_000,
    ("static_select", "placeholder"): 150,
    ("plain_text_input", "placeholder"): 150,
    ("plain_text_input", "initial_value"): 3_000,
}
"""Of a text, or of a text object's text, by the type of what it stands in."""
EVERYWHERE: Final[Mapping[str, int]] = {"action_id": 255, "block_id": 255, "external_id": 255, "trigger_id": 255}
COUNTS: Final[Mapping[tuple[str, str], int]] = {
    ("actions", "elements"): 25,
    ("context", "elements"): 10,
    ("section", "fields"): 10,
    ("overflow", "options"): 5,
    ("static_select", "options"): 100,
    ("plan", "tasks"): 50,
    ("table", "rows"): 100,
    ("modal", "blocks"): 100,
    ("home", "blocks"): 100,
}
MESSAGE: Final[Mapping[str, int]] = {"text": 40_000}
MESSAGE_BLOCKS: Final = 50
UPDATE_TEXT: Final = 4_000
CONFIRM: Final[Mapping[str, int]] = {"title": 100, "text": 300, "confirm": 30, "deny": 30}
OPTION: Final[Mapping[str, int]] = {"text": 75, "value": 150}
PROMPTS: Final = 4


def length(value: object) -> int:
    """Characters of a text or of a text object."""
    if isinstance(value, dict):
        value = cast("dict[str, object]", value).get("text", "")
    return len(value) if isinstance(value, str) else 0


def over(found: Mapping[str, Any], most: Mapping[str, int], where: str) -> Iterator[str]:
    """The texts of an object that are longer than they may be."""
    for name, limit in most.items():
        if length(found.get(name)) > limit:
            yield f"{where}.{name}: {length(found.get(name))} characters, {limit} at most"


def too_much(value: object, where: str) -> Iterator[str]:
    """Everything above a limit, anywhere in a payload."""
    if isinstance(value, list):
        for number, inner in enumerate(cast("list[object]", value)):
            yield from too_much(inner, f"{where}[{number}]")
    elif isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        yield from too_much_here(found, where)
        for name, inner in found.items():
            yield from too_much(inner, f"{where}.{name}")


def too_much_here(found: Mapping[str, Any], where: str) -> Iterator[str]:
    """What of one object's own is above a limit."""
    kind = str(found.get("type", ""))
    own = {name: most for (of, name), most in CHARACTERS.items() if of == kind}
    yield from over(found, {**EVERYWHERE, **own}, where)
    for (of, name), most in COUNTS.items():
        if of == kind and len(found.get(name) or ()) > most:
            yield f"{where}.{name}: {len(found[name])}, {most} at most"
    confirm, options = found.get("confirm"), found.get("options")
    if isinstance(confirm, dict) and "title" in confirm:
        yield from over(cast("dict[str, Any]", confirm), CONFIRM, f"{where}.confirm")
    for option in cast("list[dict[str, Any]]", options) if isinstance(options, list) else ():
        yield from over(option, OPTION, f"{where}.options")


def of_a_message(record: Mapping[str, Any]) -> Iterator[str]:
    """What holds for a message as a whole, and for a method alone."""
    name, payload = str(record["name"]), record["payload"]
    if record["kind"] == "event" and payload.get("type") not in {"message", "app_mention"}:
        return
    most = UPDATE_TEXT if name == "chat.update" and record["kind"] == "call" and payload.get("blocks") else 40_000
    yield from over(payload, {"text": most}, name)
    blocks: list[Mapping[str, Any]] = payload.get("blocks") or []
    if not name.startswith("views.") and len(blocks) > MESSAGE_BLOCKS:
        yield f"{name}.blocks: {len(blocks)}, {MESSAGE_BLOCKS} at most"
    in_all = sum(length(block.get("text")) for block in blocks if block.get("type") == "markdown")
    if in_all > CHARACTERS["markdown", "text"]:
        yield f"{name}: {in_all} characters of Markdown"
    if len(payload.get("prompts") or ()) > PROMPTS:
        yield f"{name}: {len(payload['prompts'])} prompts"


def complaints(record: Mapping[str, Any]) -> list[str]:
    """What of one payload is above a limit."""
    where = f"{record['kind']} {record['name']}"
    return [*too_much(record["payload"], where), *of_a_message(record)]


def test_everything_recorded_in_this_run_is_within_slacks_limits() -> None:
    """Calls of the bot and their answers, events, clicks, forms and commands; tests of other folders come before."""
    assert [words for record in records(FOLDER) for words in complaints(record)] == []


@pytest.mark.parametrize(
    "payload",
    [
        {"text": "x" * 40_001},
        {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}}]},
        {"blocks": [{"type": "divider"}] * 51},
        {"blocks": [{"type": "markdown", "text": "x" * 7_000}] * 2},
        {"view": {"type": "modal", "title": {"type": "plain_text", "text": "x" * 25}, "blocks": []}},
        {"view": {"type": "home", "blocks": [{"type": "divider"}] * 101}},
        {"actions": [{"type": "button", "action_id": "x" * 256, "text": {"text": "ok"}}]},
        {"message": {"blocks": [{"type": "actions", "elements": [{"type": "button", "value": "x" * 2_001}]}]}},
        {"accessory": {"type": "overflow", "options": [{"text": {"text": "x" * 76}, "value": "v"}]}},
        {"accessory": {"type": "button", "confirm": {"title": {"text": "x" * 101}}}},
        {"prompts": [{"title": "a", "message": "b"}] * 5},
    ],
)
def test_what_is_above_a_limit_is_found_in_either_direction(payload: Mapping[str, Any]) -> None:
    """Wherever it stands in the payload."""
    assert complaints({"kind": "call", "name": "chat.postMessage", "payload": payload})
