"""Approvers outside the channel: the card in a direct message, with buttons that count only for them."""

from bot import texts, texts_people
from tests.people.conftest import StageMaker, asked, bash_asks, cleo, click_late, done, once, seen
from tests.people.deadlines import passes
from tests.people.test_approvals import approval_id
from tests.support.slack import SlackMessage
from tests.support.stage import Stage

OUTSIDERS = bash_asks(approvers=["U0BEN", "U0CLEO"])


async def told(stage: Stage, words: str) -> SlackMessage:
    """A direct message of the bot to Ben."""
    return await stage.slack.wait_message(
        "D0BEN", None, lambda m: words in m.words or words in m.text, words, user="U0BEN"
    )


async def test_an_approver_outside_the_channel_gets_the_card_and_a_link_until_it_is_decided(
    on_stage: StageMaker,
) -> None:
    """Once, with the exact call and a link; when another decides it says so; a late click is answered directly."""
    async with on_stage(*once(), settings=OUTSIDERS) as stage:
        await stage.slack.set_member("C0DATA", "U0BEN", member=False)
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        direct = await told(stage, "needs a decision you may make")
        link = next(e["url"] for e in direct.elements if e["action_id"] == "open_card")
        assert card.ts.replace(".", "") in link
        assert "echo done &gt; done.txt" in direct.words
        assert texts_people.DECIDE_HERE in direct.words
        await passes(stage, sent, "reminder", approval_id(card))
        await told(stage, "A decision is still open")
        await cleo(stage).click(card, "Approve")
        await stage.answer(sent)
        assert not (await told(stage, "Nothing to do any more")).has_button("Approve")
        await click_late(stage, direct, "Approve", "U0BEN", thread_ts=direct.ts)
        await told(stage, "already decided by <@U0CLEO>")
        assert [m for m in await stage.slack.messages("D0CLEO", user="U0CLEO") if "decision" in m.words] == []


async def test_an_approver_decides_in_the_direct_message(on_stage: StageMaker) -> None:
    """Edit and Approve work there, though the channel cannot be opened; the thread says who it was."""
    async with on_stage(*once(), settings=OUTSIDERS) as stage:
        await stage.slack.set_member("C0DATA", "U0BEN", member=False)
        sent = await asked(stage)
        direct = await told(stage, "needs a decision you may make")
        await stage.ben.click(direct, texts_people.EDIT)
        form = await stage.ben.wait_view("the form")
        await stage.ben.submit_view(form, {"arg-command": "echo other > other.txt"})
        again = await told(stage, "This is the edited call.")
        assert again.ts != direct.ts
        await stage.ben.click(again, "Approve")
        await stage.answer(sent)
        assert "Approved by <@U0BEN>" in (await seen(stage, sent, "Ran.")).words
        assert await done(stage, sent, "other.txt")


async def test_a_denial_in_the_direct_message_has_its_reason(on_stage: StageMaker) -> None:
    """The same form as in the thread."""
    async with on_stage(*once(answer="It was not approved and failed."), settings=OUTSIDERS) as stage:
        await stage.slack.set_member("C0DATA", "U0BEN", member=False)
        sent = await asked(stage)
        await stage.ben.click(await told(stage, "needs a decision you may make"), "Deny")
        await stage.ben.submit_view(await stage.ben.wait_view("the form"), {"text": "Not on a Friday"})
        await stage.answer(sent)
        assert "Denied by <@U0BEN>" in (await seen(stage, sent, "Not on a Friday")).words


async def test_a_button_of_a_direct_message_counts_for_nobody_else_and_nowhere_else(on_stage: StageMaker) -> None:
    """Not for another person who may decide, and not in a channel where it was copied to."""
    async with on_stage(*once()[:1], settings=OUTSIDERS) as stage:
        await stage.slack.set_member("C0DATA", "U0BEN", member=False)
        sent = await asked(stage)
        await stage.button(sent, "Approve")
        direct = await told(stage, "needs a decision you may make")
        await click_late(stage, direct, "Approve", "U0CLEO", thread_ts=direct.ts, channel_id="D0CLEO")
        await stage.slack.wait_message(
            "D0CLEO", None, lambda m: texts.FOREIGN_CARD in m.text, "a notice", user="U0CLEO"
        )
        await click_late(stage, direct, "Approve", "U0BEN", thread_ts=sent.ts, channel_id="C0DATA")
        await stage.slack.wait_idle()
        assert (await stage.button(sent, "Approve")).has_button("Deny")
        assert not await done(stage, sent)
