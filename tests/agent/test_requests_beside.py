"""Requests beside a run's steps, for a summary, a plan, a verdict or an image: what they bring near is said as well."""

from dataclasses import replace

from runtime.agent.ending import checked_end
from runtime.agent.room import Room, shortened
from runtime.agent.verify import Proposal
from runtime.flow.planning import PlanningFlow
from runtime.llm.client import ModelOptions
from runtime.llm.openai_model import OpenAIModel
from runtime.session.events import CallFinished, CallStarted, CallStatus, ModelReplied, ProposedCall, RunNoted, Usage
from runtime.session.messages import serialised
from tests.agent.desk import Desk
from tests.agent.test_images import NAME, blind, hear_with_image, seen_by
from tests.flow.test_planning import MAKE, judged, plan
from tests.support.model import say

WORDS = "boats in the harbour " * 40


async def almost_near(desk: Desk) -> None:
    """The next request, however small, brings the tokens of the run to four fifths."""
    call = ProposedCall(call_id="r1.1.0", model_call_id="c1", tool="echo", arguments="{}")
    wire = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": "{}"}}
    message = serialised({"role": "assistant", "content": "", "tool_calls": [wire]})
    usage = Usage(input=1_599_999)
    await desk.session.commit(
        ModelReplied(run_id="r1", step=1, text="", message=message, calls=(call,), usage=usage),
        CallStarted(run_id="r1", call_id="r1.1.0", effect="pure"),
        CallFinished(run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="twelve boats"),
    )


async def test_an_image_told_in_words_brings_its_note_along(desk: Desk) -> None:
    """It stands with the description, and is said once."""
    blind(desk)
    async with seen_by(desk, say("A cat.")):
        desk.script(say("A cat."))
        await hear_with_image(desk, NAME)
        await almost_near(desk)
        await desk.work()
    kinds = await desk.kinds()
    assert kinds[kinds.index("images_described") + 1] == "run_noted"
    assert [note.noted.about["what"] for note in desk.run.notes] == ["tokens"]


async def test_a_plan_brings_its_note_along(desk: Desk) -> None:
    """It stands with the plan."""
    desk.script(plan(MAKE))
    await desk.hear("count the boats")
    await almost_near(desk)
    await PlanningFlow(desk.context).step()
    assert (await desk.kinds())[-2:] == ["flow_planned", "run_noted"]


async def test_a_verdict_brings_its_note_along(desk: Desk) -> None:
    """It stands with the check."""
    desk.context = replace(desk.context, verifier=desk.context.model)
    desk.script(judged(met=True, quote="twelve boats"))
    await desk.hear("count the boats")
    await almost_near(desk)
    proposal = Proposal(answer="There are twelve boats.", succeeded=True)
    checked = await checked_end(desk.context, desk.run, proposal, desk.session.state.memory, by_call=False)
    assert [event.kind for event in checked.events] == ["answer_checked", "run_noted"]


async def test_a_summary_brings_its_note_along_and_fits_a_small_summariser(desk: Desk) -> None:
    """A model that reads no more than the usual answer's room is shown a part, not everything."""
    small = OpenAIModel(ModelOptions(model="small", base_url=desk.model.base_url, context_window=4_000))
    desk.context = replace(desk.context, summariser=small)
    desk.script(say("no summary"))
    await desk.hear("count the boats")
    await almost_near(desk)
    memory = tuple(serialised({"role": "assistant", "content": f"{n} {WORDS}"}) for n in range(60))
    events = await shortened(
        desk.context, desk.run, (desk.session.state.memory[0], *memory), Room(tokens=3_000, asked=20_000)
    )
    await small.aclose()
    assert [event.kind for event in events] == ["memory_compacted", "run_noted"]
    assert isinstance(events[1], RunNoted)
    assert len(desk.model.requests[0].messages[-1].text) < 12_000
