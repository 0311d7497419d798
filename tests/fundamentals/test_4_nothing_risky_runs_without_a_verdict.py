"""The user's own files: the agent edits a copy and proposes the difference; a person decides on exactly that."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fundamentals.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.stage import BOT, DATA, passable_folder

EDIT = calls(call("str_replace_editor", command="create", path="etl/limit.txt", file_text="100\n"))
PUBLISH = calls(call("publish", mount="etl", message="Raise the limit."))


@pytest.fixture
async def etl() -> AsyncIterator[Path]:
    """A directory of the host that the operator shares."""
    async with passable_folder() as folder:
        (folder / "limit.txt").write_text("10\n", encoding="utf-8")
        yield folder


def settings_for(etl: Path) -> str:
    """The directory as a mount, and Ben as the one who decides."""
    return f"""
        [[workspace.mounts]]
        name = "etl"
        path = "{etl}"
        [[policy.rules]]
        tool = "publish"
        verdict = "ask"
        approvers = ["U0BEN"]
    """


async def test_the_card_shows_the_difference_and_only_the_approver_counts(on_stage: StageMaker, etl: Path) -> None:
    """Ana is told privately who decides; Ben's click applies what the card shows, once."""
    async with on_stage(EDIT, PUBLISH, say("Raised."), settings=settings_for(etl)) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} raise the limit")
        card = await stage.button(sent, "Approve")
        assert "-10" in card.words
        assert "+100" in card.words
        assert (etl / "limit.txt").read_text(encoding="utf-8") == "10\n"
        await stage.ana.click(card, "Approve")
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.is_ephemeral and "<@U0BEN>" in m.text, "who decides", user="U0ANA"
        )
        await stage.ben.click(card, "Approve")
        await stage.answer(sent)
        assert (etl / "limit.txt").read_text(encoding="utf-8") == "100\n"
        frozen = next(message for message in await stage.thread(sent) if message.ts == card.ts)
        assert "Approved by <@U0BEN>" in frozen.words


async def test_a_no_with_its_reason_reaches_the_model(on_stage: StageMaker, etl: Path) -> None:
    """Nothing changes on the host, and the agent can say why."""
    async with on_stage(EDIT, PUBLISH, say("Not raised."), settings=settings_for(etl)) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} raise the limit")
        card = await stage.button(sent, "Approve")
        await stage.ben.click(card, "Deny")
        form = await stage.ben.wait_view("the form of a no")
        await stage.ben.submit_view(form, {"text": "Not before the audit"})
        await stage.answer(sent)
        assert "Not before the audit" in str(stage.model.bodies[-1]["messages"])
        assert (etl / "limit.txt").read_text(encoding="utf-8") == "10\n"
