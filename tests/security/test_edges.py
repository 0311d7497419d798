"""Inputs at the edges of Slack, and what one thread can learn of another."""

from pathlib import Path
from typing import Any

import pytest

from bot.delivery.incoming import safe_name
from bot.listeners.messages import heard
from runtime.session.ids import workspace_name
from tools.errors import PathRefused
from tools.mounts import prepare_workspace
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
