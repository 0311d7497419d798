"""Who may not start runs is told why, at the place where they look."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot import texts
from bot.home.service import HomeService
from bot.listeners.access import Access, words_of
from bot.listeners.clicks import Clicks
from bot.listeners.commands import HandrailCommand
from bot.listeners.fairness import Fairness
from bot.listeners.forms import Forms
from bot.listeners.home import HomeTab
from bot.listeners.people import form_of
from bot.listeners.shortcuts import Shortcuts
from bot.listeners.values import ButtonValue
from runtime.budget.ledger import Ledger
from runtime.session.commands import Commands
from runtime.session.entries import AnswerEntry
from runtime.session.ids import SessionKey
from runtime.settings import AccessSettings, Settings
from runtime.settings_budget import FairSettings
from runtime.store.redis_store import SessionStore
from tests.session.story import SESSION
from tests.surface.fake_api import FakeApi, fake_api

KEY = SessionKey.parse(SESSION)
VALUE = ButtonValue(session=KEY, about="q1")


@dataclass(slots=True)
class Acked:
    """What Slack was acknowledged with."""

    said: list[Any] = field(default_factory=list[Any])

    async def __call__(self, *words: Any, **more: Any) -> None:
        """Keep it."""
        self.said.append(more or words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The ways in, in a workspace where the channel is not allowed."""

    api: FakeApi
    store: SessionStore
    forms: Forms
    home: HomeTab
    command: HandrailCommand
    clicks: Clicks
    shortcuts: Shortcuts

    async def recorded(self) -> int:
        """How many entries were pushed to the thread."""
        return len(await self.store.read_inbox(SESSION))


@asynccontextmanager
async def ways(store: SessionStore, path: Path) -> AsyncGenerator[Ways]:
    """Everything on one store and one Slack."""
    async with fake_api({}) as (api, client, _):
        access = Access(client=client, settings=AccessSettings(channels=("C9",)), teams=frozenset())
        commands = Commands(store)
        service = HomeService(store=store, settings=Settings(), workspaces=path, team="T1")
        fairness = Fairness(
            ledger=Ledger.beside(store), commands=commands, settings=FairSettings(), idle=timedelta(days=1)
        )
        yield Ways(
            api=api,
            store=store,
            forms=Forms(commands=commands, access=access),
            home=HomeTab(client=client, commands=commands, access=access, service=service),
            command=HandrailCommand(
                client=client, commands=commands, access=access, service=service, reaction="", fairness=fairness
            ),
            clicks=Clicks(client=client, commands=commands, access=access),
            shortcuts=Shortcuts(client=client, commands=commands, access=access, fairness=fairness),
        )


def submission(block: str, words: str = "") -> dict[str, Any]:
    """A form of one input that was sent."""
    values: dict[str, Any] = {block: {block: {"value": words}}, "other": {}}
    return {
        "view": {"id": "V1", "private_metadata": VALUE.pack(), "state": {"values": values}},
        "user": {"id": "U0ANA"},
    }


def pressed(action: str) -> dict[str, Any]:
    """A button of App Home."""
    return {
        "user": {"id": "U0ANA"},
        "actions": [{"action_id": action, "action_ts": "1700000001.000100", "value": VALUE.pack()}],
    }


@pytest.mark.parametrize("block", ["steps-0", "arg-command", "field-0", "text"])
async def test_a_refusal_stands_at_a_block_that_the_form_has(store: SessionStore, tmp_path: Path, block: str) -> None:
    """Slack shows nothing where the block is not in the form; the sentence speaks of the channel, not the person."""
    form, _ = form_of(submission(block))
    entry = AnswerEntry(entry_id="form:V1", question_id="q1", answer="yes", by="U0ANA", how="modal")
    ack = Acked()
    async with ways(store, tmp_path) as made:
        await made.forms.record(form, ack, entry)
        assert await made.recorded() == 0
    assert ack.said == [{"response_action": "errors", "errors": {block: texts.refused_channel()}}]


async def test_a_full_member_in_a_channel_that_is_not_allowed_is_told_of_the_channel(
    store: SessionStore, tmp_path: Path
) -> None:
    """By the command, a click and the shortcut, each in its own place."""
    typed, shortcut, clicked = Acked(), Acked(), Acked()
    async with ways(store, tmp_path) as made:
        await made.command.handle(
            {"user_id": "U0ANA", "channel_id": "C1", "team_id": "T1", "text": "status"}, typed, Acked()
        )
        body = submission("text", "look")
        body["view"]["private_metadata"] = f'["{SESSION}", "1700000002.000100"]'
        await made.shortcuts.send(body, shortcut)
        stop = {
            **pressed("stop_run"),
            "container": {"channel_id": "C1", "message_ts": "1700000003.000100", "thread_ts": KEY.thread_ts},
        }
        await made.clicks.stop(stop, clicked)
        assert [item["text"] for item in made.api.of("chat.postEphemeral")] == [texts.refused_channel()]
        assert await made.recorded() == 0
    assert typed.said == [(texts.refused_channel(),)]
    assert shortcut.said[0]["errors"] == {"text": texts.refused_channel()}


async def test_an_approver_who_may_not_start_runs_decides_in_app_home(store: SessionStore, tmp_path: Path) -> None:
    """The card's own gate says who may, as for a click in the thread; anything else that is refused says so."""
    async with ways(store, tmp_path) as made:
        await made.home.stop(pressed("home_stop"), Acked())
        assert await made.recorded() == 0
        assert texts.refused_channel() in made.api.of("views.publish")[-1]["view"]
        await made.home.approve(pressed("home_approve"), Acked())
        assert await made.recorded() == 1


def test_the_person_is_named_where_the_person_is_the_reason() -> None:
    """Guests are told whom to ask."""
    assert words_of("person") == texts.refused_guest()
    assert words_of("channel") == texts.refused_channel()
