"""The shipped page belongs to its source."""

import shutil
import subprocess

import pytest

from scripts.page_digest import LOCALSLACK, page_is_current, source_digest


def test_the_built_page_was_made_from_this_source() -> None:
    """The digest noted by the last build is the digest of the source; no Node is needed to see it."""
    assert page_is_current()


@pytest.mark.needs("node")
def test_both_ways_of_reckoning_the_digest_agree() -> None:
    """The build's own check accepts what Python reckons."""
    node = shutil.which("node")
    assert node is not None
    subprocess.run([node, str(LOCALSLACK / "page" / "check.mjs")], check=True, capture_output=True)
    assert len(source_digest(LOCALSLACK / "page")) == 64


def test_the_shipped_files_name_no_other_host() -> None:
    """The page works offline: it loads nothing from elsewhere and its lock file names no registry."""
    html = (LOCALSLACK / "static" / "index.html").read_text(encoding="utf-8")
    assert 'src="http' not in html
    assert 'href="http' not in html
    assert '"resolved"' not in (LOCALSLACK / "page" / "package-lock.json").read_text(encoding="utf-8")
