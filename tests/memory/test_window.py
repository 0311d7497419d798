"""A long memory is cut without breaking it: pairs stay together, the task stays, the front moves rarely."""

import json

from hypothesis import given
from hypothesis import strategies as st

from bot.rehearsal.wire import parse_request
from runtime.llm.tokens import estimated_messages
from runtime.memory.window import RESULT_SHARE, cut_result, fitted


def user(text: str) -> str:
    """A person's message."""
    return json.dumps({"role": "user", "content": text}, separators=(",", ":"))


def turn(number: int, calls: int, size: int) -> list[str]:
    """A reply with calls, and their results."""
    ids = [f"call_{number}_{index}" for index in range(calls)]
    made = [{"id": id_, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for id_ in ids]
    reply = {"role": "assistant", "content": "x" * 10, **({"tool_calls": made} if made else {})}
    results = [{"role": "tool", "tool_call_id": id_, "content": "y" * size} for id_ in ids]
    return [json.dumps(message, separators=(",", ":")) for message in (reply, *results)]


def conversation(turns: list[tuple[int, int, bool]]) -> tuple[str, ...]:
    """The task, then turns of (calls, size of results, whether a person speaks after it)."""
    memory = [user("Ana says:\nTHE TASK")]
    for number, (calls, size, speaks) in enumerate(turns):
        memory += turn(number, calls, size)
        memory += [user(f"Ana says:\nremark {number}")] if speaks else []
    return tuple(memory)


TURNS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 400), st.booleans()), max_size=40)


@given(TURNS, st.integers(200, 5000))
def test_what_is_sent_is_well_paired_and_holds_the_task(turns: list[tuple[int, int, bool]], limit: int) -> None:
    """Wherever the cut falls, a strict server accepts the messages, the first one is still the task,
    and the last one the newest, whole or by head and tail.
    """
    memory = conversation(turns)
    sent = fitted(memory, limit)
    parse_request({"model": "m", "messages": [json.loads(message) for message in sent]})
    assert sent[0] == memory[0]
    assert sent[-1] in {memory[-1], cut_result(memory[-1], 3 * (limit // RESULT_SHARE))}


@given(TURNS)
def test_what_fits_is_sent_unchanged(turns: list[tuple[int, int, bool]]) -> None:
    """Nothing is copied, counted out or added while the memory fits."""
    memory = conversation(turns)
    assert fitted(memory, estimated_messages(memory)) is memory


def test_three_hundred_steps_of_four_calls_fit_and_their_front_moves_rarely() -> None:
    """Over 300 steps the sent messages fit each time, and in most steps they only grow at their end."""
    limit = 20_000
    memory = conversation([])
    before: tuple[str, ...] = memory
    moved = 0
    for number in range(300):
        memory = (*memory, *turn(number, 4, 300))
        sent = fitted(memory, limit)
        assert estimated_messages(sent) <= limit
        moved += sent[: len(before)] != before
        before = sent
    assert moved <= 40


def test_a_yes_is_never_sent_without_what_it_answers() -> None:
    """Also where the window is cut right between the two, or a note of the system came after them."""
    said = json.dumps({"role": "assistant", "content": "Shall I delete boats.csv?"}, separators=(",", ":"))
    note = user("[Note of the system, not of a person: try another way.]")
    front = (user("Ana says:\ngo"), *turn(0, 2, 300), said, user("Ana says:\nyes"))
    for between in ((), (*turn(1, 1, 10), note)):
        memory = (*front, *between, *(message for number in range(2, 22) for message in turn(number, 2, 300)))
        for limit in range(300, estimated_messages(memory), 50):
            sent = fitted(memory, limit)
            assert sent[sent.index(front[-1]) - 1] == said
            assert sent[0] == memory[0]
            assert note in sent or not between


def test_what_the_run_was_started_for_is_sent_whatever_was_said_after_it() -> None:
    """In the second run of a thread that is not the first message."""
    memory = (*conversation([(0, 0, False)]), user("Ana says:\nTHE NEW TASK"))
    opening = len(memory) - 1
    memory = (*memory, *(message for number in range(1, 21) for message in turn(number, 2, 300)))
    memory = (*memory, user("Ana says:\na remark"), *(line for n in range(30, 50) for line in turn(n, 2, 300)))
    for limit in range(300, estimated_messages(memory), 50):
        assert memory[opening] in fitted(memory, limit, opening=opening)
