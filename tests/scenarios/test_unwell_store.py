"""Redis is away for a while: nothing that a person did is taken for recorded when it was not."""

import asyncio
import signal
from typing import cast

import pytest

from bot import texts
from runtime.store.connection import SOCKET_TIMEOUT
from runtime.store.errors import StoreUnavailable
from tests.scenarios.conftest import BEN_DECIDES
from tests.support.model import call, calls, held, say
from tests.support.redis import PlainRedis, RedisServer, launch
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, Stage, staged
from tests.waiting import wait_until

SLOWLY = ("--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024")
FILL = "for i = 1, 5000 do redis.call('SET', 'filler:' .. i, 'x', 'EX', 600) end"


async def test_a_message_is_acknowledged_only_when_it_is_recorded(
    slack: LocalSlack, own_redis_server: RedisServer
) -> None:
    """While the store is away Slack keeps delivering; afterwards there is one answer."""
    async with staged(slack, own_redis_server.url, [say("Here.")]) as stage:
        await slack.configure(redelivery_seconds=2.0)
        own_redis_server.kill()
        sent = await stage.ana.send(DATA, f"{BOT} hello")

        async def was_tried_again() -> bool:
            return any(item["attempt"] > 0 and not item["acked"] for item in await slack.deliveries())

        await wait_until("a second delivery", was_tried_again)
        own_redis_server.start_again()
        await stage.answer(sent)
        await slack.wait_idle()
        assert len(stage.model.bodies) == 1
        assert sum("Here." in message.words for message in await stage.thread(sent)) == 1


async def test_a_click_that_cannot_be_recorded_is_told_and_the_card_stays_armed(
    slack: LocalSlack, own_redis_server: RedisServer
) -> None:
    """The same click works once the store is back."""
    script = [calls(call("bash", command="echo ran >> log.txt")), say("Done.")]
    async with staged(slack, own_redis_server.url, script, settings=BEN_DECIDES) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        card = await stage.button(sent, "Approve")
        own_redis_server.kill()
        await stage.ben.click(card, "Approve")
        await slack.wait_message(
            DATA, sent.ts, lambda m: m.is_ephemeral and m.text == texts.UNREACHABLE_STORE, "the notice", user="U0BEN"
        )
        own_redis_server.start_again()
        armed = await stage.button(sent, "Approve")
        assert armed.ts == card.ts
        await stage.ben.click(armed, "Approve")
        await stage.answer(sent)
        assert (await stage.workspace(sent)).read_bytes("log.txt") == b"ran\n"


async def test_a_stall_longer_than_the_socket_timeout_repeats_nothing(
    slack: LocalSlack, own_redis_server: RedisServer
) -> None:
    """Requests whose outcome is unknown are found out about, and the run goes on where its journal stands."""
    gate = asyncio.Event()
    script = [calls(call("bash", command="echo ran >> log.txt")), held(gate, say("Done."))]
    async with staged(slack, own_redis_server.url, script) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} do it")
        await stage.model.wait_for_requests(2)
        own_redis_server.process.send_signal(signal.SIGSTOP)
        gate.set()
        with pytest.raises(StoreUnavailable, match=f"within {SOCKET_TIMEOUT:g} s"):
            await stage.core.store.ping()
        # What the model said could not be recorded in time, so it may be asked for again.
        stage.model.add(say("Done."), say("Done."))
        own_redis_server.process.send_signal(signal.SIGCONT)
        await stage.answer(sent)
        assert (await stage.workspace(sent)).read_bytes("log.txt") == b"ran\n"
        assert sum("Done." in message.words for message in await stage.thread(sent)) == 1
        stage.model.turns.clear()


async def test_a_server_that_loads_its_data_is_waited_for(slack: LocalSlack, own_redis_server: RedisServer) -> None:
    """While it answers LOADING nothing is acknowledged; afterwards there is one answer."""
    async with staged(slack, own_redis_server.url, [say("Here.")]) as stage:
        with own_redis_server.client() as client:
            client.execute_command("EVAL", FILL, 0)
            client.execute_command("BGREWRITEAOF")
            await wait_until("the file is rewritten", lambda: is_rewritten(client))
        own_redis_server.kill()
        # It loads for a while, and answers who asks after each kilobyte.
        own_redis_server.process = launch(
            own_redis_server.binary,
            own_redis_server.folder,
            (*own_redis_server.arguments, *SLOWLY),
        )
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        assert "still loading" in await wait_until("the bot learns of it", lambda: loading(stage))
        await wait_until("the event comes and is not acknowledged", lambda: is_open(slack))
        # Slack gives up after a few attempts, so the rest is loaded without delay.
        with own_redis_server.client() as client:
            client.execute_command("CONFIG", "SET", "key-load-delay", 0)
        await stage.answer(sent, within=45)
        await slack.wait_idle(within=30)
        assert len(stage.model.bodies) == 1


async def is_open(slack: LocalSlack) -> bool:
    """Whether something was delivered and nobody has acknowledged it."""
    return any(not item["acked"] for item in await slack.deliveries())


def is_rewritten(client: PlainRedis) -> bool:
    """Whether the append-only file begins with a snapshot of all keys."""
    return not cast("dict[str, int]", client.execute_command("INFO", "persistence"))["aof_rewrite_in_progress"]


async def loading(stage: Stage) -> str:
    """What the store says of itself while it is away."""
    try:
        await stage.core.store.ping()
    except StoreUnavailable as error:
        return str(error) if "loading" in str(error) else ""
    return ""
