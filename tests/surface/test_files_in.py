"""Files that come with messages: several at once, of one name, and those of earlier messages of the thread."""

import pytest

from bot.delivery.incoming import FILE_BYTES, is_at_slack
from tests.support.model import say
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("url", "is_slacks"),
    [
        ("https://files.slack.com/files-pri/T1-F1/a.csv", True),
        ("http://api.local:8080/files/F1", True),
        ("http://api.local:8081/files/F1", False),
        ("http://files.slack.com/files-pri/T1-F1/a.csv", False),
        ("https://docs.example.com/d/1", False),
        ("https://files.slack.com.example.com/a", False),
        ("https://files.slack.com@example.com/a", False),
        ("https://[broken/a", False),
        ("", False),
    ],
)
def test_the_token_is_shown_to_slack_alone(url: str, is_slacks: bool) -> None:
    """A file that is only linked lies at another service, which must not get it."""
    assert is_at_slack(url, "http://api.local:8080/api/") is is_slacks


async def test_files_that_are_too_large_or_of_a_refused_type_are_named_and_the_run_goes_on(
    on_stage: StageMaker,
) -> None:
    """The person is told privately which and why, the model as well; the third file is there."""
    contents = {"dump.bin": bytes(FILE_BYTES + 1), "setup.EXE": b"MZ", "notes.txt": b"fine"}
    async with on_stage(say("One of three."), settings='[slack]\nrefused_files = [".exe"]') as stage:
        ids = [await stage.ana.upload(name, content) for name, content in contents.items()]
        sent = await stage.ana.send(DATA, f"{BOT} look at these", file_ids=ids)
        await stage.answer(sent)
        told = await stage.slack.wait_message(
            DATA, None, lambda m: m.is_ephemeral and "without these files" in m.words + m.text, "why", user="U0ANA"
        )
        whys = ("dump.bin: larger than 20 MB", "setup.EXE: files of the type .exe are not taken here")
        assert all(why in told.words + told.text for why in whys)
        asked = str(stage.model.bodies[0]["messages"])
        assert "'dump.bin' could not be fetched: larger than 20 MB" in asked
        assert "inbox/notes.txt" in asked
        inbox = (await stage.workspace(sent)).root / "inbox"
        assert [path.name for path in inbox.iterdir()] == ["notes.txt"]


async def test_a_linked_file_of_another_service_is_named_and_not_fetched(on_stage: StageMaker) -> None:
    """The agent learns why it has no such file."""
    async with on_stage(say("I cannot see it.")) as stage:
        file_id = await stage.ben.upload("sheet", b"its words")
        root = await stage.ben.send(DATA, "the sheet is linked", file_ids=[file_id])
        elsewhere = {"url_private": "http://127.0.0.1:9/sheet", "url_private_download": "http://127.0.0.1:9/sheet"}
        event = {
            "type": "app_mention",
            "user": "U0ANA",
            "text": f"{BOT} look at this",
            "channel": DATA,
            "thread_ts": root.ts,
            "ts": f"{float(root.ts) + 1:.6f}",
            "event_ts": f"{float(root.ts) + 1:.6f}",
            "files": [{**root.files[0], **elsewhere, "is_external": True}],
        }
        await stage.slack.deliver(event)
        await stage.answer(root)
        assert "kept outside of Slack" in str(stage.model.bodies[0]["messages"])


async def test_several_files_of_one_name_lie_beside_each_other(on_stage: StageMaker) -> None:
    """Many pictures are called image.png; none replaces another, and the agent is told each path."""
    async with on_stage(say("I see two."), say("And a third.")) as stage:
        ids = [await stage.ana.upload("image.png", PNG + content) for content in (b"one", b"two")]
        sent = await stage.ana.send(DATA, f"{BOT} compare", file_ids=ids)
        await stage.answer(sent)
        third = await stage.ana.upload("image.png", PNG + b"three")
        await stage.ana.send(DATA, "and this", sent.ts, file_ids=[third])
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "And a third." in m.words, "the second answer")
        inbox = (await stage.workspace(sent)).root / "inbox"
        held = {path.name: path.read_bytes() for path in inbox.iterdir()}
        assert held == {"image.png": PNG + b"one", "image-2.png": PNG + b"two", "image-3.png": PNG + b"three"}
        asked = str(stage.model.bodies[-1]["messages"])
        assert all(f"inbox/{name}" in asked for name in held)


async def test_a_mention_in_the_middle_of_a_thread_brings_its_files(on_stage: StageMaker) -> None:
    """They lie in the workspace, and the quoted messages name them."""
    async with on_stage(say("Seventeen orders.")) as stage:
        orders = await stage.ben.upload("orders.csv", b"id\n17\n")
        root = await stage.ben.send(DATA, "the import is broken, see the file", file_ids=[orders])
        await stage.ana.send(DATA, f"{BOT} how many orders?", root.ts)
        await stage.answer(root)
        workspace = await stage.workspace(root)
        assert (workspace.root / "inbox" / "orders.csv").read_bytes() == b"id\n17\n"
        asked = str(stage.model.bodies[0]["messages"])
        assert "[file: orders.csv]" in asked
        assert "inbox/orders.csv" in asked
