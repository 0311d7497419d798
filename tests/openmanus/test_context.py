"""Reports of conversations that grow over the window, and of output that is cut off."""

import json
from dataclasses import replace
from typing import ClassVar

from bot.rehearsal.wire import Call, Reply
from runtime.flow.planning import PlanningFlow
from runtime.llm.careful import CarefulModel
from runtime.session.events import RunOutcome
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.agent.sample_tools import Echo, Words
from tests.agent.test_verify import Bash
from tests.flow.test_planning import plan, step
from tests.memory.test_records import LONG
from tests.support.model import call, calls, fail, reply, say
from tests.support.redis import redis_server, redis_url, store
from tools.base import ToolResult
from tools.context import ToolContext

__all__ = ["desk", "redis_server", "redis_url", "store"]

SMALL = "[model]\ncontext_window = 32000\n"


class Prints(Echo):
    """Says much."""

    name: ClassVar[str] = "prints"

    async def run(self, params: Words, context: ToolContext) -> ToolResult:
        """20,000 characters, other ones for each number."""
        return ToolResult(output=f"{params.text}\n{LONG[:20_000]}")


async def test_62_large_results_stay_within_a_small_window(desk: Desk) -> None:
    """Results of 20,000 characters each are shown by head and tail, so twelve of them fit."""
    desk.configure(SMALL)
    desk.use(desk.context.tools.with_tools([Prints()]))
    desk.script(*[calls(call("prints", text=f"{n}")) for n in range(12)], say("Done."))
    await desk.hear("go", scripted=True)
    assert (await desk.work()).answer == "Done."
    results = [message.text for message in desk.model.requests[-1].messages if message.role == "tool"]
    assert len(results) == 12
    assert all(len(text) < 1_600 for text in results)
    assert "memory_compacted" not in await desk.kinds()


async def test_228_a_context_length_error_is_never_repeated_as_it_was(desk: Desk) -> None:
    """What was too long is made shorter before it is asked again."""
    too_long = fail(400, "maximum context length is 65536 tokens", code="context_length_exceeded")
    script = [calls(call("echo", text=f"{n} " + "lorem " * 600)) for n in range(6)]
    desk.configure("[model]\ncontext_window = 60000\n")
    desk.script(*script[:5], too_long, script[5], say("Done."))
    await desk.hear("go", scripted=True)
    assert (await desk.work()).answer == "Done."
    assert len(json.dumps(desk.model.bodies[6])) < len(json.dumps(desk.model.bodies[5]))


async def test_935_every_plan_step_begins_with_a_small_memory(desk: Desk) -> None:
    """Six steps of more than 8,000 tokens each: none is shown what those before it did."""
    desk.use(desk.context.tools.with_tools([Bash()]))
    steps = [step(f"s{n}", f"Step {n}", check="exit") for n in range(6)]
    script = [plan(*steps)]
    for number in range(6):
        work = calls(*(call("bash", command=f"{number}.{n} " + "lorem " * 250) for n in range(12)))
        script += [work, say(f"Step {number} is done.")]
    desk.script(*script)
    await desk.hear("go")
    await PlanningFlow(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.ANSWERED
    letters = [len(json.dumps(body["messages"])) for body in desk.model.bodies]
    begins, ends = letters[1::2], letters[2::2]
    assert len(begins) == len(ends) == 6
    assert all(end > 4 * 8_000 for end in ends)
    assert all(begin < 4_000 for begin in begins)


async def test_275_output_cut_in_the_middle_of_arguments_is_asked_for_again(desk: Desk) -> None:
    """Half a call does nothing and stays out of the history."""
    half = Call(id="c1", name="echo", arguments='{"text": "lor')
    cut = reply(lambda _: Reply(calls=(half,), finish_reason="length"), name="cut off")
    desk.context = replace(desk.context, model=CarefulModel(desk.context.model))
    desk.script(cut, calls(call("echo", text="lorem")), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert [known.call.arguments for known in desk.run.calls.values()] == ['{"text":"lorem"}']


async def test_414_tokens_are_told_per_step_and_per_run(desk: Desk) -> None:
    """Each reply in the journal carries its usage, and the run their sum."""
    desk.script(calls(call("echo", text="a")), say("Done."))
    await desk.hear("go")
    run = await desk.work()
    replies = [event.usage for event in await desk.journal() if event.kind == "model_replied"]
    assert len(replies) == 2
    assert sum(usage.total for usage in replies) == run.spent.usage.total > 0


async def test_387_a_later_run_of_the_thread_knows_the_earlier_one(desk: Desk) -> None:
    """What the first run found stands in the second one's memory."""
    desk.script(calls(call("echo", text="the code is 4711")), say("Noted."), say("4711"))
    await desk.hear("remember the code")
    await desk.work()
    await desk.hear("which code?", ts="3.0")
    await desk.work()
    assert any("4711" in message.text for message in desk.model.requests[-1].messages)
