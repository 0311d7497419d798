"""Documents name only what exists: commands, files and make targets."""

import re
from pathlib import Path

import pytest

from scripts.machine import ROOT

DOCUMENTS = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/*.md")])
FOLDERS = ("bot/", "runtime/", "tools/", "tests/", "docs/", "deploy/", "scripts/", "bench/", ".ci/")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
MADE_WHEN_NEEDED = ("deploy/.env",)


def missing_paths(path: Path) -> set[str]:
    """Return what a document links to or names in backticks below one of our folders, and which is not there."""
    text = path.read_text(encoding="utf-8")
    links = {link.partition("#")[0] for link in LINK.findall(text) if "://" not in link and not link.startswith("#")}
    names = {name for name in CODE.findall(text) if name.startswith(FOLDERS) and not re.search(r"[\s*<{]", name)}
    gone = {link for link in links if link and not (path.parent / link).exists()}
    return gone | {name for name in names if name not in MADE_WHEN_NEEDED and not (ROOT / name).exists()}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_names_only_files_that_exist(path: Path) -> None:
    """Each relative link and each path in backticks leads somewhere."""
    assert missing_paths(path) == set()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_document_names_only_make_targets_that_exist(path: Path) -> None:
    """Each `make something` is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets


def test_ci_runs_what_contributors_run() -> None:
    """.ci/run is `make check` and `make test`, without input, and can be executed."""
    script = ROOT / ".ci" / "run"
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[-2:] == ["make check", "make test"]
    assert script.stat().st_mode & 0o111 == 0o111
