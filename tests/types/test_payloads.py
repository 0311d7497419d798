"""What Handrail sends and what the local Slack sends fit the types that Slack publishes for its own SDK."""

from pathlib import Path

import pytest

from tests.support.model import call, calls, say
from tests.support.recording import FOLDER, keep_calls, keep_deliveries
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, staged
from tests.types.records import records
from tests.types.typescript import complaints

pytestmark = pytest.mark.needs("slack-types")

SETTINGS = '[[policy.rules]]\ntool = "bash"\nverdict = "ask"'
PLAN = calls(call("planning", command="create", title="Orders", steps=["Count", "Say"]))
TICKS = calls(*(call("planning", command="mark", step_index=n, step_status="completed") for n in (0, 1)))
ASK = calls(call("ask_human", question="Which?", choices=["orders", "items"]))


async def test_a_journey_fits_slacks_own_types(slack: LocalSlack, redis_url: str, tmp_path: Path) -> None:
    """Plan, question, approval, stream, status, App Home, forms: both directions, literal by literal."""
    script = [
        PLAN,
        ASK,
        calls(call("bash", command="echo 42")),
        TICKS,
        say("# Done\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
    ]
    async with staged(slack, redis_url, [*script, *script], settings=SETTINGS) as stage:
        for channel in (DATA, stage.ana.direct):
            sent = await stage.ana.send(channel, f"{BOT} count")
            await stage.ana.click(await stage.button(sent, "orders"), "orders")
            card = await stage.button(sent, "Approve")
            await stage.ana.home()
            await stage.ana.click(card, "Approve")
            await stage.answer(sent)
        await stage.ana.open_messages()
        await slack.wait_idle()
        kept = tmp_path / "kept"
        keep_calls(await slack.calls(), kept)
        keep_deliveries(await slack.deliveries(), kept)
    assert len(records(kept)) > 20
    assert await complaints(records(kept), tmp_path) == []


async def test_everything_recorded_in_this_run_fits_slacks_own_types(tmp_path: Path) -> None:
    """Every shape that any test has sent or received by now, since tests of other folders come before."""
    found = records(FOLDER)
    assert not found or await complaints(found, tmp_path) == []


async def test_the_types_would_notice(tmp_path: Path) -> None:
    """A wrong status, a misspelt key, an unknown block and a title as an object are all refused."""
    task = {"type": "task_card", "task_id": "1", "title": "x", "status": "done"}
    plan = {"type": "plan", "title": "x", "tasks": [task]}
    button = {"type": "button", "text": {"type": "mrkdwn", "text": "x"}, "action_id": "a"}
    for blocks in (
        [plan],
        [{"type": "section", "txt": {"type": "mrkdwn", "text": "x"}}],
        [{"type": "paragraph", "text": "x"}],
        [{"type": "actions", "elements": [button]}],
    ):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        payload = {"channel": "C1", "text": "x", "blocks": blocks}
        assert await complaints([{"kind": "call", "name": "chat.postMessage", "payload": payload}], folder)
