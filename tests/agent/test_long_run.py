"""Three hundred steps of four parallel calls each, through the agent, against a server that refuses any broken pair."""

from dataclasses import replace

from bot.delivery.outbox import uploads
from runtime.session.events import RunFinished
from tests.agent.desk import Desk
from tests.support.model import call, calls, say

STEPS = 300
TASK = "Count the boats of every harbour; never call the harbour master before nine."


async def test_three_hundred_steps_of_four_calls_never_break_a_pair_nor_lose_the_task(desk: Desk) -> None:
    """The memory is summarised many times on the way; each request is accepted, and each still holds the whole task."""
    desk.configure("[model]\ncontext_window = 16000\n[budget.run]\nsteps = 400\ntokens = 100_000_000\nusd = 1000\n")
    filler = "lorem ipsum dolor sit amet " * 4
    desk.script(
        *[
            calls(*(call("echo", text=f"harbour {number}.{part}: {filler}") for part in range(4)))
            for number in range(STEPS)
        ],
        say("There are 4711 boats."),
    )
    await desk.hear(TASK, scripted=True)
    run = await desk.work()
    assert (run.detail, run.answer) == ("", "There are 4711 boats.")
    assert desk.model.refused == []
    assert run.spent.steps == STEPS + 1
    assert sum(len(step.call_ids) for step in run.steps) == 4 * STEPS
    assert desk.session.state.compactions >= 5
    for request in desk.model.requests:
        assert any(message.role == "user" and TASK in message.text for message in request.messages)
    sizes = [sum(len(message.text) for message in request.messages) for request in desk.model.requests]
    assert max(sizes) < 16_000 * 4


async def test_long_runs_without_room_for_summaries_are_cut_between_turns_only(desk: Desk) -> None:
    """Also a model that reads hardly more than its prompts gets whole pairs, and the task, at every step."""
    desk.configure("[model]\ncontext_window = 4000\n[budget.run]\nsteps = 400\nusd = 1000\n")
    desk.context = replace(desk.context, tools=desk.context.tools.without("planning", "python_execute"))
    turns = [calls(*(call("echo", text=f"{number}.{part} " * 20) for part in range(4))) for number in range(30)]
    desk.script(*turns, say("Done."))
    await desk.hear(TASK, scripted=True)
    assert (await desk.work()).answer == "Done."
    assert desk.model.refused == []
    assert all(any(TASK in message.text for message in request.messages) for request in desk.model.requests)


async def test_a_file_made_early_in_a_long_run_is_uploaded_and_named_at_its_end(desk: Desk) -> None:
    """Also when its call has left the state long ago; the state itself does not grow with the calls."""
    desk.configure("[budget.run]\nsteps = 400\nusd = 1000\n")
    texts = ("first.txt", *(f"harbour {number}" for number in range(99)), "last.txt", "first.txt")
    desk.script(*(calls(call("echo", text=text)) for text in texts), say("Done."))
    await desk.hear(TASK)
    run = await desk.work()
    end = (await desk.journal())[-1]
    assert isinstance(end, RunFinished)
    assert [file.path for file in end.files] == ["first.txt", "last.txt"]
    assert [upload.file.path for upload in uploads(run) if upload.file] == ["first.txt", "last.txt"]
    assert len(run.calls) <= 64
    await desk.restart()
    assert desk.run == run
