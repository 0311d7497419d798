"""Secrets of the installation in results, views, exports and logs: a planted canary never leaves."""

import json
import logging

import pytest

from bot.commands.logs import JsonLines
from bot.commands.sessions import show
from bot.environment import secret_values
from tests.support.model import call, calls, say
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, staged
from tools.redact import Redactor

CANARY = "plain-words-that-look-like-nothing"
RENEWED = "words-that-become-a-secret-later"
PASSWORD = "pa%20ss-of-the-proxy"
ENVIRONMENT = {
    "BRAVE_API_KEY": CANARY,
    "HTTPS_PROXY": f"http://me:{PASSWORD}@proxy.example:3128",
    "HOME": "/home/somebody",
}


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("SLACK_SIGNING_SECRET", "0123456789abcdef", ("0123456789abcdef",)),
        ("TICKETS_TOKEN", "abcdefgh", ("abcdefgh",)),
        ("aws_secret_access_key", "abcdefgh", ("abcdefgh",)),
        ("DB_PASSWORD", "correct horse", ("correct horse",)),
        ("DATABASE_URL", "postgres://u:p%40ssw0rd!@db/x", ("p@ssw0rd!",)),
        ("TOKEN", "short", ()),
        ("HOME", "/home/somebody", ()),
        ("API_TOKEN_FILE", "/run/secrets/token", ()),
        ("MAX_OUTPUT_TOKENS", "1000000000", ()),
        ("LINK", "https://[half@", ()),
    ],
)
def test_the_bots_own_environment_is_known_by_its_names(name: str, value: str, found: tuple[str, ...]) -> None:
    """Values named like secrets and passwords inside of addresses, and no ordinary value."""
    assert secret_values({name: value}) == found


@pytest.mark.parametrize("where", ["message", "traceback"])
def test_a_log_line_holds_no_secret(where: str) -> None:
    """Neither in its words nor in the error it tells of."""
    error = RuntimeError(CANARY if where == "traceback" else "x")
    said = CANARY if where == "message" else "x"
    record = logging.LogRecord("bot", logging.ERROR, __file__, 1, "failed: %s", (said,), (RuntimeError, error, None))
    line = JsonLines(secret_values(ENVIRONMENT)).format(record)
    assert CANARY not in line
    assert "[redacted: secret]" in line
    assert json.loads(line)["level"] == "error"


async def test_a_secret_in_a_call_is_in_no_result_view_or_export(
    slack: LocalSlack, redis_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journal keeps the exact call, as the approval covers it; whoever looks sees it without the secret.

    What became a secret only later, such as a login that was renewed, is hidden from then on too.
    """
    turns = [
        calls(call("bash", command=f"seq 300; echo {RENEWED} {CANARY}; printf %s {CANARY} | base64 -w0")),
        say(f"It was {CANARY}."),
    ]
    settings = '[[policy.rules]]\ntool = "bash"\nverdict = "ask"\n[slack]\nverbosity = "all"\n'
    async with staged(slack, redis_url, turns, settings=settings, variables=ENVIRONMENT) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} show it")
        card = await stage.button(sent, "Approve")
        await stage.ana.click(card, "Approve")
        await stage.answer(sent)
        told = str(stage.model.requests[1].messages[-1])
        assert "redacted" in told
        shown = await stage.slack.wait_message(
            DATA, sent.ts, lambda message: message.has_button("Show output"), "the step with its output"
        )
        redact = stage.core.house.redact
        assert isinstance(redact, Redactor)
        redact.learn([RENEWED])
        await stage.ana.click(shown, "Show output")
        modal = await stage.ana.wait_view("the output")
        capsys.readouterr()
        assert await show(stage.core.start, f"T0LOCAL:{DATA}:{sent.ts}", 0, as_json=True) == 0
        exported = capsys.readouterr().out
        assert "approval_requested" in exported
        thread = "".join(str(message.raw) for message in await stage.thread(sent))
        for text in (told, modal.words, exported, thread):
            assert CANARY not in text
            assert "cGxhaW4td29yZHM" not in text
        assert RENEWED not in modal.words
