"""A plan is a value that the model replaces; the thread shows the newest one in one message."""

from pydantic import JsonValue

from tests.fundamentals.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.stage import BOT, DATA

STEPS: list[JsonValue] = ["Look", "Tell"]


async def test_the_plan_message_changes_in_place(on_stage: StageMaker) -> None:
    """One message for the plan, updated as steps are marked; a reply for the step that was finished."""
    async with on_stage(
        calls(call("planning", command="create", title="Look and tell", steps=STEPS)),
        calls(call("planning", command="mark", step_index=0, step_status="in_progress"), call("bash", command="ls -a")),
        calls(call("planning", command="mark", step_index=0, step_status="completed")),
        calls(call("planning", command="mark", step_index=1, step_status="completed")),
        say("Nothing there."),
    ) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look and tell")
        await stage.answer(sent)
        thread = await stage.thread(sent)
        plans = [block for message in thread for block in message.blocks if block["type"] == "plan"]
        assert [task["status"] for task in plans[0]["tasks"]] == ["complete", "complete"]
        assert len(plans) == 1
        replies = [message for message in thread if message.has_button("Show output")]
        assert len(replies) == 1
        assert "Look" in replies[0].words
