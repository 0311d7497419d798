"""Who is heard: other bots as configured, everybody asked about once, and nobody refused twice for one message."""

import asyncio
from typing import Any

from bot import texts
from tests.support.model import say
from tests.support.slack import SlackMessage
from tests.support.slack_fixtures import SlackMaker
from tests.support.stage import BOT, DATA, staged
from tests.surface.conftest import StageMaker
from tests.waiting import wait_until

DEPLOY = "B0DEPLOY"


def of_a_bot(root: SlackMessage, text: str, number: int, *, bot: str = DEPLOY) -> dict[str, Any]:
    """A message of another bot in a thread."""
    return {
        "type": "message",
        "subtype": "bot_message",
        "bot_id": bot,
        "text": text,
        "channel": DATA,
        "channel_type": "channel",
        "thread_ts": root.ts,
        "ts": f"{float(root.ts) + number:.6f}",
        "event_ts": f"{float(root.ts) + number:.6f}",
    }


async def test_a_bot_is_answered_only_where_it_is_named_in_the_settings_and_mentions(on_stage: StageMaker) -> None:
    """Never as a follow-up: two bots that answer each other would never end."""
    async with on_stage(say("It failed."), settings=f'[slack]\nbots = ["{DEPLOY}"]') as stage:
        root = await stage.ben.send(DATA, "deploys")
        await stage.slack.deliver(of_a_bot(root, f"{BOT} why did it fail?", 1, bot="B0OTHER"))
        await stage.slack.deliver(of_a_bot(root, "deploy 17 failed", 2))
        await stage.slack.deliver(of_a_bot(root, f"{BOT} why did it fail?", 3))
        await stage.answer(root)
        await stage.slack.deliver(of_a_bot(root, "deploy 18 failed", 4))
        await stage.slack.wait_idle()
        assert len(stage.model.bodies) == 1
        assert not await stage.slack.calls("chat.postEphemeral")


async def test_two_bots_that_answer_each_other_come_to_an_end(on_stage: StageMaker) -> None:
    """A bot that is heard counts as a person does: after so many requests an hour it is not answered, nor told so."""
    settings = f'[slack]\nbots = ["{DEPLOY}"]\n[fair]\nrequests_per_person = 2\n'
    async with on_stage(say("First."), say("Second."), settings=settings) as stage:
        root = await stage.ben.send(DATA, "deploys")
        for number, words in enumerate(("First.", "Second.", "", ""), start=1):
            await stage.slack.deliver(of_a_bot(root, f"{BOT} and why?", number))
            await stage.slack.wait_idle()
            if words:
                await stage.slack.wait_message(DATA, root.ts, lambda m, words=words: words in m.words, words, within=40)
        assert len(stage.model.bodies) == 2
        assert not await stage.slack.calls("chat.postEphemeral")


async def test_by_default_no_other_bot_is_answered(on_stage: StageMaker) -> None:
    """Whatever it says."""
    async with on_stage() as stage:
        root = await stage.ben.send(DATA, "deploys")
        await stage.slack.deliver(of_a_bot(root, f"{BOT} look", 1))
        await stage.slack.wait_idle()
        assert not await stage.core.store.list_sessions()


async def test_a_refusal_is_told_once_for_a_message(slack_with: SlackMaker, redis_url: str) -> None:
    """Slack delivers an event up to four times; a second message is told again."""
    guest = {"id": "U0GUEST", "name": "guest", "real_name": "A guest", "is_restricted": True}
    scene = {
        "users": [{"id": "U0ANA", "name": "ana", "real_name": "Ana"}, guest],
        "channels": [{"id": DATA, "name": "data", "members": ["U0ANA", "U0GUEST", "U0HANDRAIL"]}],
    }
    async with slack_with(scene) as slack:

        async def told() -> int:
            made = await slack.calls("chat.postEphemeral")
            return sum(texts.refused_guest() in str(item["args"]) for item in made)

        async def told_again() -> bool:
            return await told() > 1

        async with staged(slack, redis_url) as stage:
            await slack.person("U0GUEST").send(DATA, f"{BOT} hello")
            await slack.wait_idle()
            event = next(d for d in await slack.deliveries() if d["event_type"] == "app_mention")["payload"]["event"]
            await slack.deliver(event, fresh_event_id=True, times=3)
            await slack.wait_idle()
            await slack.person("U0GUEST").send(DATA, f"{BOT} hello?")
            await wait_until("the second message is answered", told_again)
            assert not stage.model.bodies
        # Private words go out beside the acknowledgement; none is under way any more.
        assert await told() == 2


async def test_of_a_burst_of_messages_one_asks_who_speaks(on_stage: StageMaker) -> None:
    """However many come at once, Slack is asked once for each person."""
    async with on_stage() as stage:
        access = next(iter([stage.side.conversation.incoming.access]))
        standings = await asyncio.gather(*(access.standing("U0ANA") for _ in range(40)))
        assert set(standings) == {"member"}
        asked = [item for item in await stage.slack.calls("users.info") if item["args"].get("user") == "U0ANA"]
        assert len(asked) == 1
        assert not access.asking
