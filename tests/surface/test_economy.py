"""Slack's limits hold for all replicas together: no call is refused because of a rate, whatever arrives at once."""

import asyncio
import time
from dataclasses import replace

import pytest

from bot.delivery.calls import call
from bot.delivery.errors import NotOurs
from bot.delivery.shared_pace import SharedPace
from bot.delivery.slack_api import SlackApi
from bot.render.content import Content
from runtime.session.ids import SessionKey
from runtime.store.connection import connect
from runtime.store.redis_store import SessionStore
from tests.session.story import SESSION
from tests.support.model import say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, FOOTER
from tests.surface.conftest import StageMaker, called
from tests.surface.fake_api import fake_api, paced
from tests.waiting import wait_until

THREADS = 50
SPEED = 5.0
"""Slower than other stages: what a busy process sends late comes in a cluster, which at full speed spans seconds."""
ROOM = """
[budget.person]
per_day_usd = 1000
[budget.workspace]
per_day_usd = 1000
[fair]
runs_per_person = 50
runs_per_channel = 50
requests_per_person = 1000
requests_per_channel = 1000
"""
"""Nothing but Slack's own limits is in the way."""


NO_REFILL = 0.001
"""A speed at which nothing comes back while a busy machine counts what may go at once."""


def pace_of(store: SessionStore, speed: float = 1.0) -> SharedPace:
    """A pace on the store's server."""
    return SharedPace(clients=store.clients, base="handrail:rate:test", clock=time.monotonic, speed=speed)


@pytest.mark.timeout(400)
async def test_fifty_threads_in_one_channel_are_answered_without_a_refusal(on_stage: StageMaker) -> None:
    """Every mention gets its sign and its answer, and Slack has to refuse nothing; limits and pace run faster alike."""
    async with on_stage(*(say(f"Answer {number}.") for number in range(THREADS)), settings=ROOM) as stage:
        stage.side.conversation.api.pace.speed = SPEED
        await stage.slack.configure(rate_limits="slack", rate_speed=SPEED)
        sent = await asyncio.gather(*(stage.ana.send(DATA, f"{BOT} number {n}") for n in range(THREADS)))

        async def answered(message: SlackMessage) -> bool:
            return any(FOOTER in reply.words for reply in await stage.thread(message))

        for message in sent:
            await wait_until("an answer", lambda message=message: answered(message), within=120)
        calls = await stage.slack.calls()
        assert [(call["method"], call["error"]) for call in calls if call["error"] == "ratelimited"] == []
        signs = {call["args"]["timestamp"] for call in calls if call["method"] == "reactions.add" and call["ok"]}
        assert signs == {message.ts for message in sent}


async def test_fifty_first_signs_need_not_wait(store: SessionStore) -> None:
    """The fifty-first does."""
    pace = pace_of(store, NO_REFILL)
    assert all([await pace.take("reactions.add", longest=0) for _ in range(THREADS)])
    assert not await pace.take("reactions.add", longest=0)


async def test_two_replicas_share_what_slack_allows(store: SessionStore, redis_url: str) -> None:
    """A channel's burst is spent by both together, and a third process waits for its turn."""
    other = connect(redis_url)
    try:
        first = pace_of(store, NO_REFILL)
        second = replace(first, clients=other)
        granted = [await pace.take("chat.postMessage", DATA, longest=0) for pace in (first, second, first, second)]
        assert granted == [True, True, True, False]
        assert await second.take("chat.postMessage", "C0GENERAL", longest=0)
    finally:
        await other.aclose()


async def test_what_slack_asks_to_wait_holds_for_everybody(store: SessionStore, redis_url: str) -> None:
    """A Retry-After met by one replica pauses the others."""
    other = connect(redis_url)
    try:
        first = pace_of(store)
        second = SharedPace(clients=other, base=first.base, clock=time.monotonic)
        await first.hold("chat.update", "", 300)
        assert not await second.take("chat.update", longest=200)
        assert 200 < await second.room("chat.update") <= 300
    finally:
        await other.aclose()


async def test_without_redis_each_process_keeps_to_the_limits_itself() -> None:
    """An outage of the store is none of Slack's business."""
    away = connect("redis://127.0.0.1:1/0")
    try:
        pace = SharedPace(clients=away, base="x", clock=time.monotonic, speed=NO_REFILL)
        granted = [await pace.take("chat.postMessage", DATA, longest=0) for _ in range(4)]
        assert granted == [True, True, True, False]
    finally:
        await away.aclose()


async def test_a_refusal_because_of_a_rate_is_waited_out(on_stage: StageMaker) -> None:
    """Slack's own word corrects our count: the post is made once, when it may be."""
    async with on_stage(say("Hello.")) as stage:
        await stage.slack.fault("chat.postMessage", "ratelimited", retry_after=1)
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.answer(sent)
        posts = await called(stage.slack, "chat.postMessage")
        assert sum("Hello." in str(post["args"]) for post in posts) == 1


async def test_a_call_whose_turn_comes_after_the_lease_is_not_made(store: SessionStore) -> None:
    """Its turn may come long after whoever wanted it looked; by then another replica may have posted it."""
    async with fake_api({"chat.postMessage": {"ts": "1.1"}}) as (api, plain, http):
        client = paced(plain, pace_of(store))
        lapsed = asyncio.Event()
        slack = SlackApi(client=client, http=http).under(lambda: not lapsed.is_set())
        key = SessionKey.parse(SESSION)
        await client.pace.hold("chat.postMessage", key.channel, 0.3)
        post = asyncio.create_task(slack.post(key, "answer:r1:0", Content(text="Done.", blocks=())))
        await asyncio.sleep(0)
        lapsed.set()
        with pytest.raises(NotOurs):
            await post
        assert api.asked == []
        await call(client, "chat_postMessage", channel=key.channel, text="Nobody's lease is asked for.")
        assert [method for method, _ in api.asked] == ["chat.postMessage"]
