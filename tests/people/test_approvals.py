"""Approvals by several people: quorum, four eyes, escalation, allowances, edits, and requests that change."""

import json

import pytest

from bot import texts_people
from tests.people.conftest import (
    StageMaker,
    asked,
    bash_asks,
    cleo,
    click_late,
    done,
    once,
    seen,
    wait_gone,
    whispered,
)
from tests.people.deadlines import passes
from tests.support.model import call, calls, say
from tests.support.slack import SlackMessage


def approval_id(card: SlackMessage) -> str:
    """The id that the card's buttons carry."""
    element = card.element("approval_approve")
    assert element is not None
    return str(json.loads(element["value"])[2])


async def test_a_quorum_needs_different_people_and_names_them_all(on_stage: StageMaker) -> None:
    """The same person's second click is no second approval; the card counts, and then says who approved."""
    settings = bash_asks(approvers=["U0ANA", "U0BEN", "U0CLEO"], quorum=2)
    async with on_stage(*once(), settings=settings) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        await stage.ben.click(card, "Approve")
        counted = await seen(stage, sent, "Approved so far by <@U0BEN>: 1 of 2.")
        await stage.ben.click(counted, "Approve")
        await whispered(stage, "U0BEN", "approved this already")
        assert not await done(stage, sent)
        await cleo(stage).click(counted, "Approve")
        assert "Done." in (await stage.answer(sent)).words
        assert "Approved by <@U0BEN> and <@U0CLEO>" in (await seen(stage, sent, "Ran.")).words
        assert await done(stage, sent)


async def test_one_denial_ends_a_quorum(on_stage: StageMaker) -> None:
    """Whoever has approved before, one no is a no, with its reason for the model."""
    settings = bash_asks(approvers=["U0BEN", "U0CLEO"], quorum=2)
    async with on_stage(*once(answer="It was not approved, so it failed."), settings=settings) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        await stage.ben.click(card, "Approve")
        counted = await seen(stage, sent, "1 of 2")
        await cleo(stage).click(counted, "Deny")
        form = await cleo(stage).wait_view("the form for the reason")
        await cleo(stage).submit_view(form, {"text": "Not on a Friday"})
        await stage.answer(sent)
        assert "Denied by <@U0CLEO>" in (await seen(stage, sent, "Not on a Friday")).words
        assert any("Not on a Friday" in message.text for message in stage.model.requests[1].messages)
        assert not await done(stage, sent)


async def test_under_four_eyes_who_asked_cannot_approve_but_can_deny(on_stage: StageMaker) -> None:
    """Row 41 of the reports: the requester's own click on a high-risk call is refused, privately."""
    settings = bash_asks(approvers=["requester", "U0BEN"], four_eyes=True)
    async with on_stage(*once(), settings=settings) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        assert "Whoever asked for it cannot approve it." in card.words
        assert not card.has_button(texts_people.ALLOW_THREAD)
        await stage.ana.click(card, "Approve")
        await whispered(stage, "U0ANA", "somebody else has to approve")
        assert not await done(stage, sent)
        await stage.ben.click(card, "Approve")
        await stage.answer(sent)
        assert await done(stage, sent)


async def test_nobody_is_an_approver_by_being_in_the_channel(on_stage: StageMaker) -> None:
    """Row 41 of the reports: the guest and the member who are not named are refused; who is named need not be allowed
    to start runs.
    """
    settings = bash_asks(approvers=["U0CLEO"]) + '\n[access]\nmembers = false\nusers = ["U0ANA"]'
    async with on_stage(*once(), settings=settings) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        for user in ("U0GUS", "U0BEN", "U0ANA"):
            await stage.slack.person(user).click(card, "Approve")
            await whispered(stage, user, "<@U0CLEO> to decide")
        assert not await done(stage, sent)
        await cleo(stage).click(card, "Approve")
        await stage.answer(sent)


async def test_an_escalation_lets_further_people_decide(on_stage: StageMaker) -> None:
    """They are mentioned in the thread, and before that they may not."""
    settings = bash_asks(approvers=["U0BEN"], escalate_to=["@oncall"], escalate_after="1h")
    async with on_stage(*once(), settings=settings) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        await cleo(stage).click(card, "Approve")
        await whispered(stage, "U0CLEO", "<@U0BEN> to decide")
        await passes(stage, sent, "escalation", approval_id(card))
        await seen(stage, sent, "<!subteam^S0ONCALL> Nobody has decided")
        await cleo(stage).click(card, "Approve")
        await stage.answer(sent)
        assert await done(stage, sent)


async def test_an_allowance_spares_cards_in_this_thread_until_it_is_revoked(on_stage: StageMaker) -> None:
    """The second call runs without a card; after the revocation the third asks again."""
    turns = (
        calls(call("bash", command="echo 1 > 1.txt")),
        calls(call("bash", command="echo 2 > 2.txt")),
        say("Two."),
        calls(call("bash", command="echo 3 > 3.txt")),
    )
    async with on_stage(*turns, settings=bash_asks()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, texts_people.ALLOW_THREAD)
        await stage.ana.click(card, texts_people.ALLOW_THREAD)
        await stage.answer(sent)
        assert await done(stage, sent, "2.txt")
        listed = await seen(stage, sent, "allowed `bash` in this thread")
        assert "Used 1 time." in (await seen(stage, sent, "Used 1 time.")).words
        await stage.ben.click(listed, texts_people.REVOKE)
        await seen(stage, sent, "<@U0BEN> revoked it")
        await stage.ana.send(sent.channel, "and the third", sent.ts)
        again = await stage.slack.wait_message(
            sent.channel, sent.ts, lambda m: m.has_button("Approve") and m.ts != card.ts, "another card"
        )
        assert not await done(stage, sent, "3.txt")
        await click_late(stage, listed, texts_people.REVOKE, "U0ANA")
        await whispered(stage, "U0ANA", "This allowance has ended already")
        await stage.ana.click(again, "Deny")


async def test_an_edited_call_is_asked_for_anew_and_runs_as_it_was_edited(on_stage: StageMaker) -> None:
    """The form checks what is entered; the old card is void, and the new one shows exactly what will run."""
    async with on_stage(*once("echo old > old.txt"), settings=bash_asks(approvers=["U0BEN"])) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        await stage.ben.click(card, texts_people.EDIT)
        form = await stage.ben.wait_view("the form with the arguments")
        refused = await stage.ben.submit_view(form, {"arg-command": ""})
        assert "arg-command" in refused["errors"]
        await stage.ben.submit_view(form, {"arg-command": "echo new > new.txt"})
        await seen(stage, sent, "<@U0BEN> edited the arguments. It did not run as shown")
        again = await seen(stage, sent, "Asked again: <@U0BEN> edited the arguments")
        assert "echo new &gt; new.txt" in again.words
        assert not await done(stage, sent, "new.txt")
        await click_late(stage, card, "Approve", "U0BEN")
        await whispered(stage, "U0BEN", "no longer open")
        await stage.ben.click(again, "Approve")
        await stage.answer(sent)
        assert await done(stage, sent, "new.txt")
        assert not await done(stage, sent, "old.txt")
        assert "a person changed the arguments before this ran" in stage.model.requests[-1].messages[-1].text


async def test_only_who_may_decide_may_edit(on_stage: StageMaker) -> None:
    """Anybody else is told so and shown no form; and a call that holds a secret has none for anybody."""
    secret = "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzEXAMPLEKEY"
    async with on_stage(*once(secret)[:1], settings=bash_asks(approvers=["U0BEN"])) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        assert "wJalrXUtnFEMI" not in card.words
        await stage.ana.click(card, texts_people.EDIT)
        await whispered(stage, "U0ANA", "<@U0BEN> to decide")
        assert not await stage.ana.views()
        await stage.ben.click(card, texts_people.EDIT)
        form = await stage.ben.wait_view("why there is no form")
        assert texts_people.NOT_SHOWN_IN_FORM in form.words
        assert "wJalrXUtnFEMI" not in str(form.raw)
        assert (await stage.button(sent, "Approve")).ts == card.ts


@pytest.mark.parametrize("how", ["changed", "deleted"])
async def test_a_request_that_changes_voids_its_open_approval_and_is_asked_for_again(
    on_stage: StageMaker, how: str
) -> None:
    """The old card says why and does nothing; the new one names what happened; the model learns of it."""
    async with on_stage(*once(), settings=bash_asks(approvers=["U0BEN"])) as stage:
        sent = await asked(stage, "clean up build")
        card = await stage.button(sent, "Approve")
        if how == "changed":
            await stage.ana.edit(sent, "<@U0HANDRAIL> clean up nothing but logs")
        else:
            await stage.ana.delete(sent)
        old = await wait_gone(stage, card, "Approve")
        assert f"<@U0ANA> {how} the request" in old.words
        again = await seen(stage, sent, f"Asked again: <@U0ANA> {how} the request")
        await click_late(stage, card, "Approve", "U0BEN")
        await whispered(stage, "U0BEN", "no longer open")
        assert not await done(stage, sent)
        await stage.ben.click(again, "Approve")
        await stage.answer(sent)
        heard = stage.model.requests[-1].messages[-1].text
        assert ("clean up nothing but logs" if how == "changed" else "deleted an earlier message") in heard
