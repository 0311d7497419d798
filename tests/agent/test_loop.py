"""The loop: what one request comes to, in which events, and how a run ends."""

import itertools
import json

import pytest

from runtime.agent.manus import Manus
from runtime.session.events import CallFinished, CallStatus, ModelReplied, RunOutcome
from runtime.session.state import AgentState
from tests.agent.desk import SECRET, Desk
from tests.support.model import Invocation, call, calls, fail, raw, say


async def test_a_greeting_costs_one_request(desk: Desk) -> None:
    """A text without calls is the answer and ends the run, whose state and answer stay visible."""
    desk.script(say("Hello. What can I do?"))
    await desk.hear("hi")
    run = await desk.work()
    assert (run.state, run.outcome, run.answer) == (AgentState.FINISHED, RunOutcome.ANSWERED, "Hello. What can I do?")
    assert len(desk.model.bodies) == 1
    assert run.spent.steps == 1
    assert run.spent.micros > 0
    assert await desk.kinds() == ["message_received", "run_started", "model_replied", "run_finished"]


async def test_calls_run_in_order_and_their_results_are_sent_back(desk: Desk) -> None:
    """Each call has its intent and its result in the journal; the next request holds all of them, well paired."""
    desk.script(calls(call("echo", text="a.txt"), call("echo", text="b"), text="Looking."), say("Done."))
    await desk.hear("go")
    run = await desk.work()
    assert run.answer == "Done."
    assert await desk.kinds() == [
        "message_received",
        "run_started",
        "model_replied",
        "call_started",
        "call_finished",
        "call_started",
        "call_finished",
        "model_replied",
        "run_finished",
    ]
    sent = [message.text for message in desk.model.requests[1].messages if message.role == "tool"]
    assert sent == ["a.txt", "b"]
    assert run.steps[0].text == "Looking."
    finished = (await desk.journal())[-1]
    assert [file["path"] for file in finished.model_dump()["files"]] == ["a.txt"]


async def test_each_request_begins_with_the_bytes_of_the_one_before(desk: Desk) -> None:
    """The system prompt and the history only grow at their end, and no nudge is added."""
    desk.script(*(calls(call("echo", text=f"{n}")) for n in range(5)), say("Done."))
    await desk.hear("go")
    await desk.work()
    bodies = [json.dumps(body["messages"])[:-1] for body in desk.model.bodies]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(bodies))
    roles = [message.role for message in desk.model.requests[-1].messages]
    assert roles == ["system", "user", *["assistant", "tool"] * 5]


async def test_terminate_ends_the_run_and_nothing_after_it_runs(desk: Desk) -> None:
    """The remaining calls of the turn get no effect, and the answer is the one that was proposed."""
    finish = call("terminate", status="success", answer="All paid.")
    desk.script(calls(finish, call("pays", text="Bob")))
    await desk.hear("go")
    run = await desk.work()
    assert (run.outcome, run.answer) == (RunOutcome.ANSWERED, "All paid.")
    assert desk.pays.paid == []
    assert run.unresolved == ()


async def test_a_proposed_failure_is_a_failure(desk: Desk) -> None:
    """`terminate` with failure does not count as success."""
    desk.script(calls(call("terminate", status="failure", answer="There is no such file.")))
    await desk.hear("go")
    run = await desk.work()
    assert (run.state, run.outcome) == (AgentState.ERROR, RunOutcome.FAILED)
    assert run.answer == "There is no such file."


async def test_what_cannot_run_becomes_an_observation_that_helps(desk: Desk) -> None:
    """Unknown tools, broken and unfit arguments, refusals and defects: the model reads what was wrong and goes on."""
    desk.script(
        calls(
            call("ecko", text="a"),
            call("echo", words="a"),
            Invocation("echo", '{"text": "a'),
            call("breaks", text="no such row"),
            call("breaks"),
        ),
        say("Sorry."),
    )
    await desk.hear("go")
    await desk.work()
    results = [event for event in await desk.journal() if isinstance(event, CallFinished)]
    assert [result.status for result in results] == [CallStatus.ERROR] * 5
    unknown, unfit, cut, refused, defect = (result.output for result in results)
    assert "Did you mean echo?" in unknown
    assert "words: unknown field" in unfit
    assert "cut off" in cut
    assert refused == "no such row"
    assert "KeyError (reference " in defect
    assert "hunter2" not in defect


async def test_secrets_do_not_reach_the_journal_as_results(desk: Desk) -> None:
    """What a tool prints and what the model answers is redacted before it is stored."""
    desk.script(calls(call("echo", text=f"it is {SECRET}")), say(f"It is {SECRET}."))
    await desk.hear("go")
    run = await desk.work()
    result = next(event for event in await desk.journal() if isinstance(event, CallFinished))
    assert result.output == "it is [redacted: secret]"
    assert run.answer == "It is [redacted: secret]."


async def test_half_a_character_from_a_tool_does_not_break_the_journal(desk: Desk) -> None:
    """A lone surrogate in a result is replaced."""
    desk.script(calls(Invocation("echo", '{"text": "ok"}')), say("Done \ud83d."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done ?."


@pytest.mark.parametrize(
    ("settings", "limit", "requests"),
    [
        ("[budget.run]\nsteps = 2", "steps", 2),
        ("[budget.run]\ntokens = 10", "tokens", 1),
        ("[budget.run]\nusd = 0.000001", "usd", 1),
    ],
)
async def test_a_limit_ends_the_run_after_its_calls_have_run(
    desk: Desk, settings: str, limit: str, requests: int
) -> None:
    """No further request is made; what was called last has its result, and the run says which limit it was."""
    desk.configure(settings)
    desk.script(*(calls(call("echo", text=f"{n}")) for n in range(requests)))
    await desk.hear("go")
    run = await desk.work()
    assert (run.outcome, run.detail) == (RunOutcome.LIMIT, limit)
    assert len(desk.model.bodies) == requests
    assert all(state.result is not None for state in run.calls.values())


@pytest.mark.parametrize("limit", ["steps = 2", "tokens = 1000", "usd = 0.003"])
async def test_what_was_used_before_a_restart_counts(desk: Desk, limit: str) -> None:
    """The counters lie in the journal: another process goes on counting where the last one was."""
    desk.configure(f"[budget.run]\n{limit}")
    desk.script(calls(call("ask_human", question="Which?")), calls(call("echo", text="this")))
    await desk.hear("go")
    before = (await desk.work()).spent
    await desk.restart()
    await desk.answer("the other")
    run = await desk.work()
    assert (run.outcome, run.detail) == (RunOutcome.LIMIT, limit.partition(" ")[0])
    assert run.spent.steps == before.steps + 1
    assert len(desk.model.bodies) == 2


async def test_the_same_call_with_another_result_is_no_standstill(desk: Desk) -> None:
    """Repeating something else in between, or with other arguments, does not end the run."""
    again = calls(call("echo", text="again"))
    desk.script(again, again, calls(call("echo", text="other")), again, again, say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."


async def test_a_refused_request_fails_the_run_with_a_code_and_without_secrets(desk: Desk) -> None:
    """A 400 costs one request; the journal holds a code and a reference, the words are for the operator's log."""
    desk.script(fail(400, f"bad {SECRET}"))
    await desk.hear("go")
    run = await desk.work()
    assert (run.state, run.outcome) == (AgentState.ERROR, RunOutcome.FAILED)
    assert run.detail.partition(":")[0] == "model_rejected"
    assert SECRET not in run.detail
    assert len(desk.model.bodies) == 1


async def test_a_web_page_fails_the_run_with_its_own_code(desk: Desk) -> None:
    """HTML in place of an answer is `model_unusable`."""
    desk.script(raw("<html>"))
    await desk.hear("go")
    assert (await desk.work()).detail.startswith("model_unusable:")


async def test_a_conversation_too_long_for_the_model_is_shortened_once(desk: Desk) -> None:
    """The refusal for length leads to a second request with less, not to a failure."""
    desk.configure("[model]\ncontext_window = 4000")
    too_long = fail(400, "too long", code="context_length_exceeded")
    desk.script(calls(call("echo", text="x" * 5000)), too_long, say("Done."))
    await desk.hear("the task")
    assert (await desk.work()).answer == "Done."
    assert desk.model.requests[-1].messages[1].text.endswith("the task")


async def test_a_reply_cut_off_by_the_output_limit_says_so(desk: Desk) -> None:
    """The answer is delivered with a mark that it is not whole."""
    desk.script(say("The answer is", finish_reason="length"))
    await desk.hear("go")
    run = await desk.work()
    assert (run.outcome, run.detail) == (RunOutcome.ANSWERED, "cut_off")


async def test_the_pause_before_each_step_is_obeyed(desk: Desk) -> None:
    """When the pause says so, no step is taken and the run stays as it is."""
    await desk.hear("go")

    async def at_once() -> bool:
        return True

    await Manus(desk.context).run(at_once)
    assert desk.run.state is AgentState.RUNNING
    assert desk.model.bodies == []


async def test_a_second_run_begins_with_fresh_limits_and_the_whole_memory(desk: Desk) -> None:
    """Steps are counted per run; what was said before is known."""
    desk.script(say("One."), say("Two."))
    await desk.hear("first")
    await desk.work()
    await desk.hear("second", ts="3.0")
    run = await desk.work()
    assert (run.run_id, run.spent.steps) == ("r2", 1)
    assert [message.role for message in desk.model.requests[1].messages] == ["system", "user", "assistant", "user"]


async def test_the_same_call_ids_in_every_turn_are_told_apart(desk: Desk) -> None:
    """A server that numbers its calls anew in each reply still gets a history it accepts."""
    desk.script(*(calls(Invocation("echo", {"text": f"{n}"}, "call_0")) for n in range(4)), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    replies = [event for event in await desk.journal() if isinstance(event, ModelReplied)]
    ids = [made.model_call_id for reply in replies for made in reply.calls]
    assert len(set(ids)) == 4
