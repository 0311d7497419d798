"""The payloads that the tests of this run have kept."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RUN_SECONDS = 3_600


def records(folder: Path) -> list[Mapping[str, Any]]:
    """Everything that was kept in a folder."""
    files = sorted(folder.glob("*.json"))
    newest = max((file.stat().st_mtime for file in files), default=0.0)
    # What is left of an older run says nothing of this one.
    recent = [file for file in files if file.stat().st_mtime > newest - RUN_SECONDS]
    return [json.loads(file.read_text(encoding="utf-8")) for file in recent]
