"""Block Kit's rules for blocks, per surface, and the counts that span a whole payload."""

from typing import Final

from bot.localslack import limits
from bot.localslack.element_rules import (
    ACCESSORY,
    ACTION,
    BUTTON,
    CONTEXT,
    CONTEXT_ACTION,
    IDENTIFIER,
    IMAGE,
    INPUT,
    URL_SOURCE,
)
from bot.localslack.schema import (
    Check,
    any_text,
    anything,
    array,
    both,
    deferred,
    flag,
    number,
    one_of,
    plain_text,
    problem,
    shape,
    string,
    tagged,
)
from bot.localslack.values import JsonObject, as_list, as_object, as_objects, as_text, compact, is_object

BLOCK: Final = {"block_id": IDENTIFIER}
RICH_PARTS: Final = tagged(
    {
        "rich_text_section": shape({"elements": array(anything, 1_000, least=0)}),
        "rich_text_preformatted": shape(
            {"elements": array(anything, 1_000, least=0)}, {"border": number(0, 1), "language": string(40)}
        ),
        "rich_text_quote": shape({"elements": array(anything, 1_000, least=0)}, {"border": number(0, 1)}),
        "rich_text_list": shape(
            {"elements": array(anything, 1_000, least=0), "style": one_of("bullet", "ordered")},
            {"border": number(0, 1), "indent": number(0, 8), "offset": number(0, 9_999)},
        ),
    },
    "rich text type",
)
RICH_TEXT: Final = tagged({"rich_text": shape({"elements": array(RICH_PARTS, 1_000, least=0)}, BLOCK)})
TASK_STATUS: Final = ("pending", "in_progress", "complete", "error")


def task_card(*statuses: str) -> Check:
    """A task card; a pending one is allowed only inside a plan (measured)."""
    return shape(
        {"task_id": IDENTIFIER, "title": string(limits.TASK_TITLE)},
        {
            **BLOCK,
            "status": one_of(*statuses),
            "details": RICH_TEXT,
            "output": RICH_TEXT,
            "sources": array(URL_SOURCE, 50, least=0),
        },
    )


def section_has_content(value: object, pointer: str) -> list[str]:
    """A section needs `text` or `fields`."""
    given = as_object(value)
    return [] if "text" in given or "fields" in given else problem(pointer, "missing required field: text or fields")


CELL: Final = tagged(
    {
        "raw_text": shape({"text": string(limits.TABLE_CHARACTERS, least=0)}),
        "raw_number": shape({"value": anything}, {"text": string(limits.TABLE_CHARACTERS, least=0)}),
        "rich_text": RICH_TEXT,
    },
    "cell type",
)
TABLE: Final = shape(
    {"rows": array(array(CELL, limits.TABLE_COLUMNS), limits.TABLE_ROWS)},
    {
        **BLOCK,
        "column_settings": array(
            shape({}, {"align": one_of("left", "center", "right"), "is_wrapped": flag}), limits.TABLE_COLUMNS
        ),
    },
)
CARD: Final = shape(
    {},
    {
        **BLOCK,
        "title": any_text(limits.CARD_TITLE),
        "subtitle": any_text(limits.CARD_TITLE),
        "body": any_text(limits.CARD_BODY),
        "subtext": any_text(limits.CARD_BODY),
        "icon": IMAGE,
        "hero_image": IMAGE,
        "slack_icon": anything,
        "actions": array(BUTTON, limits.CARD_BUTTONS),
    },
)
EVERYWHERE: Final[dict[str, Check]] = {
    "section": both(
        shape(
            {},
            {
                **BLOCK,
                "text": any_text(limits.SECTION_TEXT),
                "fields": array(any_text(limits.SECTION_FIELD), limits.SECTION_FIELDS),
                "accessory": ACCESSORY,
                "expand": flag,
            },
        ),
        section_has_content,
    ),
    "actions": shape({"elements": array(ACTION, limits.ACTIONS_ELEMENTS)}, BLOCK),
    "context": shape({"elements": array(CONTEXT, limits.CONTEXT_ELEMENTS)}, BLOCK),
    "header": shape({"text": plain_text(limits.HEADER_TEXT)}, {**BLOCK, "level": number(1, 4)}),
    "divider": shape({}, BLOCK),
    "image": shape(
        {"alt_text": string(limits.ALT_TEXT)},
        {
            **BLOCK,
            "image_url": string(limits.IMAGE_URL),
            "slack_file": anything,
            "title": plain_text(limits.IMAGE_TITLE),
        },
    ),
    "input": shape(
        {"label": plain_text(limits.INPUT_LABEL), "element": INPUT},
        {**BLOCK, "hint": plain_text(limits.INPUT_HINT), "optional": flag, "dispatch_action": flag},
    ),
    "rich_text": shape({"elements": array(RICH_PARTS, 1_000, least=0)}, BLOCK),
    "video": anything,
    "container": shape(
        {"children": array(deferred(lambda: MESSAGE_BLOCK), limits.CONTAINER_CHILDREN)},
        {
            **BLOCK,
            "title": any_text(limits.CARD_TITLE),
            "collapsible": flag,
            "width": one_of("narrow", "standard", "wide", "full"),
        },
    ),
    "card": CARD,
    "carousel": shape({"elements": array(CARD, limits.CAROUSEL_CARDS)}, BLOCK),
    "data_table": anything,
}
MESSAGE_BLOCKS: Final[dict[str, Check]] = {
    **EVERYWHERE,
    "markdown": shape({"text": string(limits.MARKDOWN_TEXT)}, BLOCK),
    "table": TABLE,
    "context_actions": shape({"elements": array(CONTEXT_ACTION, limits.CONTEXT_ACTIONS_ELEMENTS)}, BLOCK),
    "plan": shape(
        {"title": string(limits.PLAN_TITLE)},
        {
            **BLOCK,
            "plan_id": IDENTIFIER,
            "status": anything,
            "tasks": array(tagged({"task_card": task_card(*TASK_STATUS)}), limits.PLAN_TASKS),
        },
    ),
    "task_card": task_card(*TASK_STATUS[1:]),
    "file": anything,
    "data_visualization": anything,
    "auth_provider": anything,
}
ALERT: Final = shape(
    {"text": any_text(limits.ALERT_TEXT)},
    {**BLOCK, "level": one_of("default", "info", "warning", "error", "success")},
)
MESSAGE_BLOCK: Final = tagged(MESSAGE_BLOCKS, "type")
SURFACES: Final[dict[str, Check]] = {
    "message": array(MESSAGE_BLOCK, limits.MESSAGE_BLOCKS, least=0),
    "modal": array(tagged({**EVERYWHERE, "alert": ALERT}, "type"), limits.VIEW_BLOCKS, least=0),
    "home": array(tagged(EVERYWHERE, "type"), limits.VIEW_BLOCKS, least=0),
}


def block_problems(blocks: object, surface: str, pointer: str = "/blocks") -> list[str]:
    """Everything that is wrong with the blocks of a message, a modal or a home tab."""
    found = SURFACES[surface](blocks, pointer)
    return found or _whole_payload(as_objects(blocks), pointer)


def _whole_payload(blocks: list[JsonObject], pointer: str) -> list[str]:
    found: list[str] = []
    names = [str(block["block_id"]) for block in blocks if "block_id" in block]
    if len(names) != len(set(names)):
        found += problem(pointer, "block_id already exists")
    kinds = {block["type"] for block in blocks}
    if {"plan", "task_card"} <= kinds:
        found += problem(pointer, "plan and task_card are mutually exclusive")
    markdown = sum(len(block["text"]) for block in blocks if block["type"] == "markdown")
    if markdown > limits.MARKDOWN_TEXT:
        found += problem(pointer, f"markdown text must be less than {limits.MARKDOWN_TEXT + 1} characters")
    if sum(block["type"] == "table" for block in blocks) > 1:
        found += problem(pointer, "only one table is allowed in a message")
    cells = sum(len(compact(block["rows"])) for block in blocks if block["type"] == "table")
    if cells > limits.TABLE_CHARACTERS and _table_characters(blocks) > limits.TABLE_CHARACTERS:
        found += problem(pointer, f"table text must be less than {limits.TABLE_CHARACTERS + 1} characters")
    return found + _repeated_actions(blocks, pointer)


def _table_characters(blocks: list[JsonObject]) -> int:
    tables = [block for block in blocks if block["type"] == "table"]
    return sum(_texts(cell) for table in tables for row in as_list(table["rows"]) for cell in as_list(row))


def _texts(value: object) -> int:
    if is_object(value):
        own = value.get("text")
        return len(as_text(own)) + sum(_texts(entry) for entry in value.values())
    return sum(_texts(entry) for entry in as_list(value))


def _repeated_actions(blocks: list[JsonObject], pointer: str) -> list[str]:
    found: list[str] = []
    for index, block in enumerate(blocks):
        names = [str(element["action_id"]) for element in as_objects(block.get("elements")) if "action_id" in element]
        if len(names) != len(set(names)):
            found += problem(f"{pointer}/{index}", "`action_id` already exists for this block")
    return found
