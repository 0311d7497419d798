"""After the memory became a summary: the original is found by its words, and a "yes" still means what it meant."""

from runtime.session.events import MemoryCompacted, RunOutcome
from tests.agent.conftest import desk
from tests.agent.desk import Desk
from tests.support.model import Turn, call, calls, say
from tests.support.redis import redis_server, redis_url, store
from tools.builtin.recall import Recall

__all__ = ["desk", "redis_server", "redis_url", "store"]


def big(number: int, words: str = "") -> Turn:
    """A call with a long output."""
    return calls(call("echo", text=f"{number} " + "lorem ipsum " * 130 + words))


async def test_what_a_summary_left_out_is_found_and_a_yes_keeps_its_referent(desk: Desk) -> None:
    """Neither the value nor the question needs to survive the summary for the run to go on rightly."""
    desk.use(desk.context.tools.with_tools([Recall()]))
    desk.configure("[model]\ncontext_window = 8000\n")
    desk.script(big(0, "the berth is Q77"), big(1), say("Shall I book the berth I found?"))
    await desk.hear("find a berth", scripted=True)
    assert (await desk.work()).outcome is RunOutcome.ANSWERED
    desk.script(big(2), big(3), big(4), calls(call("recall", find="berth is")), say("Booked Q77."))
    await desk.hear("yes", ts="3.0", scripted=True)
    assert (await desk.work()).answer == "Booked Q77."
    events = [event for event in await desk.journal() if isinstance(event, MemoryCompacted)]
    assert events
    last = [message.text for message in desk.model.requests[-1].messages]
    assert not [text for text in last[:-1] if "Q77" in text]
    assert "Q77" in last[-1]
    asked = next(index for index, text in enumerate(last) if "Shall I book" in text)
    assert last[asked + 1].endswith("says:\nyes")
