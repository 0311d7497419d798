"""A thread of several runs: what the newest one was started for outlives every shortening of the memory."""

import itertools
import json

from runtime.memory.compaction import compacted, newest_summary
from runtime.session.entries import MessageEntry
from runtime.session.events import MemoryCompacted, MessageEdited, RunOutcome, RunStarted
from tests.agent.conftest import desk
from tests.agent.desk import Desk
from tests.memory.test_compaction import RUN, after, big
from tests.memory.test_window import turn, user
from tests.support.model import say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]

DONE = json.dumps({"role": "assistant", "content": "Done."}, separators=(",", ":"))
FRONT = (user("Ana says:\nOLD TASK"), DONE, user("Ana says:\nNEW TASK"))


def remarks(first: int, last: int) -> list[str]:
    """Long remarks of a person between turns, which compete for the room."""
    pasted = "pasted log " * 60
    return [line for n in range(first, last) for line in (*turn(n, 2, 300), user(f"Ana says:\n{n} {pasted}"))]


def test_the_task_of_a_second_run_stays_and_is_its_goal() -> None:
    """What the thread was first about does not take its place, whatever people pasted since."""
    memory = (*FRONT, *remarks(0, 8), *itertools.chain(*(turn(number, 2, 300) for number in range(20, 30))))
    event = compacted(memory, RUN, 3_000, reason="size", opening=2)
    assert event is not None
    assert FRONT[2] in after(memory, event)
    assert event.summary.goal == "NEW TASK"


def test_a_goal_gives_way_to_the_task_of_a_later_run_only() -> None:
    """Within one run the goal of its own earlier summary is kept."""
    memory = (*FRONT, *itertools.chain(*(turn(number, 2, 300) for number in range(20))))
    first = compacted(memory, RUN, 1_500, reason="size", opening=0)
    assert first is not None
    assert first.summary.goal == "OLD TASK"
    left = after(memory, first)
    for opening, goal in ((0, "OLD TASK"), (len(left), "THE THIRD")):
        more = (*left, user("Ana says:\nTHE THIRD"), *(line for n in range(30, 50) for line in turn(n, 2, 300)))
        event = compacted(more, RUN, 1_500, reason="size", opening=opening)
        assert event is not None
        assert newest_summary(after(more, event)).goal == goal


async def test_a_second_run_remembers_its_task_through_compactions_and_a_restart(desk: Desk) -> None:
    """Its place in the memory is folded, and moves with every compaction."""
    desk.configure("[model]\ncontext_window = 8000\n")
    desk.script(*[big(number) for number in range(6)], say("Done."))
    await desk.hear("count the boats", scripted=True)
    await desk.work()
    desk.script(*[big(number) for number in range(10, 24)], say("Painted."))
    await desk.hear("paint the masts", ts="3.0", scripted=True)
    assert "paint the masts" in desk.session.state.memory[desk.run.opening]
    assert (await desk.work()).outcome is RunOutcome.ANSWERED
    assert len([event for event in await desk.journal() if isinstance(event, MemoryCompacted)]) > 2
    assert all("paint the masts" in str(request.messages) for request in desk.model.requests[7:])
    await desk.restart()
    assert "paint the masts" in desk.session.state.memory[desk.run.opening]
    assert newest_summary(desk.session.state.memory).goal == "paint the masts"


async def test_a_run_that_goes_on_with_another_keeps_what_that_was_started_for(desk: Desk) -> None:
    """Nobody says anything new to a run that is resumed."""
    desk.script(say("Hello."), say("Done."))
    await desk.hear("hello")
    await desk.work()
    await desk.hear("paint the masts", ts="3.0")
    place = (await desk.work()).opening
    assert "paint the masts" in desk.session.state.memory[place]
    again = {"run_id": "r3", "requester": "U1", "request_ts": "3.0", "agent": "manus", "model": "m"}
    await desk.session.commit(RunStarted.model_validate({**again, "limits": RUN.limits}))
    assert desk.run.opening == place


async def test_a_changed_request_is_what_the_run_was_started_for(desk: Desk) -> None:
    """The note that says what it says now takes its place."""
    await desk.take_in(MessageEntry(entry_id="m", ts="2.0", user="U1", text="count", mentions_bot=True))
    await desk.session.commit(MessageEdited(ts="2.0", user="U1", speaker="Ana (U1)", text="count the masts"))
    await desk.hear("and soon", ts="2.0")
    assert "count the masts" in desk.session.state.memory[desk.run.opening]
