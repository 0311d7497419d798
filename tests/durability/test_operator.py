"""The operator's commands, on a bot at work: what they print, and a kill switch that is obeyed at once."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bot import texts
from bot.commands.forget import forget
from bot.commands.sessions import sessions, show
from bot.commands.start import Start, StartProblem
from bot.commands.switch import pause, resume
from runtime.environment import load_environment
from runtime.session.writer import load_state
from runtime.settings_file import load_settings
from tests.durability.conftest import MakeJourney
from tests.durability.journey import CHANNEL, Journey
from tests.waiting import wait_until

Body = Callable[[Start], Awaitable[int]]
Command = Callable[[Journey, Body], Awaitable[str]]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command's body as `python -m bot` does, with a journey's settings; returns what it prints."""

    async def run(journey: Journey, body: Body) -> str:
        environment = load_environment(journey.plan().environment)
        settings = load_settings(environment.config, directory=journey.folder)
        await body(Start(environment=environment, settings=settings, variables={}))
        return capsys.readouterr().out

    return run


async def until_waiting(journey: Journey) -> None:
    """Wait until the run waits for an answer."""

    async def waits() -> bool:
        state = await load_state(journey.store, journey.sid)
        return state.run is not None and bool(state.run.open_question) and await journey.store.is_idle(journey.sid)

    await wait_until("the run waits for an answer", waits, within=90)


@pytest.mark.timeout(400)
async def test_sessions_are_listed_shown_and_forgotten(new_journey: MakeJourney, command: Command) -> None:
    """Each command says what it did in words, and what was forgotten is gone."""
    journey = new_journey("listed")
    await journey.start()
    await journey.begin()
    await until_waiting(journey)
    assert f"{journey.sid}" in await command(journey, lambda start: sessions(start, "waiting", 50))
    assert "0 sessions failed" in await command(journey, lambda start: sessions(start, "failed", 50))
    shown = await command(journey, lambda start: show(start, journey.sid, 30, as_json=False))
    assert "waits for an answer of U0ANA" in shown
    assert "question_asked" in shown
    lines = (await command(journey, lambda start: show(start, journey.sid, 0, as_json=True))).splitlines()
    assert [json.loads(line)["event"]["kind"] for line in lines] == await journey.kinds()
    assert "would delete" in await command(journey, lambda start: forget(start, "", "U0ANA", really=False))
    assert await journey.store.exists(journey.sid)
    assert "deleted" in await command(journey, lambda start: forget(start, journey.sid, "", really=True))
    assert not await journey.store.exists(journey.sid)
    assert not list((journey.folder / "data" / "workspaces").iterdir())
    with pytest.raises(StartProblem, match="There is no session"):
        await command(journey, lambda start: show(start, journey.sid, 0, as_json=False))


@pytest.mark.timeout(400)
async def test_what_is_paused_stands_still_and_goes_on_when_resumed(new_journey: MakeJourney, command: Command) -> None:
    """A click is kept and its person is told; another channel is not concerned; nothing is lost."""
    journey = new_journey("paused")
    await journey.start()
    await journey.begin()
    await until_waiting(journey)
    assert "paused: channel C0GENERAL" in await command(journey, lambda start: pause(start, "C0GENERAL", ""))
    assert "paused: everything" in await command(journey, lambda start: pause(start, "*", "looking into it"))
    before = await journey.kinds()
    card = await journey.slack.wait_message(CHANNEL, journey.thread, lambda m: m.has_button("Summer"), "the question")
    await journey.ana.click(card, "Summer")
    await journey.slack.wait_message(
        CHANNEL, journey.thread, lambda m: m.text == texts.PAUSED, "a word about the pause", user="U0ANA"
    )
    assert await journey.kinds() == before
    assert "looking into it" in await command(journey, lambda start: sessions(start, "", 50))
    resumed = await command(journey, lambda start: resume(start, "*"))
    assert ("resumed: everything" in resumed, "still paused: channel C0GENERAL" in resumed) == (True, True)
    await journey.until_done()
    await journey.check()
    await command(journey, lambda start: resume(start, "C0GENERAL"))


@pytest.mark.timeout(400)
async def test_every_log_line_says_for_which_session_and_run(new_journey: MakeJourney) -> None:
    """Logs are JSON objects; what concerns a run carries its id."""
    journey = new_journey("logged")
    bot = await journey.start()
    await journey.slack.fault("chat.update", "http_500", times=2)
    await journey.begin()
    await journey.until_done()
    lines = [json.loads(line) for line in Path(bot.plan.folder, "log").read_text().splitlines() if line.startswith("{")]
    about = [line for line in lines if "delivery of" in line["message"]]
    assert about
    assert {(line["session"], line["run"]) for line in about} == {(journey.sid, "r1")}
