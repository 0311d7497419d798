"""What a dead bot left open in Slack: its successor closes it, under the thread's lease."""

from datetime import timedelta

import pytest

from tests.durability.conftest import MakeJourney
from tests.support.redis import advance
from tests.support.slack_people import as_dicts
from tests.surface.conftest import statuses
from tests.waiting import wait_until

PATIENT = 90.0


@pytest.mark.timeout(400)
async def test_a_dangling_stream_and_a_stuck_status_are_brought_to_their_end(new_journey: MakeJourney) -> None:
    """The stream that was opened last is found again and stopped, no second one is opened, and the thread is idle."""
    journey = new_journey("dangling")
    slack, ana = journey.slack, journey.ana
    since = max([made["n"] for made in await slack.calls()], default=0)
    doomed = journey.plan("slack", 1, "dies after").model_copy(update={"only": "chat.startStream"})
    await journey.start(doomed)
    sent = await ana.send(ana.direct, "Pay Bob and note it.")
    await journey.bots[0].ended.wait()
    seen = as_dicts((await slack.page("GET", "state", {"user": ana.user}))["sessions"])
    assert [one["status"] for one in seen if one["thread_ts"] == sent.ts] == ["processing"]
    await advance(journey.store.keys, journey.store, journey.lease + timedelta(seconds=1))
    await journey.start()
    await slack.wait_message(
        ana.direct, sent.ts, lambda m: m.has_button("Summer"), "the question", user="U0ANA", within=PATIENT
    )
    await ana.send(ana.direct, "stop", sent.ts)
    await slack.wait_message(
        ana.direct, sent.ts, lambda m: "Stopped by" in m.words, "the last word", user="U0ANA", within=PATIENT
    )

    async def is_idle() -> bool:
        return (await statuses(slack))[-1:] == ["active"]

    await wait_until("the status is idle", is_idle, within=PATIENT)
    opened = [made for made in await slack.calls("chat.startStream", since=since) if made["ok"]]
    stopped = [made for made in await slack.calls("chat.stopStream", since=since) if made["ok"]]
    assert (len(opened), {made["args"]["ts"] for made in stopped}) == (1, {opened[0]["response"]["ts"]})
