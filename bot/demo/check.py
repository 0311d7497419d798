"""One whole journey, driven headless over the wire as people would drive it: `python -m bot demo --check`."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from time import monotonic

from pydantic import BaseModel, ConfigDict

from bot.demo.page import Button, Object, PageError, Person, ask_page, ask_test, button_in, tell_page, tell_test, words
from bot.demo.parts import Demo
from bot.demo.scene import ANA, BEN, BOT_USER, CHANNEL

TASK = f"<@{BOT_USER}> Why did last night's import drop rows?"
SOON = 60.0
"""Seconds for what needs no work of a tool."""
PATIENT = 90.0
"""Seconds for what may start the sandbox and draw a chart on a small machine."""


class Step(BaseModel):
    """One thing that had to happen."""

    model_config = ConfigDict(frozen=True)

    name: str
    ok: bool
    seconds: float
    problem: str = ""


class Report(BaseModel):
    """What the check prints."""

    model_config = ConfigDict(frozen=True)

    verdict: str
    seconds: float
    counts: dict[str, int]
    steps: tuple[Step, ...]
    answer: str

    @property
    def passed(self) -> bool:
        """True when every step was as it had to be."""
        return self.verdict == "pass"


class Miss(Exception):
    """Something was there and was wrong; the report says what."""


@dataclass(slots=True, kw_only=True)
class Journey:
    """The journey so far."""

    demo: Demo
    ana: Person
    ben: Person
    started: float = field(default_factory=monotonic)
    thread: str = ""
    answer: str = ""
    steps: list[Step] = field(default_factory=list[Step])
    kills: int = 0

    @asynccontextmanager
    async def step(self, name: str) -> AsyncGenerator[None, None]:
        """Note how a step went; a step that fails ends the journey."""
        begun = monotonic()
        try:
            yield
        except (Miss, PageError) as problem:
            self.note(name, begun, str(problem))
            raise
        self.note(name, begun)

    def note(self, name: str, begun: float, problem: str = "") -> None:
        """Add a step to the report."""
        seconds = round(monotonic() - begun, 2)
        self.steps.append(Step(name=name, ok=not problem, seconds=seconds, problem=problem))

    @property
    def published(self) -> Path:
        """The file that the approval is about, in the sample directory itself."""
        return self.demo.world.etl / "import_orders.py"


async def check(demo: Demo) -> Report:
    """Drive the journey and say how it went."""
    ana, ben = (Person(page=demo.page, user=user, channel=CHANNEL) for user in (ANA, BEN))
    journey = Journey(demo=demo, ana=ana, ben=ben)
    with suppress(Miss, PageError):
        await drive(journey)
    counts = await count(journey)
    return Report(
        verdict="pass" if journey.steps and all(step.ok for step in journey.steps) else "fail",
        seconds=round(monotonic() - journey.started, 1),
        counts=counts,
        steps=tuple(journey.steps),
        answer=journey.answer,
    )


async def drive(journey: Journey) -> None:
    """Every step in its order.

    Raises:
        Miss: something was wrong.
        PageError: something did not come.
    """
    ana, ben = journey.ana, journey.ben
    # A busy machine is no failure; what Slack does after its three seconds is not the matter here.
    await tell_test(journey.demo.page, "settings", ack_seconds=PATIENT)
    before = journey.published.read_bytes()
    async with journey.step("a mention is answered with a plan"):
        journey.thread = await ana.say(TASK)
        await see(ana, journey, "the plan", "Read the import log", SOON)
    async with journey.step("a question with buttons comes"):
        nightly = await wait_for_button(ana, journey, "question_", "Nightly")
    async with journey.step("killed while the question is open, the bot comes back"):
        await kill_and_start(journey)
    async with journey.step("the answer is taken by a click"):
        await ana.click(nightly)
        await see(ana, journey, "the answered question", "answered by", PATIENT)
    async with journey.step("an approval card with the difference comes"):
        card = await wait_for_button(ana, journey, "approval_approve", "Approve")
        await see(ana, journey, "the difference", "DATE_FORMATS", SOON)
        must(journey.published.read_bytes() == before, "the original changed before anybody approved")
    async with journey.step("killed while the approval is open, the bot comes back"):
        await kill_and_start(journey)
    async with journey.step("who may not decide is told so privately"):
        await refused(journey, card)
        must(journey.published.read_bytes() == before, "a click of the wrong person published")
    async with journey.step("who may decide approves, and the files are published"):
        await asyncio.gather(ben.click(card), ben.click(card))
        await until(lambda: journey.published.read_bytes() != before, "the published file", PATIENT)
        written = journey.published.stat()
    async with journey.step("the answer comes with its file and footer"):
        journey.answer = await see(ana, journey, "the answer", "312 rows dropped", PATIENT)
        must("8 of 8 tests pass" in journey.answer, "the answer does not say that 8 of 8 tests pass")
        await see(ana, journey, "the footer", "tokens", SOON)
        await ana.find("the chart", journey.thread, chart_in, seconds=SOON)
    async with journey.step("nothing happens twice"):
        await no_second_effect(journey, written)


def must(holds: bool, otherwise: str) -> None:
    """Check a fact.

    Raises:
        Miss: it does not hold.
    """
    if not holds:
        raise Miss(otherwise)


async def until(holds: Callable[[], bool | Awaitable[bool]], what: str, seconds: float) -> None:
    """Wait for a fact outside of the page.

    Raises:
        PageError: it does not come true.
    """
    try:
        async with asyncio.timeout(seconds):
            while True:
                found = holds()
                if await found if isawaitable(found) else found:
                    return
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise PageError(f"{what} did not come within {seconds:g} s") from None


async def see(person: Person, journey: Journey, what: str, text: str, seconds: float) -> str:
    """Wait until a message of the bot in the thread holds the text; returns all words of that message."""

    def look(messages: list[Object]) -> str | None:
        return next((words(message) for message in of_bot(messages) if text in words(message)), None)

    return await person.find(what, journey.thread, look, seconds=seconds)


async def wait_for_button(person: Person, journey: Journey, action_id: str, label: str) -> Button:
    """Wait until a button can be clicked."""
    return await person.find(
        f"the button {label}",
        journey.thread,
        lambda messages: button_in(messages, action_id, label),
        seconds=PATIENT,
    )


async def kill_and_start(journey: Journey) -> None:
    """`kill -9` the bot by the page's switch, see it offline, start it, see it online."""
    page = journey.demo.page

    async def is_online() -> bool:
        return bool((await ask_page(page, "state", user=ANA))["bot"]["online"])

    async def is_offline() -> bool:
        return not await is_online()

    await tell_page(page, "bot", command="kill")
    await until(is_offline, "the bot's end", SOON)
    await tell_page(page, "bot", command="start")
    await until(is_online, "the bot's return", PATIENT)
    journey.kills += 1


async def refused(journey: Journey, card: Button) -> None:
    """Ana clicks what only Ben may decide, and alone sees why not."""
    await journey.ana.click(card)
    await journey.ana.find("the private refusal", journey.thread, private_words, seconds=SOON)
    others = private_words(await journey.ben.thread(journey.thread))
    must(others is None, f"the private refusal was shown to everybody: {others}")


def private_words(messages: Iterable[Object]) -> str | None:
    """The newest message that only one person sees."""
    found = [words(message) for message in messages if message.get("ephemeral")]
    return found[-1] if found else None


def of_bot(messages: Iterable[Object]) -> list[Object]:
    """What the bot said."""
    return [message for message in messages if message.get("user") == BOT_USER or message.get("bot_id")]


def chart_in(messages: Iterable[Object]) -> str | None:
    """The name of a picture in the thread."""
    names = [str(file.get("name")) for message in messages for file in message.get("files", [])]
    return next((name for name in names if name.endswith(".png")), None)


async def no_second_effect(journey: Journey, written: os.stat_result) -> None:
    """The second of two clicks changed nothing, and no message stands in the thread twice."""
    await ask_test(journey.demo.page, "wait_idle", ms="1000")
    now = journey.published.stat()
    same = (written.st_mtime_ns, written.st_ino, written.st_size) == (now.st_mtime_ns, now.st_ino, now.st_size)
    must(same, "the file was written again by a second click")
    said = Counter(words(message) for message in of_bot(await journey.ana.thread(journey.thread)))
    twice = [text[:120] for text, number in said.items() if number > 1 and text.strip()]
    must(not twice, f"said twice: {twice}")


async def count(journey: Journey) -> dict[str, int]:
    """Numbers of the journey, from the local Slack's record and the files."""
    calls = (await ask_test(journey.demo.page, "calls"))["calls"]
    messages = await journey.ana.thread(journey.thread) if journey.thread else []
    return {
        "bot_messages": len(of_bot(messages)),
        "files": sum(len(message.get("files", [])) for message in messages),
        "kills": journey.kills,
        "published_files": sum("DATE_FORMATS" in path.read_text() for path in (journey.published,)),
        "slack_calls": len(calls),
        "slack_errors": sum(not call["ok"] for call in calls),
        "steps_passed": sum(step.ok for step in journey.steps),
        "steps": len(journey.steps),
    }
