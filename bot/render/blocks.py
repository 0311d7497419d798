"""The few Block Kit shapes that the cards are made of, each within its limits."""

from typing import Literal

from bot.render.limits import BUTTON_TEXT, CONTEXT_ELEMENTS, SECTION_TEXT, Block, clipped

Style = Literal["primary", "danger", ""]


def section(mrkdwn: str, accessory: Block | None = None) -> Block:
    """A paragraph. The caller has escaped foreign text and made it fit; the clip is the last line of defence."""
    built: Block = {"type": "section", "text": {"type": "mrkdwn", "text": clipped(mrkdwn, SECTION_TEXT) or " "}}
    if accessory is not None:
        built["accessory"] = accessory
    return built


def context(*mrkdwn: str) -> Block:
    """A line in small grey print."""
    elements = [{"type": "mrkdwn", "text": clipped(text, SECTION_TEXT) or " "} for text in mrkdwn[:CONTEXT_ELEMENTS]]
    return {"type": "context", "elements": elements}


def button(label: str, action_id: str, value: str, style: Style = "") -> Block:
    """A button."""
    built: Block = {
        "type": "button",
        "text": {"type": "plain_text", "text": clipped(label, BUTTON_TEXT), "emoji": False},
        "action_id": action_id,
        "value": value,
    }
    if style:
        built["style"] = style
    return built


def actions(block_id: str, *elements: Block) -> Block:
    """A row of buttons."""
    return {"type": "actions", "block_id": block_id, "elements": list(elements)}


def rich(text: str) -> Block:
    """Plain words as a rich_text block, where Slack takes nothing else."""
    element = {"type": "rich_text_section", "elements": [{"type": "text", "text": text or " "}]}
    return {"type": "rich_text", "elements": [element]}
