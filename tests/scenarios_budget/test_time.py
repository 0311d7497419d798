"""What takes too long is really ended, says which setting bounds it, and leaves nothing running."""

from datetime import timedelta

from runtime.session.writer import load_state
from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import call, calls, fail, hang, say
from tests.support.redis import MoveClock
from tests.support.stage import BOT, DATA
from tests.waiting import wait_until

ONCE = "[model]\ntries = 1\n"
OPERATORS = f'{ONCE}[slack]\noperators_channel = "{DATA}"\n'
A_WHILE = timedelta(minutes=1)
THREADS = 3
"""Slack takes a message a second in a channel."""
LONG = 60.0
MANY = 100


async def test_an_outage_is_one_message_a_thread_and_one_alert(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """All threads wait and go on by themselves; the operators hear once of it and once of its end."""
    async with on_stage(*[fail(503)] * MANY, settings=OPERATORS) as stage:
        people = (stage.ana, stage.ben)
        threads = [await people[number % 2].send(DATA, f"{BOT} {number}") for number in range(THREADS)]
        for sent in threads:
            await stage.slack.wait_message(
                DATA, sent.ts, lambda m: "try again by myself" in m.words, "the message", within=LONG
            )
        await move_clock(A_WHILE)

        async def waits_again() -> bool:
            runs = [(await load_state(stage.core.store, f"T0LOCAL:{DATA}:{sent.ts}")).run for sent in threads]
            return all(run and run.away and run.away.is_waiting and run.away.away.tries >= 2 for run in runs)

        await wait_until("all wait again", waits_again, within=LONG)
        stage.model.turns[:] = [say("Here again.")] * THREADS
        await move_clock(A_WHILE)
        for sent in threads:
            assert "Here again." in (await stage.answer(sent, within=LONG)).words
            about = [m.words for m in await stage.thread(sent) if "model" in m.words and "service" in m.words]
            assert len(about) == 1
            assert "It is back" in about[0]
        alerts = [m.words for m in await stage.slack.messages(DATA, None) if "Threads wait" in m.words]
        assert len(alerts) == 1
        await stage.slack.wait_message(DATA, None, lambda m: "answers again" in m.words, "the word of its end")
        back = [m.words for m in await stage.slack.messages(DATA, None) if "answers again" in m.words]
        assert len(back) == 1


async def test_an_outage_that_lasts_ends_the_run(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """After `timeouts.outage` the run says that it gave up, and that a reply goes on."""
    async with on_stage(*[fail(503)] * MANY, settings=f'{ONCE}[timeouts]\noutage = "50s"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "try again by myself" in m.words, "the message")
        await move_clock(A_WHILE)
        assert "reply here to continue" in (await stage.answer(sent)).words
        stage.model.turns.clear()


async def test_a_silent_model_is_given_up_and_named(on_stage: StageMaker) -> None:
    """The message says which setting bounds the silence, and the request is cancelled."""
    async with on_stage(hang(), settings='[timeouts]\nmodel_silence = "200ms"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "timeouts.model_silence" in m.words, "the message")
        await wait_until("its connection is closed", lambda: stage.model.given_up)


async def test_a_model_that_takes_too_long_in_all_is_named(on_stage: StageMaker) -> None:
    """One request is bounded in all, and cancelled then."""
    async with on_stage(hang(), settings='[timeouts]\nmodel = "200ms"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "timeouts.model)" in m.words, "the message")
        await wait_until("its connection is closed", lambda: stage.model.given_up)


async def test_a_hung_tool_is_ended_and_the_model_told(on_stage: StageMaker) -> None:
    """The process is gone (the suite would find it), and the run goes on with what came of it."""
    give_up = call("terminate", status="failure", answer="It hung.")
    script = [calls(call("bash", command="sleep 600")), calls(give_up)]
    async with on_stage(*script, settings='[timeouts]\ntool = "500ms"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        assert "It hung." in (await stage.answer(sent)).words
        told = str(stage.model.bodies[1]["messages"])
        assert "0.5 s" in told
        assert "timeouts.tool" in told


async def test_a_step_is_bounded_whatever_is_in_it(on_stage: StageMaker) -> None:
    """The step's processes are gone, and the last word names the setting."""
    script = [calls(call("bash", command="sleep 600"))]
    async with on_stage(*script, settings='[timeouts]\nstep = "1s"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        assert "timeouts.step" in (await stage.answer(sent)).words


async def test_working_time_is_bounded_and_can_be_added_to(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """In the middle of a request: the request is cancelled, a card asks, and with more time it is made again."""
    # With a lease that outlives the moved clock: time in which the run was nobody's would be no working time.
    async with on_stage(hang(), settings='[engine]\npark_after = "30d"\nlease = "2h"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        await stage.model.wait_for_requests(1)
        await move_clock(stage.core.start.settings.budget.run.wall)
        card = await stage.button(sent, "Add 30m 00s")
        assert "limit of 30m 00s of working time" in card.words
        await wait_until("the request is cancelled", lambda: stage.model.given_up)
        stage.model.add(say("In time."))
        await stage.ana.click(card, "Add 30m 00s")
        assert "In time." in (await stage.answer(sent)).words


async def test_a_run_out_of_working_time_is_ended_with_what_it_has(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """Nobody adds time: the last word names the limit, what was done and what was not."""
    plan = calls(call("planning", command="create", title="Two things", steps=["Look", "Tell"]))
    async with on_stage(plan, hang(), settings='[engine]\npark_after = "30d"\nlease = "2h"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look and tell")
        await stage.model.wait_for_requests(2)
        await move_clock(stage.core.start.settings.budget.run.wall)
        await stage.ana.click(await stage.button(sent, "End here"), "End here")
        answer = await stage.answer(sent)
        assert "limit of 30m 00s of working time" in answer.words
        assert "Not done: Look; Tell" in answer.words


async def test_a_thread_that_was_silent_for_long_is_parked(on_stage: StageMaker, move_clock: MoveClock) -> None:
    """A reply there needs a mention again, and is told so privately; a mention goes on as ever."""
    async with on_stage(say("One."), settings='[engine]\npark_after = "30d"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        await stage.answer(sent)
        await move_clock(stage.core.start.settings.timeouts.idle)
        session = f"T0LOCAL:{DATA}:{sent.ts}"

        async def is_parked() -> bool:
            return (await stage.core.store.row(session, 0)).status == "parked"

        await wait_until("the thread is parked", is_parked)
        await stage.ana.send(DATA, "and now?", sent.ts)
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: "timeouts.idle" in m.words, "the private notice", user="U0ANA"
        )
        stage.model.add(say("Two."))
        await stage.ana.send(DATA, f"{BOT} and now?", sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "Two." in m.words, "the second answer")
