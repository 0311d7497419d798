"""Planned work through the whole of it ends truthfully, whatever the model says of itself."""

import json

from tests.scenarios.conftest import StageMaker
from tests.support.model import Turn, call, calls, fail, say
from tests.support.stage import BOT, DATA

PLANNING = '[agent]\ndefault = "planning"\n'


def plan(*steps: dict[str, str | list[str]]) -> Turn:
    """The planner's reply."""
    return say(json.dumps({"title": "Boats", "steps": list(steps)}))


def step(name: str, title: str, check: str, *after: str) -> dict[str, str | list[str]]:
    """A step of it."""
    return {"id": name, "title": title, "criterion": title, "check": check, "after": list(after)}


WRITE = step("s1", "Write the list", "file:list.csv")
MAKE = calls(call("bash", command="printf 'a,b\\n' > list.csv"))
WROTE = say("I wrote list.csv.")
NO = calls(call("terminate", status="failure", answer="The harbour has no database."))


async def test_a_plan_whose_second_step_is_impossible_says_what_was_and_was_not_done(on_stage: StageMaker) -> None:
    """It is planned anew with the evidence, twice; then the thread reads what is there and what is not."""
    ask = [plan(WRITE, step(f"a{n}", "Ask the harbour database", "exit", "s1")) for n in range(3)]
    script = [ask[0], MAKE, WROTE, NO, ask[1], NO, ask[2], NO]
    async with on_stage(*script, settings=PLANNING) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count the boats")
        answer = await stage.answer(sent)
        assert "Not done:" in answer.words
        assert "Ask the harbour database: The harbour has no database." in answer.words
        assert "I wrote list.csv." in answer.words
        assert "The harbour has no database." in json.dumps(stage.model.bodies[4])


async def test_a_model_that_always_says_completed_completes_nothing(on_stage: StageMaker) -> None:
    """No step of words alone is ticked off, and the last word says so."""
    script: list[Turn] = []
    for number in range(3):
        script += [plan(step(f"s{number}", "Count the boats", "judge")), *[say("Completed.")] * 3]
    async with on_stage(*script, settings=PLANNING) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count the boats")
        answer = await stage.answer(sent)
        assert "Not done:" in answer.words
        assert "Count the boats" in answer.words
        shown = " ".join(message.words for message in await stage.thread(sent))
        assert ":white_check_mark: Count" not in shown


async def test_a_server_that_fails_every_request_is_said_to_have_failed(on_stage: StageMaker) -> None:
    """A passing failure is waited out for a bounded time, a lasting one not at all; neither is a success."""
    waiting = f'{PLANNING}[timeouts]\noutage = "1s"\n[model]\ntries = 1\n'
    async with on_stage(fail(503), fail(503), fail(400), settings=waiting) as stage:
        for task in ("count the boats", "count them again"):
            sent = await stage.ana.send(DATA, f"{BOT} {task}")
            answer = await stage.answer(sent)
            assert "model" in answer.words
            assert "Done" not in answer.words
