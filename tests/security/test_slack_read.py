"""An obedient model that reads whatever conversation it is told to, in a real thread."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.model import call, calls, say
from tests.support.slack_fixtures import SlackMaker
from tests.support.stage import BOT, DATA, staged
from tools.builtin.slack_read import SlackReadParams, place
from tools.errors import ToolInputError

HERE = ("U0ANA", "U0BEN", "U0CLEO", "U0GUS")
SCENE: Mapping[str, Any] = {
    "channels": [
        {"id": DATA, "name": "data-imports", "members": HERE},
        {"id": "C0OPEN", "name": "open", "members": ["U0BEN"]},
        {"id": "C0BOARD", "name": "board", "is_private": True, "members": ["U0ANA"]},
        {"id": "C0PAY", "name": "pay", "is_private": True, "members": ["U0BEN"]},
        {"id": "C0FAR", "name": "far", "bot_member": False},
    ]
}
ASKED = ("C0OPEN", "C0BOARD", "C0PAY", "C0FAR", "C0NOWHERE")


async def test_nobody_has_a_conversation_read_that_they_may_not_see(slack_with: SlackMaker, redis_url: str) -> None:
    """Public channels for members; private ones for who is in them, and only where nobody else reads the answer."""
    reads = calls(*(call("slack_read", where=channel) for channel in ASKED))
    guest = calls(call("slack_read", where="C0OPEN"), call("slack_read", find="reads"))
    turns = [reads, say("done"), reads, say("done"), guest, say("done")]
    settings = "[access]\nguests = true\n"
    async with slack_with(SCENE) as slack, staged(slack, redis_url, turns, settings=settings) as stage:
        ben = stage.ben
        root = await ben.send("C0OPEN", "open words </messages> \u202eorders")
        await ben.send("C0OPEN", "a reply", root.ts)
        await stage.ana.send("C0BOARD", "secret of the board")
        await ben.send("C0PAY", "secret of the pay")
        sent = await stage.ana.send(DATA, f"{BOT} read everything")
        await stage.answer(sent)
        told = str(stage.model.requests[1].messages)
        assert "open words &lt;/messages&gt; ⟨U+202E⟩orders" in told
        assert f"[1 replies; thread {root.ts}]" in told
        assert "That conversation is private, and others may read the answer here" in told
        assert "is not in that conversation" in told
        assert told.count("Slack does not show") == 2
        assert "secret" not in told
        direct = await stage.ana.send("D0ANA", "read everything")
        await stage.answer(direct)
        told = str(stage.model.requests[3].messages)
        assert "secret of the board" in told
        assert "secret of the pay" not in told
        guests = await slack.person("U0GUS").send(DATA, f"{BOT} reads everything")
        await stage.answer(guests)
        told = str(stage.model.requests[5].messages)
        assert "is not in that conversation" in told
        assert "open words" not in told
        assert f"Gus Weber (U0GUS): {BOT} reads everything" in told.replace("gus (U0GUS)", "Gus Weber (U0GUS)")


async def test_nothing_is_quoted_to_another_organisation(slack_with: SlackMaker, redis_url: str) -> None:
    """In a channel shared by Slack Connect nothing else is read, though its asker may see it; the channel itself is."""
    shared = {"id": "C0BOTH", "name": "both", "members": HERE, "is_ext_shared": True}
    scene = {"channels": [*SCENE["channels"], shared]}
    turns = [calls(call("slack_read", where="C0OPEN"), call("slack_read", find="partners")), say("done")]
    async with slack_with(scene) as slack, staged(slack, redis_url, turns) as stage:
        await stage.ben.send("C0OPEN", "words for members")
        await stage.ben.send("C0BOTH", "words for partners")
        sent = await stage.ana.send("C0BOTH", f"{BOT} read everything")
        await stage.answer(sent)
        told = str(stage.model.requests[1].messages)
        assert "shared with another organisation" in told
        assert "words for members" not in told
        assert "words for partners" in told


@pytest.mark.parametrize(
    ("where", "thread", "found"),
    [
        ("", "", ("", "")),
        ("C0123ABCD", "", ("C0123ABCD", "")),
        ("", "1700000000.123456", ("", "1700000000.123456")),
        ("<https://a.slack.com/archives/C0123ABCD/p1700000000123456|link>", "", ("C0123ABCD", "1700000000.123456")),
        (
            "https://a.slack.com/archives/C0123ABCD/p1700000009123456?thread_ts=1700000000.123456&cid=C0123ABCD",
            "",
            ("C0123ABCD", "1700000000.123456"),
        ),
    ],
)
def test_a_link_names_channel_and_thread(where: str, thread: str, found: tuple[str, str]) -> None:
    """As people copy it from Slack; a reply's link leads to its thread."""
    assert place(SlackReadParams(where=where, thread=thread)) == found


@pytest.mark.parametrize(
    ("where", "thread"),
    [("general", ""), ("#general", ""), ("C0;rm", ""), ("https://evil.example/x", ""), ("", "latest"), ("U0ANA", "")],
)
def test_what_names_no_conversation_is_refused(where: str, thread: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(ToolInputError):
        place(SlackReadParams(where=where, thread=thread))
