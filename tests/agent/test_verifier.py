"""A verifier's profile also looks at work that an answer only talks of, and leaves plain answers alone."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from runtime.llm.openai_model import ModelOptions, OpenAIModel
from tests.agent.desk import Desk
from tests.agent.test_verify import Bash, checks
from tests.support.model import ModelDouble, call, calls, say, scripted_model

CLAIM = "Completed. All 12 boats are painted."


@pytest.fixture
async def judge(desk: Desk) -> AsyncIterator[ModelDouble]:
    """A verifier whose verdicts the test writes."""
    async with scripted_model([]) as double:
        verifier = OpenAIModel(ModelOptions(model="v", base_url=double.base_url))
        desk.context = replace(desk.context, verifier=verifier, tools=desk.context.tools.with_tools([Bash()]))
        yield double
        await verifier.aclose()


async def test_a_claim_of_work_without_a_deed_goes_back(desk: Desk, judge: ModelDouble) -> None:
    """Nothing was done that could prove it, so no verdict has to be paid for."""
    desk.script(say(CLAIM), say("No boat is painted: there is no brush here."))
    await desk.hear("paint the boats")
    run = await desk.work()
    assert run.answer.startswith("No boat")
    assert [event.passed for event in await checks(desk)] == [False]
    assert not judge.requests


async def test_a_plain_answer_costs_no_verdict(desk: Desk, judge: ModelDouble) -> None:
    """A question that knowledge answers is not held up."""
    desk.script(say("Paris is the capital of France."))
    await desk.hear("what is the capital of France?")
    assert (await desk.work()).answer.startswith("Paris")
    assert not judge.requests
    assert not await checks(desk)


async def test_a_claim_may_rest_on_what_an_earlier_run_did(desk: Desk, judge: ModelDouble) -> None:
    """Who is asked again in the same thread need not do it again; the verifier reads the earlier records."""
    yes = json.dumps({"met": True, "quote": "paint 12 boats", "why": "painted"})
    judge.add(say(yes), say(yes))
    desk.script(calls(call("bash", command="paint 12 boats")), say("All are painted."), say(CLAIM))
    await desk.hear("paint the boats")
    await desk.work()
    await desk.hear("are they painted?", ts="3.0")
    run = await desk.work()
    assert (run.answer, run.detail) == (CLAIM, "")
    assert [(event.by, event.passed) for event in await checks(desk)] == [("model", True), ("model", True)]
