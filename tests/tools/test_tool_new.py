"""`python -m bot tool new`: a tool that works from its first minute."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.commands.start import StartProblem
from bot.commands.tool_new import begun
from scripts.machine import ROOT


def test_a_new_tool_passes_its_own_test_and_the_rules(tmp_path: Path) -> None:
    """The files are written, are clean for the linter, and their test is green once they are in place."""
    for folder in ("tools/builtin", "tests/tools"):
        (tmp_path / folder).mkdir(parents=True)
    said = begun("count_words", tmp_path)
    assert "        CountWords()," in said
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "check",
            "--config",
            str(ROOT / "pyproject.toml"),
            "--ignore",
            "INP001,I001",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
    script = (
        "import asyncio, runpy, sys\n"
        "space = runpy.run_path(sys.argv[1])\n"
        "from tools.collection import ToolCollection\n"
        "parsed = ToolCollection([space['CountWords']()]).parse('count_words', '{\"text\": \"hello\"}')\n"
        "print(asyncio.run(parsed.tool.run(parsed.params, None)).output)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "tools/builtin/count_words.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert ran.stdout == "hello\n", ran.stderr


@pytest.mark.parametrize("name", ["", "Bad", "a-b", "../x", "a__b", "x" * 60, "1a"])
def test_a_name_that_cannot_be_one_is_refused(name: str, tmp_path: Path) -> None:
    """Nothing is written."""
    with pytest.raises(StartProblem, match="is no name"):
        begun(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A second time is refused."""
    for folder in ("tools/builtin", "tests/tools"):
        (tmp_path / folder).mkdir(parents=True)
    begun("count_words", tmp_path)
    with pytest.raises(StartProblem, match="is there already"):
        begun("count_words", tmp_path)
