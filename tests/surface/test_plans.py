"""The plan in people's hands: approved before work starts, edited in a form, kept with the thread."""

import asyncio

from pydantic import JsonValue

from bot import texts_plan
from tests.support.model import call, calls, held, say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, Stage
from tests.surface.conftest import StageMaker

STEPS: list[JsonValue] = ["Read the log", "Fix the import", "Tell Ben"]
PLAN = call("planning", command="create", title="Repair", steps=STEPS)


def tasks(message: SlackMessage) -> list[tuple[str, str]]:
    """The plan block of a message: titles and statuses."""
    found = [task for block in message.blocks if block["type"] == "plan" for task in block["tasks"]]
    return [(str(task["title"]), str(task["status"])) for task in found]


async def planned(stage: Stage, sent: SlackMessage, *titles: JsonValue) -> SlackMessage:
    """The plan message, once it shows these steps."""

    def fits(message: SlackMessage) -> bool:
        return [title for title, _ in tasks(message)] == list(titles)

    return await stage.slack.wait_message(sent.channel, sent.thread_ts, fits, f"a plan of {titles}")


async def lines_of(stage: Stage, message: SlackMessage) -> str:
    """Open the form and read what it holds."""
    await stage.ben.click(message, texts_plan.EDIT_PLAN)
    view = await stage.ben.wait_view("the form")
    return str(next(item for item in view.elements if item["action_id"] == "steps-0")["initial_value"])


async def send_lines(stage: Stage, *lines: str) -> dict[str, object]:
    """Send the form that is open."""
    view = await stage.ben.wait_view("the form")
    return await stage.ben.submit_view(view, {"steps-0": "\n".join(lines)})


async def test_a_plan_is_approved_and_edited_before_any_work(on_stage: StageMaker) -> None:
    """Where the request says so a card asks, the edit shows in the plan and reaches the model, then it works."""
    done = [call("planning", command="mark", step_index=n, step_status="completed") for n in range(3)]
    turns = (calls(PLAN, call("bash", command="touch early")), calls(*done), say("Repaired."))
    async with on_stage(*turns) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} plan first, then repair the import")
        card = await stage.button(sent, "Start")
        plan = await planned(stage, sent, *STEPS)
        assert "Nothing runs until you say so." in plan.words
        assert await lines_of(stage, plan) == "Read the log\nFix the import\nTell Ben"
        assert "errors" in await send_lines(stage, "x" * 300)
        assert "errors" in await send_lines(stage, *(f"Step {number}" for number in range(60)))
        await send_lines(stage, "Fix the import", "Read the log", "Tell <!here> Cleo")
        await planned(stage, sent, "Fix the import", "Read the log", "Tell <\u200b!here> Cleo")
        assert not ((await stage.workspace(sent)).root / "early").exists()
        assert len(stage.model.bodies) == 1
        old = await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.ts == card.ts and not m.has_button("Start"), "the old card without Start"
        )
        assert "Asked anew: <@U0BEN> changed the plan." in old.words
        await stage.ana.click(await stage.button(sent, "Start"), "Start")
        answer = await stage.answer(sent)
        assert "Repaired." in answer.words
        assert "changed the plan" in str(stage.model.bodies[1])
        assert "approved the plan" in str(stage.model.bodies[1])


async def test_a_plan_is_edited_while_it_runs_and_stays_with_the_thread(on_stage: StageMaker) -> None:
    """What is done stays; the model reads the change with its next request; at the end the plan stands as edited."""
    gate = asyncio.Event()
    first = call("planning", command="mark", step_index=0, step_status="completed")
    rest = [call("planning", command="mark", step_index=n, step_status="completed") for n in (1, 2)]
    turns = (calls(PLAN), calls(first), held(gate, calls(rest[0])), calls(*rest), say("Done."))
    async with on_stage(*turns) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} repair the import")
        await stage.model.wait_for_requests(3)
        plan = await planned(stage, sent, *STEPS)
        assert await lines_of(stage, plan) == "Fix the import\nTell Ben"
        await send_lines(stage, "Tell Ben", "Test it")
        await planned(stage, sent, "Read the log", "Tell Ben", "Test it")
        gate.set()
        await stage.answer(sent)
        assert "a person edited it" in str(stage.model.bodies[3])
        assert "1. [ ] Tell Ben" in str(stage.model.bodies[3])
        over = await planned(stage, sent, "Read the log", "Tell Ben", "Test it")
        assert {status for _, status in tasks(over)} == {"complete"}
        assert not over.has_button(texts_plan.EDIT_PLAN)
