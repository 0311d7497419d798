"""Two replicas on one store and one Slack: whoever hears a click, whoever runs the thread, it happens once."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from runtime.session.entries import DecisionEntry, MessageEntry
from runtime.session.intake import take_in
from tests.people.conftest import StageMaker, asked, bash_asks, once, seen
from tests.session.story import NOON, replied, requested, said, started, told
from tests.support.stage import Stage
from tests.waiting import wait_until


@asynccontextmanager
async def second_worker(stage: Stage) -> AsyncGenerator[None]:
    """A further worker beside the stage's own, as another replica would run it."""
    async with AsyncExitStack() as stack:
        worker = stage.core.worker(stage.side.conversation)
        worker.name = "another replica"
        working = asyncio.create_task(worker.run(), name="second worker of the stage")
        stack.push_async_callback(asyncio.wait, [working])
        stack.callback(worker.stop)
        yield


async def test_two_people_at_once_on_two_replicas_decide_once(on_stage: StageMaker) -> None:
    """The first click counts, the other is told who was first, and the command runs once."""
    settings = bash_asks(approvers=["U0BEN", "U0CLEO"])
    async with on_stage(*once("echo x >> x.txt"), settings=settings) as stage, second_worker(stage):
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        clicks = [stage.slack.person(user).click(card, "Approve") for user in ("U0BEN", "U0CLEO", "U0BEN")]
        await asyncio.gather(*clicks)
        await stage.answer(sent)
        assert (await stage.workspace(sent)).read_bytes("x.txt") == b"x\n"

        async def both_told() -> bool:
            made = await stage.slack.calls("chat.postEphemeral")
            return sum("already decided by" in c["args"]["text"] for c in made) == 2

        await wait_until("both later clicks are told who decided", both_told)


async def test_a_click_taken_by_another_replica_moves_the_run_on_at_once(on_stage: StageMaker) -> None:
    """The worker that did not ask goes on with the run; nothing waits for a poll or a timeout."""
    async with on_stage(*once(), settings=bash_asks()) as stage, second_worker(stage):
        sent = await asked(stage)
        await stage.ana.click(await stage.button(sent, "Approve"), "Approve")
        await stage.answer(sent)
        assert len(stage.model.requests) == 2


async def test_the_card_names_who_decided_whatever_comes_between(on_stage: StageMaker) -> None:
    """Verdict and outcome are two updates of one message; the last one has both."""
    async with on_stage(*once(), settings=bash_asks(approvers=["U0BEN"])) as stage:
        await stage.slack.fault("chat.update", "http_500", times=1)
        sent = await asked(stage)
        await stage.ben.click(await stage.button(sent, "Approve"), "Approve")
        await stage.answer(sent)
        assert "Approved by <@U0BEN>" in (await seen(stage, sent, "Ran.")).words


def test_a_click_is_taken_before_what_only_waits() -> None:
    """A verdict counts in the state it meets, however many messages came before it; they wait for its result."""
    state = told(said("go"), started(), replied("publish"), requested("U0BEN"))
    for number in range(10):
        message = MessageEntry(entry_id=f"m{number}", ts=f"{number}.5", user="U0ANA", text="more", mentions_bot=False)
        assert [event.kind for event in take_in(state, message, now_ms=NOON)] == ["message_received"]
    click = DecisionEntry(entry_id="d", approval_id="a1", verdict="approved", by="U0BEN")
    assert [event.kind for event in take_in(state, click, now_ms=NOON)] == ["approval_decided"]
