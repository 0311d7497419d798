"""Long outputs: what the model is shown of them, and how it reads the rest and everything else that was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.memory.excerpt import LEAST, excerpt
from tests.agent.conftest import desk
from tests.agent.desk import Desk
from tests.support.model import call, calls, say
from tests.support.redis import redis_server, redis_url, store
from tools.builtin.recall import Recall
from tools.collection import ToolCollection

__all__ = ["desk", "redis_server", "redis_url", "store"]

LONG = "\n".join(f"row {number}" for number in range(5_000))


@given(st.text(min_size=0, max_size=9_000), st.integers(100, 5_000))
def test_an_excerpt_is_short_and_says_how_much_is_missing(output: str, limit: int) -> None:
    """Up to the limit everything is shown; beyond it head and tail are, word for word, with the way to the rest."""
    shown = excerpt(output, "r1.1.0", limit)
    if len(output) <= limit:
        assert shown == ""
        return
    assert len(shown) <= limit + 200
    head, _, rest = shown.partition("\n[... ")
    assert output.startswith(head)
    assert f"offset={len(head)})" in rest


def test_the_longer_an_output_the_less_is_shown_of_it() -> None:
    """Thirty kilobytes are sampled by one."""
    assert len(excerpt("x" * 4_500, "r1.1.0", 4_000)) > 3_500
    assert len(excerpt("x" * 30_000, "r1.1.0", 4_000)) < LEAST + 200


@pytest.fixture
def tools(desk: Desk) -> ToolCollection:
    """The sample tools and the one that looks back."""
    return desk.context.tools.with_tools([Recall()])


async def test_a_long_output_is_stored_whole_and_read_page_by_page(desk: Desk, tools: ToolCollection) -> None:
    """The model sees head and tail with a handle, and the handle leads to the part that was left out."""
    desk.use(tools)
    desk.script(
        calls(call("echo", text=LONG)),
        calls(call("recall", call="r1.1.0", offset=20_000, length=100)),
        calls(call("recall", call="r1.1.0", find="row 4321")),
        say("Read."),
    )
    await desk.hear("go")
    await desk.work()
    sent = [message.text for message in desk.model.requests[-1].messages if message.role == "tool"]
    assert len(sent[0]) < 1_300
    assert sent[0].startswith("row 0\n")
    assert sent[0].endswith("row 4999")
    assert 'recall(call="r1.1.0", offset=' in sent[0]
    assert sent[1].startswith(LONG[20_000:20_100])
    assert "row 4321" in sent[2]
    assert desk.run.calls["r1.1.0"].result is not None
    assert desk.run.calls["r1.1.0"].result.output == LONG


async def test_everything_said_before_can_be_searched(desk: Desk, tools: ToolCollection) -> None:
    """People's words, calls and results are found by words, newest first, each with its place."""
    desk.use(tools)
    desk.script(
        calls(call("echo", text="the harbour is closed")),
        calls(call("recall", find="harbour")),
        calls(call("recall", find="unicorn")),
        calls(call("recall", call="r9.9.9")),
        calls(call("recall")),
        say("Done."),
    )
    await desk.hear("is the harbour open?")
    await desk.work()
    sent = [message.text for message in desk.model.requests[-1].messages if message.role == "tool"]
    assert "result of call r1.1.0" in sent[1]
    assert "message of U1" in sent[1]
    assert sent[2] == "Nothing holds these words."
    assert sent[3].startswith("[error] There is no call 'r9.9.9'")
    assert "words to find" in sent[4]


async def test_what_the_same_reply_brought_before_is_found(desk: Desk, tools: ToolCollection) -> None:
    """A result that is still on its way into the journal is waited for."""
    desk.use(tools)
    two = [call("echo", text="the harbour is closed"), call("recall", call="r1.1.0", find="harbour")]
    desk.script(calls(*two), say("Done."))
    await desk.hear("go")
    await desk.work()
    sent = [message.text for message in desk.model.requests[-1].messages if message.role == "tool"]
    assert "the harbour is closed" in sent[1]
