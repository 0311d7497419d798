"""Sockets: two readers of one app token are noticed and named, and a silent one is replaced."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from functools import partial

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

from bot.listeners.tasks import is_of_bolt
from bot.slack_socket import SocketWatch, silence, watched
from bot.web.health import health_server
from runtime.schedule.ticker import Ticker
from runtime.store.redis_store import SessionStore
from tests.support.model import say
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker
from tests.waiting import wait_until


async def is_known(watch: SocketWatch, name: str) -> bool:
    """Whether a process has said that it is connected."""
    return name.encode() in await watch.commands.zrange(watch.key, 0, -1)


async def test_row_11_a_second_process_on_one_app_token_names_the_first(
    on_stage: StageMaker, caplog: pytest.LogCaptureFixture
) -> None:
    """Slack gives each event to one of them: with the same store that is fine, and said."""
    async with on_stage() as stage, AsyncExitStack() as stack:
        for name in ("host-1", "host-2"):
            handler = AsyncSocketModeHandler(stage.side.app, stage.slack.app_token)
            watch = SocketWatch(handler=handler, store=stage.core.store, token=stage.slack.app_token, name=name)
            await stack.enter_async_context(watched(handler, stage.core.store, stage.slack.app_token, name))
            await handler.connect_async()
            stack.push_async_callback(handler.close_async)
            await wait_until(f"{name} is known", partial(is_known, watch, name))
        await wait_until("the first is named", lambda: "host-1 also receives the events" in caplog.text)


async def test_a_connection_of_another_installation_is_warned_of(
    on_stage: StageMaker, store: SessionStore, caplog: pytest.LogCaptureFixture
) -> None:
    """One that no process of this store has opened takes events away."""
    async with on_stage() as stage:
        handler = AsyncSocketModeHandler(stage.side.app, stage.slack.app_token)
        watch = SocketWatch(handler=handler, store=store, token="xapp-1", name="host-1")
        await watch.compare(3)
        assert watch.foreign == 2
        assert "2 other connections" in caplog.text
        await handler.close_async()


async def test_the_health_pages_name_the_unwell_part(on_stage: StageMaker, store: SessionStore) -> None:
    """A ticker that is dead, a socket that was never opened, and one on which nothing comes back."""
    async with on_stage() as stage:
        handler = AsyncSocketModeHandler(stage.side.app, stage.slack.app_token)
        ticker = Ticker(store, dead_after=timedelta(0))
        ready = {"ticker": ticker.unwell, "socket": lambda: silence(handler)}
        async with (
            health_server("127.0.0.1", 0, alive={"ticker": ticker.silence}, ready=ready) as address,
            aiohttp.ClientSession() as http,
        ):
            for page, unwell in (("healthz", {"ticker"}), ("readyz", {"ticker", "socket"})):
                async with http.get(f"{address}/{page}") as answer:
                    body = await answer.json()
                assert (answer.status, body["ok"], set(body["parts"])) == (503, False, unwell)
                assert "the ticker has been silent for" in body["parts"]["ticker"]
            assert body["parts"]["socket"] == "not connected to Slack"
        await handler.connect_async()
        handler.client.last_ping_pong_time = datetime.now(UTC).timestamp()
        said = [silence(handler)]
        handler.client.last_ping_pong_time -= 3600
        said.append(silence(handler))
        await handler.close_async()
        assert said == ["", "Slack has been silent for 3600 s"]


async def test_a_dropped_socket_comes_back_and_nothing_is_lost(on_stage: StageMaker) -> None:
    """What was said meanwhile is delivered on the next connection."""
    async with on_stage(say("Hello.")) as stage:
        await stage.slack.drop_sockets()
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.answer(sent)


@pytest.mark.parametrize("is_seen_by", ["our watch", "the client"])
async def test_a_silent_socket_is_reported_and_replaced(
    on_stage: StageMaker, caplog: pytest.LogCaptureFixture, is_seen_by: str
) -> None:
    """It stays open and says nothing, not even to a ping: health names it, a new one is opened, and events arrive."""
    async with on_stage() as stage, AsyncExitStack() as stack:
        await stage.slack.configure(redelivery_seconds=1.0)
        handler = AsyncSocketModeHandler(stage.side.app, stage.slack.app_token)
        client = handler.client
        client.ping_interval = 0.2
        client.default_auto_reconnect_enabled = is_seen_by == "the client"
        if is_seen_by == "our watch":
            watch = watched(handler, stage.core.store, stage.slack.app_token, "host-1", every=2.0)
            await stack.enter_async_context(watch)
        await handler.connect_async()
        stack.push_async_callback(handler.close_async)
        first = client.current_session
        await wait_until("it answers", lambda: client.last_ping_pong_time is not None)
        await stage.slack.hush_sockets()
        await wait_until("it is unwell", lambda: "silent" in silence(handler) or client.current_session is not first)
        await wait_until("there is a new one", lambda: client.current_session is not first)
        await wait_until("all is well", lambda: silence(handler) == "" and client.last_ping_pong_time is not None)
        assert ("the socket to Slack is silent" in caplog.text) is (is_seen_by == "our watch")
        await stage.ana.do("opened", tab="home")
        await wait_until("an event arrives", lambda: stage.slack.calls("views.publish"))


async def test_a_listener_under_way_is_waited_for_at_the_end(on_stage: StageMaker) -> None:
    """It uses the store, which is closed next; whatever it left open would fail this test."""
    async with on_stage() as stage:
        await stage.slack.fault("views.publish", "slow", delay_ms=800)
        await stage.ana.do("opened", tab="home")
        await wait_until("App Home is drawn", lambda: stage.slack.calls("views.publish"))
    assert not [task for task in asyncio.all_tasks() if is_of_bolt(task)]
