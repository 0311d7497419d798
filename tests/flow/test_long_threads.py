"""A thread with more words than fit: the planner and the steps are told the task, the newest, and what is left out."""

from hypothesis import given
from hypothesis import strategies as st

from runtime.flow.planner import heard
from runtime.session.events import RunOutcome
from tests.agent.conftest import desk
from tests.agent.desk import Desk
from tests.flow.test_planning import TELL, plan, played, shop
from tests.support.model import fail, say
from tests.support.redis import redis_server, redis_url, store

__all__ = ["desk", "redis_server", "redis_url", "shop", "store"]


async def test_a_planner_that_finds_the_thread_too_long_is_told_less_of_it(shop: Desk) -> None:
    """The task and the newest words stay; the refused request is not repeated, and the run does not fail."""
    shop.script(say("ok"), say("ok"))
    for number in range(2):
        await shop.hear(f"log {number} " + "pasted " * 600, ts=f"1.{number}")
        await shop.work()
    too_long = fail(400, "maximum context length is 8192 tokens", code="context_length_exceeded")
    run = await played(shop, too_long, plan(TELL | {"after": []}), say("word " * 9))
    assert run.outcome is RunOutcome.ANSWERED
    refused, accepted, brief = (request.messages[-1].text for request in shop.model.requests[2:5])
    assert len(accepted) < 0.6 * len(refused)
    for text in (accepted, brief):
        assert "log 0" in text
        assert "count the boats, in metric units" in text


async def test_words_of_a_long_thread_take_a_part_of_what_the_model_reads(shop: Desk) -> None:
    """The brief of a step holds the first and the newest messages and says that others are left out."""
    for number in range(6):
        shop.script(say("ok"))
        await shop.hear(f"message {number} " + "pasted " * 200, ts=f"1.{number}")
        await shop.work()
    shop.configure("[model]\ncontext_window = 4000\n")
    await played(shop, plan(TELL | {"after": []}), say("word " * 9))
    brief = shop.model.requests[-1].messages[-1].text
    assert "message 0" in brief
    assert "count the boats" in brief
    assert "messages between these are left out here]" in brief
    assert len(brief) < 4_000


@given(st.lists(st.text(max_size=6_000), max_size=6), st.integers(1, 20_000), st.sampled_from([1, 0.5, 0.25]))
def test_what_is_heard_keeps_to_its_room_and_holds_the_newest(asked: list[str], chars: int, share: float) -> None:
    """Whatever was said; only the note of what is left out comes on top."""
    told = heard(asked, chars, share)
    assert len(told) <= len(asked) + 1
    assert sum(map(len, told)) <= chars * share + 60
    if share == 1 and sum(map(len, asked)) <= chars and all(len(text) <= min(4_000, chars // 2) for text in asked):
        assert told == asked
