"""Reports of runs that do not stop, or ask in text and go on without waiting."""

from typing import ClassVar

from runtime.flow.planning import PlanningFlow
from runtime.session.events import RunOutcome
from runtime.session.state import AgentState
from tests.agent.conftest import desk
from tests.agent.desk import Desk, never
from tests.agent.sample_tools import Foreign
from tests.flow.test_planning import plan, step
from tests.support.model import Turn, call, calls, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]


async def test_458_a_task_that_is_done_ends_with_the_first_text(desk: Desk) -> None:
    """A call, then a plain "finished": two requests in all."""
    desk.script(calls(call("echo", text="saved")), say("Finished."))
    await desk.hear("save the file")
    assert (await desk.work()).answer == "Finished."
    assert len(desk.model.bodies) == 2


async def test_301_1025_a_greeting_costs_one_request(desk: Desk) -> None:
    """A list of abilities as the answer to a hello is the end, not the first of twenty."""
    desk.script(say("I can do many things."))
    await desk.hear("hello")
    assert (await desk.work()).outcome is RunOutcome.ANSWERED
    assert len(desk.model.bodies) == 1


async def test_302_618_nothing_is_done_after_the_end(desk: Desk) -> None:
    """Once the answer is out no further request is made, whatever the agent is asked to do with the ended run."""
    desk.script(say("Done. Anything else?"))
    await desk.hear("go")
    await desk.work()
    assert desk.run.state is AgentState.FINISHED
    assert len(desk.model.bodies) == 1


async def test_618_an_empty_task_after_the_end_invents_no_work(desk: Desk) -> None:
    """A mention without words is one more request; nothing is called, and its answer is the end."""
    desk.script(calls(call("echo", text="saved")), say("Done."), say("What can I do for you?"))
    await desk.hear("save it")
    await desk.work()
    await desk.hear("", ts="3.0")
    run = await desk.work()
    assert (run.outcome, run.answer) == (RunOutcome.ANSWERED, "What can I do for you?")
    assert run.calls == {}
    assert len(desk.model.bodies) == 3
    assert [message.role for message in desk.model.requests[-1].messages[-2:]] == ["assistant", "user"]


async def test_504_apologies_in_varying_words_end_with_the_first(desk: Desk) -> None:
    """No text is answered by the system, so there is no second one to compare."""
    desk.script(say("I am sorry, I could not do it."))
    await desk.hear("go")
    await desk.work()
    assert len(desk.model.bodies) == 1


async def test_757_a_plan_step_of_words_only_is_not_completed(desk: Desk) -> None:
    """Text turns prove nothing, so the flow ends without success and says so."""
    script: list[Turn] = []
    for number in range(3):
        script += [plan(step(f"s{number}", "Do it")), *[say("It is done.")] * 3]
    desk.script(*script)
    await desk.hear("do it")
    await PlanningFlow(desk.context).run(never)
    assert desk.run.outcome is RunOutcome.FAILED


async def test_963_469_1191_no_nudge_stands_in_the_history(desk: Desk) -> None:
    """After the system prompt there are the person's message, calls and results, and nothing else."""
    desk.script(*[calls(call("echo", text=f"{n}")) for n in range(4)], say("Done."))
    await desk.hear("what is two and two?")
    await desk.work()
    roles = [message.role for message in desk.model.requests[-1].messages]
    assert roles == ["system", "user", *["assistant", "tool"] * 4]


class Finish(Foreign):
    """A server's own way to say that something is finished."""

    name: ClassVar[str] = "mcp_server_terminate"


async def test_1043_1148_a_finish_tool_of_a_server_ends_nothing_and_is_not_called_for_ever(desk: Desk) -> None:
    """It is a tool like any other: called again and again it leads to hints, then to a question."""
    called: list[str] = []
    desk.use(desk.context.tools.with_tools([Finish(lambda: called.append("finish"))]))
    desk.script(*[calls(call("mcp_server_terminate", text="success"))] * 9)
    await desk.hear("go")
    run = await desk.work()
    assert run.state is AgentState.WAITING
    assert run.questions[run.open_question].asked.purpose == "no_progress"
    assert len(desk.model.bodies) == len(called) == 9


async def test_1043_a_finish_tool_that_does_not_exist_is_refused_with_help(desk: Desk) -> None:
    """The run goes on, and ends by its first text."""
    desk.script(calls(call("mcp_server_terminate")), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    assert "There is no tool called" in desk.model.requests[1].messages[-1].text


async def test_646_831_405_a_question_in_text_waits_for_the_person(desk: Desk) -> None:
    """With work left, a text that ends in a question pauses the run, and the answer goes on with it."""
    made = call("planning", command="create", title="P", steps=["Send"])
    closed = call("planning", command="mark", step_index=0, step_status="completed")
    desk.script(calls(made), say("Which format?"), calls(closed), say("Sent as CSV."))
    await desk.hear("send it")
    assert (await desk.work()).state is AgentState.WAITING
    await desk.answer("CSV")
    assert (await desk.work()).answer == "Sent as CSV."
