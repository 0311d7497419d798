"""Slack answers with limits, errors and broken connections; nothing is lost and nothing is said twice."""

from collections import Counter

import pytest

from tests.scenarios.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.slack import SlackMessage
from tests.support.stage import BOT, DATA, Stage
from tests.waiting import wait_until

ANSWER = say("All is well.")
FAULTS: dict[str, dict[str, object]] = {
    "a rate limit": {"kind": "ratelimited", "retry_after": 1},
    "an error of the server": {"kind": "http_500"},
    "an error of the server after the work": {"kind": "http_500_after"},
    "a broken connection": {"kind": "reset"},
    "a broken connection after the work": {"kind": "reset_after"},
    "a web page": {"kind": "html"},
    "an internal error": {"kind": "error", "error": "internal_error"},
}


async def said_once(stage: Stage, sent: SlackMessage) -> list[SlackMessage]:
    """The thread, each of whose messages stands for one operation."""
    thread = (await stage.thread(sent))[1:]
    ops = Counter([str((await stage.slack.metadata(m) or {}).get("event_payload")) for m in thread if not m.files])
    assert set(ops.values()) == {1}, ops
    return thread


@pytest.mark.parametrize("fault", FAULTS)
async def test_every_message_is_posted_once_whatever_happens_to_the_request(on_stage: StageMaker, fault: str) -> None:
    """The first two posts go wrong; the answer and what comes before it are there once."""
    async with on_stage(ANSWER) as stage:
        await stage.slack.fault("chat.postMessage", times=2, **FAULTS[fault])  # pyright: ignore[reportArgumentType]
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.answer(sent)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: m.words == "Done", "the end of the plan")
        thread = await said_once(stage, sent)
        words = [message.words.split("\n")[0] for message in thread]
        assert words[0] == "Done"
        assert words.count("All is well.") == 1


@pytest.mark.parametrize("fault", ["a broken connection", "a broken connection after the work", "a rate limit"])
async def test_a_card_changes_although_an_update_failed(on_stage: StageMaker, fault: str) -> None:
    """The answered question is frozen in the end."""
    ask = calls(call("ask_human", question="Which?", choices=["one", "two"]))
    async with on_stage(ask, ANSWER) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        card = await stage.button(sent, "one")
        await stage.slack.fault("chat.update", times=2, **FAULTS[fault])  # pyright: ignore[reportArgumentType]
        await stage.ana.click(card, "one")
        await stage.slack.wait_message(
            DATA, sent.ts, lambda m: m.ts == card.ts and "answered by" in m.words, "the frozen card"
        )
        await stage.answer(sent)


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "files.completeUploadExternal"])
@pytest.mark.parametrize("fault", ["a broken connection", "a broken connection after the work"])
async def test_a_file_is_shared_once(on_stage: StageMaker, method: str, fault: str) -> None:
    """Whichever of its requests breaks."""
    make = calls(call("python_execute", code="open('result.csv', 'w').write('a,b\\n1,2\\n')"))
    async with on_stage(make, ANSWER) as stage:
        await stage.slack.fault(method, **FAULTS[fault])  # pyright: ignore[reportArgumentType]
        sent = await stage.ana.send(DATA, f"{BOT} make a file")
        await stage.answer(sent)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: bool(m.files), "the file")
        files = [file["name"] for message in await stage.thread(sent) for file in message.files]
        assert files == ["result.csv"]


async def test_blocks_that_slack_refuses_are_sent_as_plain_words(on_stage: StageMaker) -> None:
    """Once as sections, and if those are refused too, as text alone; nothing is lost."""
    async with on_stage(ANSWER) as stage:
        await stage.slack.fault("chat.postMessage", "error", error="invalid_blocks")
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.answer(sent)
        await said_once(stage, sent)
        stage.model.add(say("A second answer."))
        await stage.slack.fault("chat.postMessage", "error", error="msg_blocks_too_long", times=2)
        await stage.ana.send(DATA, "and now?", sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "A second answer." in m.words, "the second answer")
        await said_once(stage, sent)


async def test_a_name_that_slack_does_not_tell_is_replaced_by_the_id(on_stage: StageMaker) -> None:
    """Asking who spoke earlier in the thread may fail without harm."""
    async with on_stage(say("Hello."), ANSWER) as stage:
        await stage.answer(await stage.ana.send(DATA, f"{BOT} hello"))
        root = await stage.ben.send(DATA, "it is broken")
        await stage.slack.fault("users.info", "reset", times=2)
        sent = await stage.ana.send(DATA, f"{BOT} what do you think?", root.ts)
        await stage.slack.wait_message(DATA, root.ts, lambda m: "All is well." in m.words, "the answer")
        assert sent.thread_ts == root.ts
        assert '{"from": "U0BEN", "text": "it is broken"}' in str(stage.model.bodies[1]["messages"])


async def test_a_channel_that_is_gone_ends_nothing_else(on_stage: StageMaker) -> None:
    """What Slack will never take is given up; the next thread is answered."""
    async with on_stage(say("Lost."), ANSWER) as stage:
        await stage.slack.fault("chat.postMessage", "error", error="channel_not_found", times=2)
        await stage.ana.send(DATA, f"{BOT} hello")
        await stage.model.wait_for_requests(1)

        async def both_refused() -> bool:
            made = await stage.slack.calls("chat.postMessage")
            return sum(item["error"] == "channel_not_found" for item in made) == 2

        await wait_until("the beginning and the answer are refused", both_refused)
        sent = await stage.ana.send(stage.ana.direct, "hello")
        await stage.answer(sent)
