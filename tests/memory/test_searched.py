"""What a search of the past finds beside requests, calls and results: all that people said, and images in words."""

import pytest

from runtime.memory.records import JournalRecords, spoken
from runtime.session.events import (
    AnyEvent,
    ImagesDescribed,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    QuestionAnswered,
)
from runtime.session.message_events import Quoted
from runtime.session.messages import serialised
from tests.agent.conftest import desk
from tests.agent.desk import SID, Desk
from tests.support.model import call, calls, say
from tests.support.redis import redis_server, redis_url, store
from tools.builtin.recall import Recall

__all__ = ["desk", "redis_server", "redis_url", "store"]

ANA = "Ana (U1)"


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (MessageEdited(ts="1.0", user="U1", speaker=ANA, text="in feet"), [(f"changed message of {ANA}", "in feet")]),
        (MessageDeleted(ts="1.0", user="U1", speaker=ANA, text="gone"), [(f"deleted message of {ANA}", "gone")]),
        (
            MessageReceived(
                ts="1.0", user="U1", speaker=ANA, text="go", context=(Quoted(speaker="Bob", text="12", ts="0.5"),)
            ),
            [("earlier message of Bob", "12"), (f"message of {ANA}", "go")],
        ),
        (
            ImagesDescribed(run_id="r1", paths=("a.png",), message=serialised({"role": "user", "content": "A\nboat"})),
            [("images a.png in words", "A\nboat")],
        ),
        (QuestionAnswered(run_id="r1", question_id="q", answer="", by="", how="expired"), []),
    ],
)
def test_everything_that_was_said_has_a_place(event: AnyEvent, found: list[tuple[str, str]]) -> None:
    """Changed and deleted messages, earlier ones brought along, and images in words; silence is nothing said."""
    assert list(spoken(event)) == found


async def test_a_persons_answer_is_found_by_its_words(desk: Desk) -> None:
    """The answer to a question in plain text stands in no result, and is found all the same."""
    desk.use(desk.context.tools.with_tools([Recall()]))
    desk.script(calls(call("planning", command="create", title="P", steps=["Send"])), say("Which format?"))
    await desk.hear("send it")
    await desk.work()
    await desk.answer("parquet please")
    await desk.session.commit(MessageEdited(ts="2.0", user="U1", speaker=ANA, text="send the manifest"))
    done = call("planning", command="mark", step_index=0, step_status="completed")
    desk.script(calls(call("recall", find="parquet")), calls(done), say("Sent."))
    await desk.work()
    sent = [message.text for message in desk.model.requests[-1].messages if message.role == "tool"]
    assert "answer of U1" in sent[1]
    assert "parquet please" in sent[1]
    records = JournalRecords(store=desk.store, session_id=SID, written=desk.session.settled)
    assert [found.source for found in await records.search("manifest", 5)] == [f"changed message of {ANA}"]
