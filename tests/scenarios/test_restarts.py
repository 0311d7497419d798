"""The process is killed while people are waited for; started again it goes on, and everything happened once."""

from collections import Counter
from pathlib import Path

import pytest

from tests.scenarios.conftest import with_mount
from tests.support.model import call, calls, say, scripted_model
from tests.support.redis import RedisServer
from tests.support.serving import Launcher, serving
from tests.support.slack import LocalSlack, SlackMessage
from tests.support.stage import BOT, DATA, FOOTER
from tests.waiting import wait_until

SCRIPT = (
    calls(call("bash", command="echo looked >> looked.txt")),
    calls(call("ask_human", question="Which limit?", choices=["100", "1000"])),
    calls(
        call("str_replace_editor", command="create", path="etl/limit.txt", file_text="1000\n"),
        call("publish", mount="etl", message="Raise the limit."),
    ),
    say("Raised to 1000."),
)

SHORT_LEASE = '[engine]\nlease = "10s"\n'
"""A killed process keeps its sessions until its leases lapse; a busy one must not lose any."""


def nobody_works(server: RedisServer) -> bool:
    """Whether no session is held: a person is waited for, and no process has anything to do."""
    with server.client() as client:
        return not [
            key for key in client.scan_iter("*:leases", count=1000) if client.execute_command("ZCARD", key.decode())
        ]


PATIENT = 40.0
"""A process takes its time to start where many do."""


@pytest.mark.timeout(400)
async def test_killed_at_the_question_and_at_the_approval_it_goes_on(
    slack: LocalSlack, redis_url: str, redis_server: RedisServer, etl: Path, bot_folder: Path, command_server: Launcher
) -> None:
    """Each effect and each message exists once, and a click made while nobody served can be made again."""
    async with scripted_model(SCRIPT) as model:
        environment = {**slack.environment, "REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        async with serving(command_server, bot_folder, environment, SHORT_LEASE + with_mount(etl)) as bot:
            ana, ben = slack.person("U0ANA"), slack.person("U0BEN")

            async def card(button: str) -> SlackMessage:
                return await slack.wait_message(
                    DATA, sent.ts, lambda m: m.has_button(button), f"a button {button}", within=PATIENT
                )

            sent = await ana.send(DATA, f"{BOT} raise the limit")
            question = await card("1000")
            await wait_until("the session is let go", lambda: nobody_works(redis_server))
            await bot.kill()
            await bot.start()
            await slack.wait_connected(within=PATIENT)
            await ana.click(question, "1000")

            approval = await card("Approve")
            await wait_until("the session is let go", lambda: nobody_works(redis_server))
            await bot.kill()
            await bot.start()
            await slack.wait_connected(within=PATIENT)
            await ben.click(approval, "Approve")

            await slack.wait_message(DATA, sent.ts, lambda m: FOOTER in m.words, "the answer", within=PATIENT)
            assert (etl / "limit.txt").read_text(encoding="utf-8") == "1000\n"
            looked = [file.read_text(encoding="utf-8") for file in (bot.folder / "data").rglob("looked.txt")]
            assert looked == ["looked\n"]
            thread = await slack.messages(DATA, sent.ts, user="U0BEN")
            ops = Counter([str((await slack.metadata(m) or {}).get("event_payload")) for m in thread[1:]])
            assert set(ops.values()) == {1}, ops
            assert len(model.bodies) == len(SCRIPT)
            assert await bot.terminate() == 0
            assert "Traceback" not in bot.log


@pytest.mark.timeout(400)
async def test_a_term_signal_drains(
    slack: LocalSlack, redis_url: str, bot_folder: Path, command_server: Launcher
) -> None:
    """What was asked for is finished by the next life; nothing is lost and the exit code is 0."""
    async with scripted_model([calls(call("bash", command="sleep 0.3")), say("Slept.")]) as model:
        environment = {**slack.environment, "REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        async with serving(command_server, bot_folder, environment, SHORT_LEASE) as bot:
            sent = await slack.person("U0ANA").send(DATA, f"{BOT} sleep")
            await wait_until("the model is asked", lambda: len(model.bodies) == 1, within=PATIENT)
            assert await bot.terminate() == 0
            await bot.start()
            answer = await slack.wait_message(DATA, sent.ts, lambda m: FOOTER in m.words, "the answer", within=PATIENT)
            assert "Slept." in answer.words
            assert "warning: appendonly is off" in bot.log
            assert "Traceback" not in bot.log
