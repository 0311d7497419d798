"""Redis is away for a while: nothing that a person did is taken for recorded when it was not."""

from bot import texts
from tests.scenarios.conftest import BEN_DECIDES
from tests.support.model import call, calls, say
from tests.support.redis import RedisServer
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, staged
from tests.waiting import wait_until


async def test_a_message_is_acknowledged_only_when_it_is_recorded(
    slack: LocalSlack, own_redis_server: RedisServer
) -> None:
    """While the store is away Slack keeps delivering; afterwards there is one answer."""
    async with staged(slack, own_redis_server.url, [say("Here.")]) as stage:
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
