"""`make check` holds the locked packages against known vulnerabilities, and passes without a network."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from scripts.audit import Package, locked, main
from scripts.check import commands
from scripts.machine import ROOT

LOCK = """# Written
httpx==0.28.1 \\
    --hash=sha256:aa
coverage[toml]==7.1 ; python_version < '3.12' \\
    --hash=sha256:bb
"""
Service = Callable[[str], str]


@pytest.fixture
def service() -> Iterator[Service]:
    """Starts a service that gives one answer to everything."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: str) -> str:
        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                body = answer.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_known_weakness_fails_the_check(service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Package, version and where to read about it; a package without one is not named."""
    (tmp_path / "requirements.lock").write_text(LOCK, encoding="utf-8")
    answer = '{"results": [{"vulns": [{"id": "GHSA-1", "modified": "now"}]}, {}]}'
    assert main([service(answer)], tmp_path) == 1
    assert capsys.readouterr().out == (
        "coverage 7.1: https://osv.dev/GHSA-1\n2 packages audited, 1 with known weaknesses\n"
    )
    assert main([service('{"results": [{}, {}]}')], tmp_path) == 0
    assert "2 packages audited, 0 with known weaknesses" in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["", '{"results": [{}]}', '{"results": "x"}', "[]", "<html>"])
def test_without_an_answer_nothing_fails_and_it_is_said(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    """No network, or a service that says something else: a notice, and the check passes."""
    (tmp_path / "requirements.lock").write_text(LOCK, encoding="utf-8")
    url = service(answer) if answer else "http://127.0.0.1:1/"
    assert main([url], tmp_path) == 0
    assert capsys.readouterr().out.startswith("NOTICE: 2 packages were not audited")


def test_the_check_audits_every_locked_package() -> None:
    """All lock files count, and the check runs it."""
    names = {package.name for package in locked(ROOT)}
    assert {"slack-bolt", "pytest", "numpy", "mcp-server-time", "uv"} <= names
    assert Package(name="et-xmlfile", version="2.0.0") in locked(ROOT)
    assert "scripts.audit" in commands()["audit"]
