"""Which demonstrations there are, how a task finds its own, and what happens to all other tasks."""

import re

from bot.rehearsal.demonstrations.drink import DRINK
from bot.rehearsal.demonstrations.orders import ORDERS
from bot.rehearsal.demonstrations.report import REPORT_ON_LOG
from bot.rehearsal.demonstrations.sales import SALES
from bot.rehearsal.demonstrations.slow import SLOW
from bot.rehearsal.script import Demonstration, Ending, Script, Turn, ask

DEMONSTRATIONS = (ORDERS, SALES, DRINK, REPORT_ON_LOG, SLOW)
CONNECT = (
    "To connect a real model, set `OPENAI_API_KEY` (any OpenAI-compatible server: also `OPENAI_BASE_URL` and "
    "`OPENAI_MODEL`) and start again."
)
HONEST = (
    "I am a scripted model: I play fixed demonstrations with real tools on sample files, and understand nothing else."
)


def menu() -> Script:
    """Say what this is, offer the demonstrations, and perform the chosen one."""
    titles = [demonstration.title for demonstration in DEMONSTRATIONS]
    (answer,) = yield Turn((ask(f"{HONEST} Which one shall I play?\n\n{CONNECT}", titles),))
    chosen = None if answer.failed else wanted(answer.choice(titles))
    if chosen is None:
        return Ending(f"I have no script for that, so I end here. {CONNECT}")
    return (yield from chosen.perform())


MENU = Demonstration(key="menu", title="", pattern="", perform=menu, tools=frozenset({"ask_human"}))
BY_KEY = {demonstration.key: demonstration for demonstration in (*DEMONSTRATIONS, MENU)}


def wanted(task: str) -> Demonstration | None:
    """The demonstration a task asks for, by its title or by its words; the last one named where there are several."""
    text = task.casefold()
    found = [
        (place.start(), demonstration)
        for demonstration in DEMONSTRATIONS
        for place in re.finditer(f"{re.escape(demonstration.title.casefold())}|{demonstration.pattern}", text)
    ]
    return max(found, key=lambda item: item[0])[1] if found else None
