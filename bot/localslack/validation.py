"""Refusals of messages and views, with Slack's error codes."""

from typing import Any

from bot.localslack import limits
from bot.localslack.block_rules import block_problems
from bot.localslack.errors import SlackRefusal, refused_arguments
from bot.localslack.schema import plain_text
from bot.localslack.values import JsonObject, as_objects, as_text, compact, is_array, is_object, new_word, parse_json

VIEW_KEYS = {
    "type", "title", "blocks", "close", "submit", "private_metadata", "callback_id", "clear_on_close",
    "notify_on_close", "external_id", "submit_disabled",
}  # fmt: skip


def checked_blocks(given: Any, surface: str = "message") -> list[JsonObject]:
    """Blocks as Slack stores them: validated, with ids and defaults filled in.

    Raises SlackRefusal: invalid_blocks_format, invalid_blocks, msg_blocks_too_long.
    """
    blocks = parse_json(given) if isinstance(given, str) else given
    if not is_array(blocks):
        raise SlackRefusal("invalid_blocks_format")
    messages = block_problems(blocks, surface)
    if messages:
        raise SlackRefusal("invalid_blocks", errors=messages, response_metadata={"messages": messages})
    if surface == "message" and len(compact(blocks).encode()) > limits.MESSAGE_BLOCK_BYTES:
        raise SlackRefusal("msg_blocks_too_long")
    return filled_blocks(as_objects(blocks))


def filled_blocks(blocks: list[JsonObject]) -> list[JsonObject]:
    """Blocks with the ids and text defaults Slack adds."""
    return [_filled({**block, "block_id": block.get("block_id") or new_word()}) for block in blocks]


def _filled(value: Any) -> Any:
    if is_array(value):
        return [_filled(item) for item in value]
    if not is_object(value):
        return value
    given = {key: _filled(item) for key, item in value.items()}
    if given.get("type") == "plain_text":
        return {"emoji": True, **given}
    if given.get("type") == "mrkdwn":
        return {"verbatim": False, **given}
    interactive = given.get("type") in ACTIVE and "action_id" not in given
    return {**given, "action_id": new_word()} if interactive else given


ACTIVE = {
    "button", "static_select", "multi_static_select", "users_select", "conversations_select", "channels_select",
    "overflow", "datepicker", "timepicker", "datetimepicker", "radio_buttons", "checkboxes", "plain_text_input",
    "email_text_input", "url_text_input", "number_input", "feedback_buttons", "icon_button",
}  # fmt: skip


def checked_text(text: str, *, most: int) -> str:
    """Raises SlackRefusal msg_too_long."""
    if len(text) > most:
        raise SlackRefusal("msg_too_long")
    return text


def checked_metadata(given: Any) -> JsonObject | None:
    """The metadata of a message. Raises SlackRefusal: metadata_must_be_sent_as_json, invalid_metadata_format."""
    if given in (None, ""):
        return None
    metadata = parse_json(given) if isinstance(given, str) else given
    if not is_object(metadata):
        raise SlackRefusal("metadata_must_be_sent_as_json")
    if not as_text(metadata.get("event_type")) or not is_object(metadata.get("event_payload")):
        raise SlackRefusal("invalid_metadata_format")
    return metadata


def checked_view(given: Any, *, surfaces: tuple[str, ...] = ("modal",)) -> JsonObject:
    """A view as Slack stores it. Raises SlackRefusal: invalid_arguments, view_too_large."""
    view = parse_json(given) if isinstance(given, str) else given
    if not is_object(view):
        raise refused_arguments("missing required field: view")
    if len(compact(view).encode()) > limits.VIEW_BYTES:
        raise SlackRefusal("view_too_large")
    kind = as_text(view.get("type"))
    if kind not in surfaces:
        raise refused_arguments(f"unsupported type: {kind} [json-pointer:/view/type]")
    messages = [*_view_problems(view, kind), *block_problems(view.get("blocks"), kind, "/view/blocks")]
    if messages:
        raise SlackRefusal("invalid_arguments", response_metadata={"messages": messages})
    return {**_filled(view), "blocks": filled_blocks(as_objects(view["blocks"]))}


def _view_problems(view: JsonObject, kind: str) -> list[str]:
    texts = [name for name in ("title", "submit", "close") if name in view]
    found = [text for name in texts for text in plain_text(limits.VIEW_TITLE)(view[name], f"/view/{name}")]
    unknown = sorted(set(view) - VIEW_KEYS)
    found += [f"[ERROR] invalid additional property: {name} [json-pointer:/view]" for name in unknown]
    if kind == "modal" and "title" not in view:
        found.append("[ERROR] missing required field: title [json-pointer:/view]")
    if any(block.get("type") == "input" for block in as_objects(view.get("blocks"))) and kind == "modal":
        found += [] if "submit" in view else ["[ERROR] missing required field: submit [json-pointer:/view]"]
    lengths = (
        ("private_metadata", limits.VIEW_METADATA),
        ("callback_id", limits.IDENTIFIER),
        ("external_id", limits.IDENTIFIER),
    )
    found += [
        f"[ERROR] must be less than {most + 1} characters [json-pointer:/view/{name}]"
        for name, most in lengths
        if len(as_text(view.get(name))) > most
    ]
    return found
