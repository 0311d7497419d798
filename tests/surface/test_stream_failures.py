"""Every way in which a stream is known to fail: the message goes on by an update, nothing lost, nothing told twice."""

import asyncio

import pytest

from bot.delivery import streams
from bot.delivery.outbox import Post
from bot.delivery.streams import LIVES, SEALED, Stream, chunks
from bot.render import plan
from bot.render.limits import CHUNK_FIELD
from runtime.session.events import CallFinished, CallStatus
from runtime.session.ids import SessionKey
from tests.session.story import SESSION, replied, said, started, told
from tests.support.model import held, say
from tests.surface.conftest import StageMaker, called
from tests.surface.test_streams import PLAN, plan_message, tick
from tools.plan import Plan, PlanStep

KEY = SessionKey.parse(SESSION)
SLACK_SEALS = 306.0


@pytest.mark.parametrize(
    "failure", ["message_not_in_streaming_state", "stopped_by_user", "msg_too_long", "internal_error"]
)
async def test_an_append_that_fails_is_an_update(on_stage: StageMaker, failure: str) -> None:
    """Sealed, stopped, too long, or nobody knows: one plan message, brought to its last form."""
    gate = asyncio.Event()
    async with on_stage(PLAN, held(gate, tick(0)), tick(1), say("Two.")) as stage:
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await called(stage.slack, "chat.startStream")
        await stage.model.wait_for_requests(2)
        await stage.slack.fault("chat.appendStream", "error", error=failure, times=9)
        gate.set()
        await stage.answer(sent)
        tasks = next(b for b in (await plan_message(stage, sent)).blocks if b["type"] == "plan")["tasks"]
        assert [(task["title"], task["status"]) for task in tasks] == [("Count", "complete"), ("Say", "complete")]
        assert len(await stage.slack.calls("chat.startStream")) == 1
        await stage.slack.clear_faults()


async def test_a_stream_that_an_earlier_lease_left_open_is_closed_and_updated(on_stage: StageMaker) -> None:
    """Slack refuses an update while it streams: it is ended, then updated."""
    async with on_stage(PLAN, tick(0), tick(1), say("Two.")) as stage:
        await stage.slack.fault("chat.update", "error", error="streaming_state_conflict")
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await stage.answer(sent)
        assert await stage.slack.calls("chat.stopStream")
        assert "Say" in (await plan_message(stage, sent)).words


async def test_a_stream_is_left_before_slack_seals_it(on_stage: StageMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """When its time is nearly over it is stopped by us, and the message goes on by updates."""
    assert LIVES + 30 < SLACK_SEALS
    monkeypatch.setattr(streams, "LIVES", -1.0)
    async with on_stage(PLAN, tick(0), tick(1), say("Two.")) as stage:
        sent = await stage.ana.send(stage.ana.direct, "count the orders")
        await stage.answer(sent)
        assert not await stage.slack.calls("chat.appendStream")
        assert all(item["ok"] for item in await stage.slack.calls("chat.stopStream"))
        assert "Say" in (await plan_message(stage, sent)).words


def item_of(steps: tuple[PlanStep, ...]) -> Post:
    """The plan message of a run with these steps."""
    now = Plan(title="T" * 150, steps=steps)
    done = CallFinished(run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="ok", plan=now)
    run = told(said("go"), started(), replied("planning"), done).run
    assert run is not None
    return Post(op="plan:r1", seq=1, content=plan.render(KEY, run, "steps"), final=False)


def test_chunks_say_only_what_changed_and_each_text_fits() -> None:
    """Details are only ever appended by Slack, so a note is sent once; no text is longer than Slack takes."""
    steps = tuple(PlanStep(title="x" * 256, note="n" * 1000) for _ in range(50))
    stream = Stream(ts="1.1", opened_at=0.0)
    first = list(chunks(item_of(steps), stream))
    texts = [value for chunk in first for key, value in chunk.items() if key in {"title", "details"}]
    assert max(len(text) for text in texts) <= CHUNK_FIELD
    assert len(first) == 52
    assert list(chunks(item_of(steps), stream)) == []
    changed = (*steps[:49], replace_status(steps[49]))
    again = list(chunks(item_of(changed), stream))
    assert [chunk["id"] for chunk in again] == ["step-49"]
    assert "details" not in again[0]


def replace_status(step: PlanStep) -> PlanStep:
    """The step as completed."""
    return PlanStep.model_validate({**step.model_dump(), "status": "completed"})


def test_the_failures_that_end_a_stream_are_slacks_own() -> None:
    """As Slack's SDK and others report them."""
    assert {"message_not_in_streaming_state", "stopped_by_user"} <= SEALED
