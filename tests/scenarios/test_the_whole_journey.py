"""From a mention to a published change and an answer, as three people would see it."""

from pathlib import Path

from tests.scenarios.conftest import StageMaker, with_mount
from tests.support.model import call, calls, say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA

PLAN = calls(call("planning", command="create", title="Raise it", steps=["Look at the limit", "Change it"]))
LOOK = calls(
    call("planning", command="mark", step_index=0, step_status="in_progress"),
    call("python_execute", code="print(open('etl/limit.txt').read()); open('seen.csv', 'w').write('a,b\\n')"),
    call("planning", command="mark", step_index=0, step_status="completed"),
)
ASK = calls(call("ask_human", question="To which value?", choices=["100", "1000"]))
EDIT = calls(call("str_replace_editor", command="create", path="etl/limit.txt", file_text="1000\n"))
PUBLISH = calls(call("publish", mount="etl", message="Raise the limit."))
DONE = calls(call("planning", command="mark", step_index=1, step_status="completed"))


def ticks(message: SlackMessage) -> list[str]:
    """The status of each step of the plan that a message shows; progress is shown a moment after it was made."""
    return [str(task["status"]) for block in message.blocks if block["type"] == "plan" for task in block["tasks"]]


async def test_mention_plan_python_question_approval_by_another_and_answer(on_stage: StageMaker, etl: Path) -> None:
    """Each person sees what concerns them, and the change is applied exactly once."""
    script = (PLAN, LOOK, ASK, EDIT, PUBLISH, DONE, say("The limit is **1000** now."))
    async with on_stage(*script, settings=with_mount(etl)) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} raise the limit")

        question = await stage.button(sent, "1000")
        assert "<@U0ANA> To which value?" in question.words
        plan = await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.has_button("Stop") and ticks(m) == ["complete", "pending"], "the first tick"
        )
        thread = await stage.thread(sent)
        assert any("Look at the limit" in message.words and "python_execute" in message.words for message in thread)

        await stage.ana.click(question, "1000")
        card = await stage.button(sent, "Approve")
        assert card.words.startswith("<@U0BEN>")
        assert "+1000" in card.words
        await stage.ana.click(card, "Approve")
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.is_ephemeral and "<@U0BEN>" in m.text, "who decides", user="U0ANA"
        )
        assert (etl / "limit.txt").read_text(encoding="utf-8") == "10\n"

        await stage.ben.click(card, "Approve")
        answer = await stage.answer(sent)
        assert "The limit is **1000** now." in answer.words
        assert "7 steps" in answer.words
        assert (etl / "limit.txt").read_text(encoding="utf-8") == "1000\n"

        # Slack shows a file a moment after it was shared.
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: any(file["name"] == "seen.csv" for file in m.files), "the file"
        )
        thread = await stage.thread(sent, user="U0BEN")
        by_ts = {message.ts: message for message in thread}
        assert "*1000* · answered by <@U0ANA>" in by_ts[question.ts].words
        assert "Approved by <@U0BEN>" in by_ts[card.ts].words
        assert "Ran. Published 1 file" in by_ts[card.ts].words
        assert ticks(by_ts[plan.ts]) == ["complete", "complete"]
        assert not any(message.elements for message in thread if not message.has_button("Show output"))
