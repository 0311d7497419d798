"""A memory made shorter: pairs stay whole, the task stays, a yes keeps its referent, and nothing is lost for good."""

import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from bot.rehearsal.wire import parse_request
from runtime.llm.tokens import estimated_messages
from runtime.memory.compaction import compacted, newest_summary
from runtime.session.events import RunOutcome
from runtime.session.mind_events import MemoryCompacted
from runtime.session.run_limits import RunLimits
from runtime.session.state import RunState
from tests.agent.conftest import desk
from tests.agent.desk import Desk
from tests.memory.test_window import TURNS, conversation, turn, user
from tests.support.model import Turn, call, calls, fail, raw, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]

RUN = RunState(
    run_id="r1",
    requester="U1",
    request_ts="1.0",
    agent="manus",
    model="m",
    scripted=False,
    limits=RunLimits(steps=1, wall_ms=1, tokens=1, micros=1),
    started_at_ms=0,
)
SUMMARY = json.dumps(
    {"goal": "Count the boats", "facts": [{"text": "There are 12", "source": "r1.1.0"}], "files": ["boats.csv"]}
)


def after(memory: tuple[str, ...], event: MemoryCompacted) -> tuple[str, ...]:
    """The memory as the fold makes it."""
    return (*(memory[index] for index in event.pinned), event.message, *memory[event.cut :])


@given(TURNS, st.integers(400, 5_000))
def test_a_shortened_memory_is_well_paired_and_holds_the_task(turns: list[tuple[int, int, bool]], room: int) -> None:
    """Wherever the cut falls, a strict server takes what is left, which begins with the task and ends as it did."""
    memory = conversation(turns)
    event = compacted(memory, RUN, room, reason="size")
    if event is None:
        return
    left = after(memory, event)
    parse_request({"model": "m", "messages": [json.loads(message) for message in left]})
    assert left[0] == memory[0]
    assert left[-1] == memory[-1]
    assert len(left) < len(memory)


def test_three_hundred_steps_of_four_calls_keep_task_and_constraints() -> None:
    """Through many compactions the task and what a person added later stay word for word, and every size fits."""
    memory = (user("Ana says:\nTHE TASK, and never touch prod"),)
    room, times = 12_000, 0
    for number in range(300):
        memory = (*memory, *turn(number, 4, 300))
        if number == 50:
            memory = (*memory, user("Ana says:\nuse metric units"))
        if estimated_messages(memory) > room:
            event = compacted(memory, RUN, room, reason="size")
            assert event is not None
            memory, times = after(memory, event), times + 1
        assert estimated_messages(memory) <= room
        parse_request({"model": "m", "messages": [json.loads(message) for message in memory]})
    assert 5 < times < 60
    assert "never touch prod" in memory[0]
    assert any("metric units" in message for message in memory[:3])
    assert newest_summary(memory).facts


def test_a_yes_keeps_what_it_answers() -> None:
    """The model's words right before a person's answer stay with it, however short the memory becomes."""
    memory = (user("Ana says:\ngo"), *itertools.chain(*(turn(number, 2, 300) for number in range(20))))
    said = json.dumps({"role": "assistant", "content": "Shall I delete boats.csv?"}, separators=(",", ":"))
    memory = (*memory, said, user("Ana says:\nyes"))
    event = compacted(memory, RUN, 300, reason="size")
    assert event is not None
    assert after(memory, event)[-2:] == (said, memory[-1])


def test_the_brief_of_a_step_stays_although_a_person_spoke_in_it() -> None:
    """A step's memory begins with what it has to do, which no later compaction takes away either."""
    brief = user("You do one step of a larger plan (Boats): Count\nIt is done when: THE CRITERION")
    memory = (brief, *turn(0, 2, 300), user("Ana says:\nuse metric units"))
    for times in range(3):
        memory = (*memory, *itertools.chain(*(turn(times * 20 + number, 2, 300) for number in range(20))))
        event = compacted(memory, RUN, 1_500, reason="size")
        assert event is not None
        memory = after(memory, event)
        assert memory[0] == brief
        assert any("metric units" in message for message in memory)


def big(number: int) -> Turn:
    """A call with a long output."""
    return calls(call("echo", text=f"{number} " + "lorem ipsum " * 150))


async def compactions(desk: Desk) -> list[MemoryCompacted]:
    """How often, and how, the memory became shorter."""
    return [event for event in await desk.journal() if isinstance(event, MemoryCompacted)]


async def test_a_long_run_goes_on_with_a_summary_that_a_model_wrote(desk: Desk) -> None:
    """The summary is an event, its cost counts for the run, and the next request holds it with the task before it."""
    desk.configure("[model]\ncontext_window = 8000\n")
    desk.script(*[big(number) for number in range(4)], say(SUMMARY), big(5), say("Done."))
    await desk.hear("count the boats")
    assert (await desk.work()).outcome is RunOutcome.ANSWERED
    (event,) = await compactions(desk)
    assert (event.by, event.reason) == ("model", "size")
    assert event.summary.goal == "Count the boats"
    assert event.usage.total > 0
    sent = desk.model.requests[-1].messages
    assert "count the boats" in sent[1].text
    assert "There are 12" in sent[2].text
    await desk.restart()
    assert desk.session.state.compactions == 1


async def test_a_summary_that_no_model_gives_is_made_by_rules(desk: Desk) -> None:
    """Prose in place of the summary does not stop the run; the calls and the beginnings of their results stay."""
    desk.configure("[model]\ncontext_window = 8000\n")
    desk.script(*[big(number) for number in range(4)], say("I would rather not."), say("Done."))
    await desk.hear("count the boats")
    assert (await desk.work()).answer == "Done."
    (event,) = await compactions(desk)
    assert event.by == "rules"
    assert any(fact.text.startswith("0 lorem") for fact in event.summary.facts)
    assert "echo" in event.summary.facts[0].source


async def test_a_service_that_finds_it_too_long_is_shown_less_from_then_on(desk: Desk) -> None:
    """The same request is not repeated; half of the room is used at once and kept to for the rest of the session."""
    too_long = fail(400, "maximum context length is 4096 tokens", code="context_length_exceeded")
    script = [*[big(number) for number in range(6)], too_long, big(7), say(SUMMARY), say("Done.")]
    desk.configure("[model]\ncontext_window = 16000\n")
    desk.script(*script)
    await desk.hear("count the boats")
    assert (await desk.work()).answer == "Done."
    (event,) = await compactions(desk)
    assert event.reason == "refused"
    assert desk.session.state.room == event.room > 0
    refused, accepted = desk.model.bodies[6], desk.model.bodies[7]
    assert len(json.dumps(accepted)) < len(json.dumps(refused))


async def test_a_server_that_silently_drops_the_beginning_is_found_out(desk: Desk) -> None:
    """When it counts far fewer tokens than were sent, the memory is brought to what it reads."""
    made = {"id": "c99", "type": "function", "function": {"name": "echo", "arguments": "{}"}}
    body = {
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [made]}}],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 5},
    }
    shortsighted = raw(json.dumps(body), content_type="application/json")
    desk.configure("[model]\ncontext_window = 60000\n")
    desk.script(*[big(number) for number in range(9)], shortsighted, say(SUMMARY), say("Done."))
    await desk.hear("count the boats")
    assert (await desk.work()).answer == "Done."
    (event,) = await compactions(desk)
    assert (event.reason, event.room) == ("truncated", 1500)
    assert estimated_messages(desk.session.state.memory) < 2500
