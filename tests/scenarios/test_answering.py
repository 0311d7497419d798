"""Ways to answer a question and to decide, and what those are told who come late or may not."""

from datetime import timedelta

from tests.scenarios.conftest import BEN_DECIDES, StageMaker, click_late, whispered_text
from tests.support.model import call, calls, say
from tests.support.redis import advance
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, Stage

ASK = calls(call("ask_human", question="Which import?", choices=["nightly", "hourly"]))
RISKY = calls(call("bash", command="echo ran >> log.txt"))


async def whispered(stage: Stage, sent: SlackMessage, user: str, words: str) -> SlackMessage:
    """What somebody is told privately in the thread."""
    return await stage.slack.wait_message(
        DATA, sent.ts, lambda m: m.is_ephemeral and words in m.text, f"a notice with {words!r}", user=user
    )


async def runs_of(stage: Stage, sent: SlackMessage) -> int:
    """How often the risky call has had its effect."""
    log = (await stage.workspace(sent)).root / "log.txt"
    return log.read_text(encoding="utf-8").count("ran") if log.exists() else 0


async def test_a_typed_reply_answers(on_stage: StageMaker) -> None:
    """Without a click and without a mention."""
    async with on_stage(ASK, say("Noted.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look into it")
        card = await stage.button(sent, "nightly")
        await stage.ana.send(DATA, "the weekly one", sent.ts)
        await stage.answer(sent)
        assert "the weekly one" in str(stage.model.requests[1].messages[-1])
        frozen = next(message for message in await stage.thread(sent) if message.ts == card.ts)
        assert "*the weekly one* · answered by <@U0ANA>" in frozen.words


async def test_another_answer_is_written_in_a_form(on_stage: StageMaker) -> None:
    """`Other…` opens it; what is sent is the answer."""
    async with on_stage(ASK, say("Noted.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look into it")
        await stage.ben.click(await stage.button(sent, "Other…"), "Other…")
        form = await stage.ben.wait_view("the form of an answer")
        assert (await stage.ben.submit_view(form, {"text": "both of them"}))["closed"]
        await stage.answer(sent)
        assert "both of them" in str(stage.model.requests[1].messages[-1])


async def test_a_menu_offers_what_does_not_fit_on_buttons(on_stage: StageMaker) -> None:
    """More than five choices."""
    choices = [f"choice {number}" for number in range(8)]
    async with on_stage(calls(call("ask_human", question="Which?", choices=[*choices])), say("Noted.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look into it")
        card = await stage.button(sent, "question_pick")
        menu = card.element("question_pick")
        assert menu is not None
        await stage.ana.click(card, "question_pick", selected_option=menu["options"][6])
        await stage.answer(sent)
        assert "choice 6" in str(stage.model.requests[1].messages[-1])


async def test_the_first_answer_wins_and_the_second_person_is_told(on_stage: StageMaker) -> None:
    """By whom, and what they said."""
    async with on_stage(ASK, say("Noted.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look into it")
        card = await stage.button(sent, "nightly")
        await stage.ana.click(card, "nightly")
        await stage.ben.click(card, "hourly")
        await whispered(stage, sent, "U0BEN", "<@U0ANA> answered: nightly")
        await stage.answer(sent)


async def test_a_typed_yes_approves_nothing(on_stage: StageMaker) -> None:
    """Whoever types it is pointed to the buttons; the click then counts."""
    async with on_stage(RISKY, say("Done."), settings=BEN_DECIDES) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Approve")
        await stage.ben.send(DATA, "yes", sent.ts)
        await whispered(stage, sent, "U0BEN", "use the buttons")
        assert await runs_of(stage, sent) == 0
        await stage.ben.click(card, "Approve")
        await stage.answer(sent)
        assert await runs_of(stage, sent) == 1


async def test_a_click_after_the_verdict_is_told_who_decided(on_stage: StageMaker) -> None:
    """Clicks of two people at once: one counts, and the call runs once."""
    settings = BEN_DECIDES.replace('"U0BEN"', '"U0BEN", "U0CLEO"')
    async with on_stage(RISKY, say("Done."), settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Approve")
        await stage.ben.click(card, "Approve")
        await stage.slack.person("U0CLEO").click(card, "Approve")
        await whispered(stage, sent, "U0CLEO", "already decided by <@U0BEN>: approved")
        await stage.answer(sent)
        assert await runs_of(stage, sent) == 1


async def test_a_group_may_decide(on_stage: StageMaker) -> None:
    """Members of the user group are asked of Slack when somebody clicks."""
    settings = BEN_DECIDES.replace("U0BEN", "@oncall")
    async with on_stage(RISKY, say("Done."), settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Approve")
        await stage.ana.click(card, "Approve")
        await whispered(stage, sent, "U0ANA", "@oncall")
        await stage.slack.person("U0CLEO").click(card, "Approve")
        await stage.answer(sent)
        assert await runs_of(stage, sent) == 1


async def test_an_approval_that_nobody_decides_is_a_no(on_stage: StageMaker) -> None:
    """After its time the card says so, the call does not run, and the model learns it."""
    async with on_stage(RISKY, say("Not done."), settings=BEN_DECIDES) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Approve")
        await advance(stage.core.store.keys, stage.core.store, timedelta(hours=25))
        await stage.answer(sent)
        frozen = next(message for message in await stage.thread(sent) if message.ts == card.ts)
        assert "Nobody decided in time (timeouts.approval), so it did not run" in frozen.words
        assert "Not approved (expired)" in str(stage.model.requests[1].messages[-1])
        assert await runs_of(stage, sent) == 0


async def test_who_is_waited_for_is_reminded_once(on_stage: StageMaker) -> None:
    """With a mention, in the thread."""
    async with on_stage(ASK, say("Noted.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look into it")
        card = await stage.button(sent, "nightly")
        await advance(stage.core.store.keys, stage.core.store, timedelta(minutes=31))
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "still waiting" in m.words, "the reminder")
        await stage.ana.click(card, "nightly")
        await stage.answer(sent)
        thread = await stage.thread(sent)
        assert [m.words for m in thread].count("<@U0ANA> I'm still waiting for an answer above.") == 1


async def test_a_card_copied_into_another_thread_does_nothing(on_stage: StageMaker) -> None:
    """A button acts only in the thread it belongs to; the person is told."""
    async with on_stage(RISKY, say("Done."), settings=BEN_DECIDES) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Approve")
        await click_late(stage, card, "Approve", "U0BEN", thread_ts="1.000001")
        told = await whispered_text(stage)
        assert "belongs to another thread" in told
        assert await runs_of(stage, sent) == 0
        await stage.ben.click(card, "Approve")
        await stage.answer(sent)
