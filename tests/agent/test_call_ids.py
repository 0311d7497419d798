"""Servers that give the ids of calls again: the history stays one that the strictest server accepts."""

import json

from runtime.agent.used_ids import UsedIds
from tests.agent.desk import Desk
from tests.support.model import Invocation, Turn, calls, say


def numbered(turn: int) -> Turn:
    """Four calls with the ids that the server gives in every reply."""
    return calls(*(Invocation("echo", {"text": f"{turn}.{part}"}, f"call_{part}") for part in range(4)))


def result(call_id: str) -> str:
    """A result in the memory."""
    return json.dumps({"role": "tool", "tool_call_id": call_id, "content": '"tool_call_id":"x"'}, separators=(",", ":"))


async def test_a_server_that_numbers_calls_anew_in_each_reply_gets_unique_ids_for_a_whole_run(desk: Desk) -> None:
    """Also long after the first calls have left the state, no request repeats an id, before and after a restart."""
    desk.configure("[budget.run]\nsteps = 200\n")
    desk.script(*(numbered(turn) for turn in range(25)), say("Done."))
    await desk.hear("go")
    assert (await desk.work()).answer == "Done."
    await desk.restart()
    desk.script(numbered(25), say("Done again."))
    await desk.hear("go on", ts="3.0")
    assert (await desk.work()).answer == "Done again."
    assert desk.model.refused == []


async def test_the_same_ids_in_every_run_of_a_thread_are_told_apart(desk: Desk) -> None:
    """The tenth run knows the ids of the first."""
    for turn in range(10):
        desk.script(numbered(turn), say(f"Done {turn}."))
        await desk.hear("go", ts=f"{turn + 2}.0")
        assert (await desk.work()).answer == f"Done {turn}."
    assert desk.model.refused == []


def test_only_new_messages_are_looked_at_until_the_memory_was_shortened() -> None:
    """Ids are unescaped, words of a result are none, and what a summary took the place of is free again."""
    used = UsedIds()
    said = '{"role":"user","content":"Ana says:\\ngo"}'
    memory = (said, result("call_0"), result('odd"\\id'))
    assert used.of(memory) == {"call_0", 'odd"\\id'}
    assert used.of((*memory, said, result("call_1"))) == {"call_0", 'odd"\\id', "call_1"}
    # That an earlier place is not read again is seen by changing it, which no journal does.
    assert used.of((said, said, said, said, result("call_1"), result("b"))) == {"call_0", 'odd"\\id', "call_1", "b"}
    assert used.of((said, result("b"))) == {"b"}
