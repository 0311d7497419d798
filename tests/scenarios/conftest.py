"""A stage for each scenario, and the settings that most of them need."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.support.model import Turn
from tests.support.slack import LocalSlack, SlackMessage
from tests.support.stage import Stage, passable_folder, staged
from tests.waiting import wait_until

StageMaker = Callable[..., AbstractAsyncContextManager[Stage]]

BEN_DECIDES = """
[[policy.rules]]
tool = "bash"
verdict = "ask"
approvers = ["U0BEN"]
"""


@pytest.fixture
def on_stage(slack: LocalSlack, redis_url: str) -> StageMaker:
    """Make a stage on which the model plays the given turns."""

    def make(*turns: Turn, settings: str = "") -> AbstractAsyncContextManager[Stage]:
        return staged(slack, redis_url, turns, settings=settings)

    return make


@pytest.fixture
async def etl() -> AsyncIterator[Path]:
    """A directory of the host that the operator shares."""
    async with passable_folder() as folder:
        (folder / "limit.txt").write_text("10\n", encoding="utf-8")
        yield folder


@pytest.fixture
async def bot_folder() -> AsyncIterator[Path]:
    """Where a bot's process has its settings, its data and its log."""
    async with passable_folder() as folder:
        yield folder


async def whispered_text(stage: Stage) -> str:
    """The newest private notice, once there is one."""

    async def newest() -> str:
        told = await stage.slack.calls("chat.postEphemeral")
        return str(told[-1]["args"]["text"]) if told else ""

    return await wait_until("a private notice", newest)


async def click_late(stage: Stage, card: SlackMessage, name: str, user: str, **place: str) -> None:
    """A click on a card as somebody saw it before it changed; `place` puts the card somewhere else."""
    element = card.element(name)
    assert element is not None
    where = {"message_ts": card.ts, "channel_id": card.channel, "thread_ts": card.thread_ts, **place}
    body = {
        "type": "block_actions",
        "user": {"id": user},
        "team": {"id": "T0LOCAL"},
        "channel": {"id": where["channel_id"]},
        "container": {"type": "message", **where},
        "message": {"ts": where["message_ts"], "thread_ts": where["thread_ts"]},
        "actions": [{**element, "action_ts": "9999999999.5"}],
        "trigger_id": "1.2.3",
    }
    await stage.slack.deliver(body, payload_type="interactive")


def with_mount(etl: Path) -> str:
    """The directory as a mount, and Ben as the one who decides about it."""
    return f"""
        [[workspace.mounts]]
        name = "etl"
        path = "{etl}"
        [[policy.rules]]
        tool = "publish"
        verdict = "ask"
        approvers = ["U0BEN"]
    """
