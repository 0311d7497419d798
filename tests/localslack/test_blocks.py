"""Block Kit's limits: what passes at the limit, and what is refused one above it."""

from typing import Any

import pytest

from bot.localslack.block_rules import block_problems
from bot.localslack.errors import SlackRefusal
from bot.localslack.validation import checked_blocks, checked_view

Block = dict[str, Any]


def plain(text: str) -> Block:
    """A plain text object."""
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Block:
    """A mrkdwn text object."""
    return {"type": "mrkdwn", "text": text}


def button(**more: Any) -> Block:
    """A button."""
    return {"type": "button", "text": plain("Go"), **more}


def select(count: int) -> Block:
    """A static select with that many options."""
    options = [{"text": plain(f"o{number}"), "value": f"v{number}"} for number in range(count)]
    return {"type": "static_select", "options": options}


def task(status: str) -> Block:
    """A task card."""
    return {"type": "task_card", "task_id": "t", "title": "T", "status": status}


def cells(rows: int, columns: int, text: str = "x") -> list[list[Block]]:
    """Rows of a table."""
    return [[{"type": "raw_text", "text": text} for _ in range(columns)] for _ in range(rows)]


GOOD: dict[str, list[Block]] = {
    "fifty blocks": [{"type": "divider"}] * 50,
    "a section of 3000": [{"type": "section", "text": mrkdwn("x" * 3000)}],
    "ten fields": [{"type": "section", "fields": [mrkdwn("x" * 2000)] * 10}],
    "25 buttons": [{"type": "actions", "elements": [button() for _ in range(25)]}],
    "a button value of 2000": [{"type": "actions", "elements": [button(value="x" * 2000)]}],
    "a header of 150": [{"type": "header", "text": plain("x" * 150)}],
    "100 options": [{"type": "actions", "elements": [select(100)]}],
    "pending inside a plan": [{"type": "plan", "title": "Plan", "tasks": [task("pending")]}],
    "a table of 100 x 20": [{"type": "table", "rows": cells(100, 20)}],
    "markdown of 12000": [{"type": "markdown", "text": "x" * 12000}],
    "feedback": [
        {
            "type": "context_actions",
            "elements": [
                {
                    "type": "feedback_buttons",
                    "action_id": "f",
                    "positive_button": {"text": plain("Good"), "value": "1"},
                    "negative_button": {"text": plain("Bad"), "value": "0"},
                }
            ],
        }
    ],
}
BAD: dict[str, tuple[list[Block], str]] = {
    "51 blocks": ([{"type": "divider"}] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
    "a section of 3001": (
        [{"type": "section", "text": mrkdwn("x" * 3001)}],
        "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
    ),
    "an empty section text": (
        [{"type": "section", "text": mrkdwn("")}],
        "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
    ),
    "a section without content": ([{"type": "section"}], "missing required field: text or fields"),
    "26 buttons": ([{"type": "actions", "elements": [button() for _ in range(26)]}], "no more than 25 items allowed"),
    "a button text of 76": (
        [{"type": "actions", "elements": [{"type": "button", "text": plain("x" * 76)}]}],
        "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
    ),
    "a mrkdwn button": (
        [{"type": "actions", "elements": [{"type": "button", "text": mrkdwn("x")}]}],
        "unsupported text type: mrkdwn",
    ),
    "a button value of 2001": (
        [{"type": "actions", "elements": [button(value="x" * 2001)]}],
        "must be less than 2001 characters",
    ),
    "an odd style": ([{"type": "actions", "elements": [button(style="red")]}], "must be one of: primary, danger"),
    "a misspelt key": ([{"type": "divider", "blok_id": "x"}], "invalid additional property: blok_id"),
    "an unknown block": ([{"type": "marquee"}], "unsupported type: marquee [json-pointer:/blocks/0]"),
    "101 options": ([{"type": "actions", "elements": [select(101)]}], "no more than 100 items allowed"),
    "a select without options": (
        [{"type": "actions", "elements": [{"type": "static_select"}]}],
        "must define either `options` or `option_groups`",
    ),
    "a pending card alone": ([task("pending")], "must be one of: in_progress, complete, error"),
    "plan beside card": (
        [{"type": "plan", "title": "P", "tasks": [task("complete")]}, task("complete")],
        "plan and task_card are mutually exclusive",
    ),
    "a plan with a title object": ([{"type": "plan", "title": plain("P")}], "must provide a string"),
    "an alert in a message": ([{"type": "alert", "text": mrkdwn("x")}], "unsupported type: alert"),
    "101 rows": ([{"type": "table", "rows": cells(101, 1)}], "no more than 100 items allowed"),
    "21 columns": ([{"type": "table", "rows": cells(1, 21)}], "no more than 20 items allowed"),
    "a table of 10001 characters": (
        [{"type": "table", "rows": cells(1, 1, "x" * 5001)}, {"type": "table", "rows": cells(1, 1, "x" * 5000)}],
        "table text must be less than 10001 characters",
    ),
    "two markdown blocks above 12000": (
        [{"type": "markdown", "text": "x" * 7000}, {"type": "markdown", "text": "x" * 7000}],
        "markdown text must be less than 12001 characters",
    ),
    "a block id twice": (
        [{"type": "divider", "block_id": "a"}, {"type": "divider", "block_id": "a"}],
        "block_id already exists",
    ),
    "an action id twice": (
        [{"type": "actions", "elements": [button(action_id="a"), button(action_id="a")]}],
        "`action_id` already exists",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_blocks_at_the_limit_pass(name: str) -> None:
    """What Slack's documentation allows is accepted."""
    assert block_problems(GOOD[name], "message") == []


@pytest.mark.parametrize("name", BAD)
def test_blocks_above_the_limit_are_refused_with_a_pointer(name: str) -> None:
    """Each violation is one message that says what and where."""
    blocks, expected = BAD[name]
    found = block_problems(blocks, "message")
    assert any(expected in text for text in found), found


def test_a_payload_above_13_kilobytes_is_refused() -> None:
    """Blocks that are each valid are refused together with `msg_blocks_too_long`."""
    blocks = [{"type": "section", "text": mrkdwn("x" * 2900)}] * 5
    with pytest.raises(SlackRefusal, match="msg_blocks_too_long"):
        checked_blocks(blocks)


def test_views_have_limits_of_their_own() -> None:
    """A modal needs title and, with inputs, a submit button; titles have 24 characters, metadata 3000."""
    entry = {"type": "input", "label": plain("L"), "element": {"type": "plain_text_input", "action_id": "a"}}
    good = {"type": "modal", "title": plain("x" * 24), "submit": plain("Go"), "blocks": [entry]}
    assert checked_view(good)["blocks"][0]["block_id"]
    for wrong in (
        {**good, "title": plain("x" * 25)},
        {**good, "private_metadata": "x" * 3001},
        {**good, "blocks": [{"type": "divider"}] * 101},
        {**good, "submitt": plain("Go")},
        {key: value for key, value in good.items() if key != "submit"},
        {**good, "type": "home"},
    ):
        with pytest.raises(SlackRefusal, match="invalid_arguments"):
            checked_view(wrong)
    with pytest.raises(SlackRefusal, match="view_too_large"):
        checked_view({**good, "private_metadata": "x" * 250_001})
