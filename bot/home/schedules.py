"""A person's schedules in App Home, each with its buttons. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from bot import texts, texts_schedule
from bot.render.blocks import actions, button, context, section
from bot.render.limits import Block
from runtime.schedule.records import Schedule

SHOWN: Final = 5
PAUSE: Final = "home_schedule_pause"
RESUME: Final = "home_schedule_resume"
DELETE: Final = "home_schedule_delete"
COMMANDS: Final = {PAUSE: "pause", RESUME: "resume", DELETE: "cancel"}
"""Button -> what the desk is told."""


def delete_button(schedule: Schedule) -> Block:
    """Deletes it, after a question."""
    words = {
        "title": texts_schedule.DELETE_TITLE,
        "text": texts_schedule.DELETE_WHAT,
        "confirm": texts_schedule.DELETE,
        "deny": texts.CANCEL,
    }
    confirm = {name: {"type": "plain_text", "text": text} for name, text in words.items()}
    return {**button(texts_schedule.DELETE, DELETE, schedule.id, "danger"), "confirm": confirm}


def listing(schedules: Sequence[Schedule], now_ms: int) -> Iterator[Block]:
    """The oldest ones, and how to see the others."""
    yield {"type": "header", "text": {"type": "plain_text", "text": texts_schedule.HOME, "emoji": False}}
    if not schedules:
        yield context(texts_schedule.NOTHING_AT_HOME)
    for schedule in schedules[:SHOWN]:
        yield section(texts_schedule.listed(schedule, now_ms))
        change = (texts_schedule.RESUME, RESUME) if schedule.paused else (texts_schedule.PAUSE, PAUSE)
        yield actions(f"home-{schedule.id}", button(*change, schedule.id), delete_button(schedule))
    if len(schedules) > SHOWN:
        yield context(texts_schedule.more(len(schedules) - SHOWN))
