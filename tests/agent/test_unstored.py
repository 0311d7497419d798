"""Nothing that others see or that lasts may be built on what is not in the journal yet."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

import pytest

from runtime.agent.manus import Manus
from runtime.alerts import Alert
from runtime.budget.account import Account
from runtime.budget.ledger import Ledger
from runtime.session.entries import PlanEditEntry
from runtime.session.events import RunFinished, RunOutcome
from runtime.session.limit_events import ModelTried
from runtime.session.runner import Runner, Turn
from runtime.session.writer import load_state
from runtime.store.errors import StoreUnavailable
from runtime.store.redis_store import SessionStore
from runtime.store.values import Committed
from tests.agent.desk import SID, Desk, never
from tests.agent.sample_tools import Looks, Pays
from tests.agent.test_images import blind
from tests.support.model import call, calls, fail, say
from tests.support.pixels import png
from tests.waiting import wait_until
from tools.base import Risk
from tools.builtin.str_replace_editor import StrReplaceEditor


class LosesAResult(SessionStore):
    """The usual store, away when the first result of a call is to be stored."""

    was_away: bool = False

    async def commit(self, sid: str, token: int, expected_seq: int, *, events: Sequence[str], **rest: Any) -> Committed:
        """Refuse once."""
        if not self.was_away and any('"call_finished"' in event for event in events):
            self.was_away = True
            raise StoreUnavailable("away for a moment")
        return await super().commit(sid, token, expected_seq, events=events, **rest)


async def test_images_are_told_after_the_result_that_brought_them(desk: Desk) -> None:
    """Where that result could not be stored they are not told either, so calls and results stay paired."""
    blind(desk)
    desk.use(desk.context.tools.with_tools([StrReplaceEditor()]))
    (desk.context.workspace.root / "chart.png").write_bytes(png(640, 480))
    desk.script(calls(call("str_replace_editor", command="view", path="chart.png")))
    await desk.hear("check the chart")
    desk.session.store = LosesAResult(desk.store.clients, desk.store.keys)
    with pytest.raises(StoreUnavailable):
        await Manus(desk.context).run(never)
    assert (await desk.kinds())[-1] == "call_started"
    await desk.restart()
    desk.script(say("It rises."))
    assert (await desk.work()).answer == "It rises."
    assert desk.model.refused == []


class Sends(Pays):
    """Pays without asking."""

    name: ClassVar[str] = "sends"
    risk: ClassVar[Risk] = Risk.WORKSPACE


async def test_what_an_effect_brought_is_stored_before_the_next_call_reads(desk: Desk) -> None:
    """Else a crash while it reads would leave a person to say what came of the effect."""
    known = list[list[bool]]()

    def tell() -> None:
        run = desk.session.state.active_run
        known.append([call.result is not None for call in run.calls.values()] if run is not None else [])

    desk.use(desk.context.tools.with_tools([Sends(), Looks(tell)]))
    desk.script(calls(call("sends", text="Bob"), call("looks"), call("looks")), say("Done."))
    await desk.hear("go")
    await desk.work()
    assert known[0] == [True, False, False]


@dataclass(slots=True)
class Told:
    """Operators who note how many steps the journal knew of when they heard something."""

    desk: Desk
    of: dict[Alert, int] = field(default_factory=dict[Alert, int])

    async def tell(self, alert: Alert, about: Mapping[str, str]) -> None:
        """Hear it."""
        run = self.desk.session.state.run
        self.of[alert] = run.spent.steps if run is not None else 0


async def test_operators_hear_that_the_model_is_back_when_its_reply_is_stored(desk: Desk) -> None:
    """Before that it may still come to nothing, and the next replica would find the model away."""
    context = desk.context
    account = Account(
        ledger=Ledger.beside(desk.store),
        settings=context.settings,
        policy=context.policy,
        prices=context.prices,
        lease=desk.session.lease,
    )
    told, began = Told(desk), asyncio.Event()
    desk.context = replace(context, account=account, operators=told)
    desk.use(desk.context.tools.with_tools([Looks(began.set)]))
    desk.script(fail(503), fail(503), calls(call("looks")), say("Done."))
    await desk.hear("go")
    away = (await desk.work()).away
    assert away is not None
    await desk.session.commit(ModelTried(run_id="r1", away_id=away.away.away_id))
    await desk.session.lock.acquire()
    work = asyncio.create_task(desk.work())
    await began.wait()
    for _ in range(10):
        await desk.kinds()
    desk.session.lock.release()
    assert (await work).answer == "Done."
    assert told.of[Alert.MODEL_BACK] == 1


async def test_what_a_person_did_while_the_run_ended_means_something_else(desk: Desk) -> None:
    """An edit of the plan that the end of the run overtakes is told to be too late; nothing fails."""
    desk.script(calls(call("planning", command="create", title="P", steps=["one", "two"])))
    await desk.hear("go")
    steps = iter((False, True))

    async def pause() -> bool:
        return next(steps)

    await Manus(desk.context).run(pause)
    edit = PlanEditEntry(entry_id="e", run_id="r1", by="U1", plan_seq=desk.run.plan_seq, titles=("one", "three"))
    stretch = Turn(
        runner=cast("Runner", None),
        session=desk.session,
        workspace=desk.context.workspace,
        preempt=asyncio.Event(),
        slice_over=lambda: False,
    )
    record = (await desk.store.read_inbox(SID))[0]
    async with desk.session.lock:
        over = RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED, answer="Done.")
        both = asyncio.gather(desk.session.commit(over), stretch.accept(edit, record.id))
        await asyncio.sleep(0)
    await both
    assert (await desk.kinds())[-2:] == ["run_finished", "notice_queued"]


async def test_an_edit_of_the_plan_that_comes_right_before_a_reply_is_kept(desk: Desk) -> None:
    """It waits for its turn while the reply comes, whose call speaks of the plan as it was."""
    desk.script(
        calls(call("planning", command="create", title="P", steps=["one", "two"])),
        calls(call("planning", command="mark", step_index=0, step_status="completed")),
        calls(call("terminate", status="failure", answer="Stopped.")),
    )
    await desk.hear("go")
    editing = list[asyncio.Task[None]]()

    async def hold() -> bool:
        if len(desk.model.bodies) == 1:
            await desk.session.settled()
            await desk.session.lock.acquire()
            titles = ("one", "two", "three")
            entry = PlanEditEntry(entry_id="e", run_id="r1", by="U1", plan_seq=desk.run.plan_seq, titles=titles)
            editing.append(asyncio.create_task(desk.take_in(entry)))
        return False

    work = asyncio.create_task(Manus(desk.context).run(hold))
    await wait_until("the second request", lambda: len(desk.model.bodies) >= 2)
    for _ in range(10):
        await desk.kinds()
    desk.session.lock.release()
    await editing[0]
    await work
    assert desk.run.plan is not None
    assert [step.title for step in desk.run.plan.steps] == ["one", "two", "three"]
    assert await load_state(desk.store, SID) == desk.session.state
