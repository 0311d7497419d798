"""How much is said in a thread: a reply per call, per finished step, or only plan and answer."""

import pytest

from bot.delivery.outbox import Post, wanted
from runtime.session.events import AnyEvent, CallFinished, CallStatus
from runtime.session.ids import SessionKey
from tests.session.story import SESSION, finished, ran, replied, said, started, told
from tests.support.model import call, calls, say
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker
from tools.plan import Plan, PlanStep, StepStatus

KEY = SessionKey.parse(SESSION)


def planned(call_id: str, done: int) -> CallFinished:
    """The plan with so many of its two steps done."""
    steps = tuple(
        PlanStep(title=title, status=StepStatus.COMPLETED if number < done else StepStatus.PENDING)
        for number, title in enumerate(("Read the log", "Fix the import"))
    )
    plan = Plan(title="Repair", steps=steps)
    return CallFinished(run_id="r1", call_id=call_id, status=CallStatus.OK, output="ok", plan=plan)


STORY: tuple[AnyEvent, ...] = (
    said("go"),
    started(),
    replied("planning"),
    planned("r1.1.0", 0),
    replied("bash", step=2),
    *ran("r1.2.0", "line 1"),
    replied("bash", "planning", step=3),
    *ran("r1.3.0", "line 2"),
    planned("r1.3.1", 1),
    replied("bash", step=4),
    *ran("r1.4.0", "fixed"),
    replied("planning", step=5),
    planned("r1.5.0", 2),
    finished(),
)


@pytest.mark.parametrize(
    ("verbosity", "replies"),
    [
        ("all", ["Read the log", "Read the log", "Fix the import"]),
        ("steps", ["Read the log", "Fix the import"]),
        ("quiet", []),
    ],
)
def test_each_verbosity_says_as_much_as_it_promises(verbosity: str, replies: list[str]) -> None:
    """Three calls in two steps; plan and answer stand in the thread in every case, and nothing is said twice."""
    posts = [item for item in wanted(KEY, told(*STORY), verbosity) if isinstance(item, Post)]
    steps = [item.content.text for item in posts if item.op.startswith("step:")]
    assert steps == replies
    assert [item.op for item in posts if not item.op.startswith("step:")] == ["plan:r1", "answer:r1:0"]


async def test_a_channel_may_have_a_verbosity_of_its_own(on_stage: StageMaker) -> None:
    """Quiet here, a reply per step elsewhere; the output is not lost, only not announced."""
    look = calls(call("bash", command="true"))
    settings = f'[slack]\nverbosity_in = {{ {DATA} = "quiet" }}'
    async with on_stage(look, say("Quiet."), look, say("Loud."), settings=settings) as stage:
        quiet = await stage.ana.send(DATA, f"{BOT} look")
        await stage.answer(quiet)
        loud = await stage.ana.send(stage.ana.direct, "look")
        await stage.answer(loud)
        assert not any(message.has_button("Show output") for message in await stage.thread(quiet))
        assert any(message.has_button("Show output") for message in await stage.thread(loud))
