"""Private words arrive where they are seen, and once."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.delivery.directory import SlackDirectory
from bot.delivery.incoming import Incoming
from bot.delivery.shared_pace import SharedPace
from bot.delivery.slack_api import SlackApi, operation
from bot.home import cards
from bot.home.overview import Overview
from bot.home.usage import Usage
from bot.listeners.access import Access
from bot.listeners.once import Once
from bot.render.blocks import section
from bot.render.limits import MODAL_BLOCKS
from runtime.budget.values import Used
from runtime.session.entries import AnswerEntry, MessageEntry
from runtime.session.events import Attachment
from runtime.session.ids import SessionKey
from runtime.settings import AccessSettings
from runtime.store.redis_store import SessionStore
from tests.session.story import SESSION
from tests.surface.fake_api import fake_api, paced
from tools.mounts import prepare_workspace

KEY = SessionKey.parse(SESSION)
FILES = tuple(
    Attachment(file_id=f"F{n}", name="image.png", mimetype="image/png", size=1, url="", problem=why)
    for n, why in enumerate(("larger than 20 MB", "Slack answered HTTP 404", ""))
)


def said(ts: str) -> MessageEntry:
    """A message with files."""
    return MessageEntry(entry_id=f"m:{ts}", ts=ts, user="U0ANA", text="look", mentions_bot=True, attachments=FILES)


ANSWERED = AnswerEntry(entry_id="form:V1", question_id="q1", by="U0ANA", how="modal", attachments=FILES)


@pytest.mark.parametrize(
    ("entry", "thread"),
    [(said(KEY.thread_ts), ()), (said("1700000009.000100"), (KEY.thread_ts,)), (ANSWERED, (KEY.thread_ts,))],
)
async def test_files_that_are_not_taken_are_named_once_where_it_is_seen(
    store: SessionStore, entry: MessageEntry | AnswerEntry, thread: Sequence[str]
) -> None:
    """In the channel where there is no thread yet; each of two files of one name; not again after a takeover."""
    async with fake_api({}) as (api, client, http):
        access = Access(client=client, settings=AccessSettings(), teams=frozenset())
        for _ in range(2):
            incoming = Incoming(
                client=client,
                http=http,
                bot_user="U0BOT",
                access=access,
                directory=SlackDirectory(client),
                once=Once(store=store),
            )
            await incoming.tell(KEY, entry, "U0ANA", FILES)
        (told,) = api.of("chat.postEphemeral")
    assert "image.png: larger than 20 MB" in told["text"]
    assert "image.png: Slack answered HTTP 404" in told["text"]
    assert told.get("thread_ts") == (thread[0] if thread else None)


async def test_a_file_that_slack_does_not_know_is_not_said_to_be_elsewhere(tmp_path: Path) -> None:
    """The reason stays the one that Slack gave, and nothing is fetched."""
    async with fake_api({"files.info": {"ok": False, "error": "file_not_found"}}) as (api, client, http):
        access = Access(client=client, settings=AccessSettings(), teams=frozenset())
        incoming = Incoming(client=client, http=http, bot_user="U0BOT", access=access, directory=SlackDirectory(client))
        kept = await incoming.fetch(FILES[2], prepare_workspace(tmp_path / "w", [], None))
        assert [method for method, _ in api.asked] == ["files.info"]
    assert kept.problem == "Slack does not know it (file_not_found)"


async def test_a_private_word_sent_directly_is_found_again_after_a_crash(store: SessionStore) -> None:
    """Who is not in the channel is told in a direct message, which carries its operation id."""
    answers = {
        "chat.postEphemeral": {"ok": False, "error": "user_not_in_channel"},
        "conversations.open": {"channel": {"id": "D0ANA"}},
        "conversations.history": {"messages": [{"ts": "1.1", "metadata": operation("notice:1")}]},
    }
    async with fake_api(answers) as (api, client, http):
        pace = SharedPace(clients=store.clients, base="test", clock=time.monotonic)
        slack = SlackApi(client=paced(client, pace), http=http)
        await slack.whisper(KEY, "U0ANA", "notice:1", "Not yours.", is_begun=False)
        (first,) = api.of("chat.postMessage")
        assert "notice:1" in first["metadata"]
        await slack.whisper(KEY, "U0ANA", "notice:1", "Not yours.", is_begun=True)
        assert len(api.of("chat.postMessage")) == 1
        await slack.whisper(KEY, "U0ANA", "notice:2", "Not yours.", is_begun=True)
        assert len(api.of("chat.postMessage")) == 2


def test_a_full_app_home_has_room_for_a_note() -> None:
    """Its last block, with which data is deleted, is not pushed out."""
    used = Used(name="anybody")
    usage = Usage(person=used, person_limit=None, workspace=used, workspace_limit=None)
    many = [section(str(number)) for number in range(MODAL_BLOCKS - 11)]
    view = cards.home(Overview(mine=(), waiting=()), usage, {}, "T1", "U0ANA", many)
    assert len(view["blocks"]) <= MODAL_BLOCKS - 1
    assert view["blocks"][-1]["block_id"] == "home-data"
