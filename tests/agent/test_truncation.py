"""A server that silently reads less than it was sent is found out, and one that reads everything is not suspected."""

import json

from aiohttp.web import StreamResponse

from runtime.agent.room import Readings
from runtime.session.events import ModelReplied
from runtime.session.mind_events import MemoryCompacted
from runtime.session.usage import Usage
from tests.agent.conftest import desk
from tests.agent.desk import Desk
from tests.support.model import Asked, Turn, call, calls, raw, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "store"]

BY = ("main",)
ROOM = 100_000


def big(number: int) -> Turn:
    """A call with a long output."""
    return calls(call("echo", text=f"{number} " + "lorem ipsum " * 150))


def counted(prompt_tokens: int, cached: int = 0) -> Turn:
    """A call, with what the server says it has read."""
    made = {"id": "c99", "type": "function", "function": {"name": "echo", "arguments": "{}"}}
    body = {
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [made]}}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }
    return raw(json.dumps(body), content_type="application/json")


async def rooms(desk: Desk) -> list[tuple[str, int]]:
    """Why the memory became shorter, and to what."""
    return [(event.reason, event.room) for event in await desk.journal() if isinstance(event, MemoryCompacted)]


def found(*readings: tuple[int, int], by: tuple[str, ...] = BY) -> list[int]:
    """What is found out of these counts, each after how much was asked."""
    of = Readings()
    return [of.truncated(asked, ROOM, Usage(input=read), by) for asked, read in readings]


async def test_many_small_calls_are_no_truncation(desk: Desk) -> None:
    """What frames a small call weighs a lot in the estimate and little with a model."""
    desk.configure("[budget.run]\nsteps = 300\nusd = 1000\n")
    desk.script(*(calls(call("echo", text=f"{number}")) for number in range(100)), say("Done."))
    await desk.hear("go", scripted=True)
    assert (await desk.work()).answer == "Done."
    assert await rooms(desk) == []


async def test_a_server_that_drops_the_older_half_is_found_out(desk: Desk) -> None:
    """From then on the memory is kept to what it reads."""
    desk.configure("[model]\ncontext_window = 60000\n")

    async def play(asked: Asked) -> StreamResponse:
        replies = [event for event in await desk.journal() if isinstance(event, ModelReplied)]
        before, last = (event.usage.input for event in replies[-2:])
        half.append((2 * last - before) // 2)
        return await counted(half[0]).play(asked)

    half: list[int] = []
    desk.script(*(big(number) for number in range(10)), Turn(name="half", play=play), say("Done."))
    await desk.hear("count", scripted=True)
    assert (await desk.work()).answer == "Done."
    assert await rooms(desk) == [("truncated", half[0])]


async def test_a_server_that_does_not_count_what_it_had_cached_has_read_all_the_same(desk: Desk) -> None:
    """More cached than read can only be meant so; it is added, and the memory stays as it is."""
    desk.configure("[model]\ncontext_window = 60000\n")
    desk.script(*(big(number) for number in range(9)), counted(30, cached=9_000), say("Done."))
    await desk.hear("count", scripted=True)
    run = await desk.work()
    assert run.answer == "Done."
    assert await rooms(desk) == []
    odd = [event.usage for event in await desk.journal() if isinstance(event, ModelReplied)][9]
    assert (odd.input, odd.cached) == (9_030, 9_000)


def test_a_count_that_stands_still_while_much_is_added_is_a_truncation() -> None:
    """Also where it wavers by the size of what is dropped."""
    growing = [(asked, asked // 3) for asked in range(1_000, 12_000, 1_000)]
    standing = [(asked, 4_000 - asked % 3_000 // 10) for asked in range(12_000, 30_000, 1_000)]
    assert not any(found(*growing))
    assert any(found(*growing, *standing))


def test_a_reply_that_took_two_requests_makes_the_next_one_no_truncation() -> None:
    """The one after it is held against the least of the newest counts, wherever the double count came."""
    for doubled in range(20):
        counts = [(asked, asked // 2 * (2 if number == doubled else 1)) for number, asked in enumerate(ASKED)]
        assert not any(found(*counts)), doubled


ASKED = range(5_000, 25_000, 1_000)


def test_counts_of_another_model_or_of_a_shorter_memory_are_no_measure() -> None:
    """A fallback with another vocabulary, other tools, a summary, or a part that was left out."""
    whole = [(10_000, 9_000), (10_100, 9_100), (10_200, 9_200)]
    assert found(*whole, (10_300, 4_000)) == [0, 0, 0, 4_000]
    assert found(*whole, (9_000, 4_000)) == [0, 0, 0, 0]
    of = Readings()
    for asked, read in whole:
        assert of.truncated(asked, ROOM, Usage(input=read), BY) == 0
    assert of.truncated(10_300, ROOM, Usage(input=4_000), ("small",)) == 0
    assert of.truncated(10_300, 10_000, Usage(input=1_000), ("small",)) == 0
    assert of.truncated(10_400, ROOM, Usage(input=9_400, estimated=True), ("small",)) == 0


def test_the_first_count_of_all_is_suspected_only_where_it_cannot_be() -> None:
    """There is nothing before it but the estimate."""
    assert found((20_000, 4_000)) == [0]
    assert found((40_000, 2_000)) == [2_000]
    assert found((4_000, 20)) == [0]
