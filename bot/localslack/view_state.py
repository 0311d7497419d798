"""The `state.values` of views and messages: what people entered, completed with what the blocks start with."""

from typing import Any

from bot.localslack.values import JsonObject, as_int, as_list, as_object, as_objects, as_text

EMPTY_VALUE = ("plain_text_input", "email_text_input", "url_text_input", "number_input", "rich_text_input")
FIELDS: dict[str, tuple[str, str]] = {
    "static_select": ("selected_option", "initial_option"),
    "external_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "multi_static_select": ("selected_options", "initial_options"),
    "multi_external_select": ("selected_options", "initial_options"),
    "checkboxes": ("selected_options", "initial_options"),
    "users_select": ("selected_user", "initial_user"),
    "multi_users_select": ("selected_users", "initial_users"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "channels_select": ("selected_channel", "initial_channel"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
    "file_input": ("files", ""),
    **dict.fromkeys(EMPTY_VALUE, ("value", "initial_value")),
}
LISTS = ("selected_options", "selected_users", "selected_conversations", "selected_channels", "files")
MISSING = "Please complete this required field."


def stateful_elements(blocks: list[JsonObject]) -> list[tuple[str, JsonObject]]:
    """Every element that has a state, with the id of its block."""
    found: list[tuple[str, JsonObject]] = []
    for block in blocks:
        inside = [
            as_object(block.get("element")),
            as_object(block.get("accessory")),
            *as_objects(block.get("elements")),
        ]
        found += [(as_text(block.get("block_id")), element) for element in inside if element.get("type") in FIELDS]
        found += stateful_elements(as_objects(block.get("children")))
    return found


def complete_state(blocks: list[JsonObject], given: JsonObject) -> JsonObject:
    """`values` for all elements of the blocks: what was entered, else the initial value, else empty.

    Entries for elements that do not exist are dropped.
    """
    values: JsonObject = {}
    for block_id, element in stateful_elements(blocks):
        kind, action_id = as_text(element["type"]), as_text(element.get("action_id"))
        name, initial = FIELDS[kind]
        entered = as_object(as_object(given.get(block_id)).get(action_id))
        empty: Any = [] if name in LISTS else None
        value: Any = entered[name] if name in entered else element.get(initial, empty)
        if kind.endswith("_input") and value == "":
            value = None
        values.setdefault(block_id, {})[action_id] = {"type": kind, name: value}
    return values


def entry_errors(blocks: list[JsonObject], values: JsonObject) -> dict[str, str]:
    """What Slack's own client refuses before it asks the app: missing and too short or too long entries."""
    errors: dict[str, str] = {}
    for block in blocks:
        element = as_object(block.get("element"))
        if block.get("type") != "input" or not element:
            continue
        block_id = as_text(block.get("block_id"))
        state = as_object(as_object(values.get(block_id)).get(as_text(element.get("action_id"))))
        value = state.get(FIELDS[as_text(element["type"])][0])
        if value in (None, "", []):
            if not block.get("optional"):
                errors[block_id] = MISSING
        elif isinstance(value, str):
            errors.update(_length_error(block_id, element, value))
    return errors


def _length_error(block_id: str, element: JsonObject, value: str) -> dict[str, str]:
    if len(value) > as_int(element.get("max_length"), 3_000):
        return {block_id: f"Please use at most {element.get('max_length', 3_000)} characters."}
    if len(value) < as_int(element.get("min_length"), 0):
        return {block_id: f"Please use at least {element['min_length']} characters."}
    return {}


def find_element(blocks: list[JsonObject], block_id: str, action_id: str) -> JsonObject | None:
    """The interactive element of an action; an empty block id matches every block."""
    for block in blocks:
        if block_id in {"", block.get("block_id")}:
            inside = [*as_list(block.get("elements")), block.get("element"), block.get("accessory")]
            inside += as_list(block.get("actions"))
            for element in map(as_object, inside):
                if element.get("action_id") == action_id:
                    return {**element, "block_id": block.get("block_id")}
        found = find_element([*as_objects(block.get("children")), *_cards(block)], block_id, action_id)
        if found is not None:
            return found
    return None


def _cards(block: JsonObject) -> list[JsonObject]:
    return as_objects(block.get("elements")) if block.get("type") == "carousel" else []
