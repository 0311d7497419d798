"""A way out to a few hosts: names on the list and nothing else, through a proxy that only one sandbox can reach."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.mcp.real import page
from tests.parts import requires
from tests.sandbox.backends import made_of
from tests.waiting import wait_until
from tools.sandbox.bubblewrap import Bubblewrap
from tools.sandbox.checks import network, privileges
from tools.sandbox.egress import Egress
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.port import Completed, Execution, Level
from tools.sandbox.probe import ProbeSpace, choose
from tools.sandbox.requests import Refusal, read_request
from tools.sandbox.self_check import findings
from tools.sandbox.settings import SandboxSettings
from tools.web.addresses import Guard

FETCH = """
import json, sys, urllib.error, urllib.request
found = []
for url in sys.argv[1:]:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            found.append(answer.read().decode())
    except urllib.error.HTTPError as error:
        found.append(f"{error.code} {error.read().decode().strip()}")
    except OSError as error:
        found.append(f"none {error}")
print(json.dumps(found))
"""
UNTIL_TOLD = """
import os, time
open("up", "w").close()
while not os.path.exists("enough"):
    time.sleep(0.02)
"""
TUNNEL = """
import socket, sys
out = socket.create_connection(("127.0.0.1", 3128), 60)
out.sendall(sys.argv[1].encode().decode("unicode_escape").encode("latin-1"))
out.settimeout(60)
data = b""
while True:
    try:
        piece = out.recv(4096)
    except OSError:
        break
    if not piece:
        break
    data += piece
print(data.decode("latin-1"))
"""


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """A server of this machine."""
    async with page("<p>Nine boats</p>") as url:
        yield int(url.rstrip("/").rpartition(":")[2])


def with_way_out(python: Interpreter, *hosts: str, private: tuple[str, ...] = ()) -> Bubblewrap:
    """Bubblewrap with these hosts."""
    requires("bwrap", "userns")
    walls = made_of("bubblewrap", python)
    assert isinstance(walls, Bubblewrap)
    return replace(walls, egress=Egress(hosts=hosts, guard=Guard(frozenset(private))))


async def run(sandbox: Bubblewrap, space: ProbeSpace, code: str, *arguments: str) -> Completed:
    """Run Python code inside."""
    return await sandbox.run(space, Execution(argv=(*sandbox.python, "-c", code, *arguments)))


async def fetched(sandbox: Bubblewrap, space: ProbeSpace, *urls: str) -> list[str]:
    """What came of each address."""
    return [str(one) for one in json.loads((await run(sandbox, space, FETCH, *urls)).stdout)]


async def test_an_allowed_host_is_reached_and_no_other(python: Interpreter, space: ProbeSpace, port: int) -> None:
    """Other names, the same machine by its number in any spelling, and other ports are refused with the reason."""
    sandbox = with_way_out(python, f"localhost:{port}", private=(f"localhost:{port}",))
    assert f"network only to localhost:{port}" in sandbox.describe()
    urls = ("localhost", "other.example", "127.0.0.1", "2130706433", "0x7f000001", "127.1", "[::1]")
    found = await fetched(sandbox, space, *(f"http://{host}:{port}/" for host in urls), "http://localhost:1/")
    assert found[0] == "<p>Nine boats</p>"
    assert all(one.startswith("403 ") for one in found[1:]), found
    assert "not on the list" in found[1]


async def test_an_allowed_name_that_leads_inside_is_refused(python: Interpreter, space: ProbeSpace, port: int) -> None:
    """Only public addresses are connected to, whatever a name resolves to."""
    sandbox = with_way_out(python, f"localhost:{port}")
    found = await fetched(sandbox, space, f"http://localhost:{port}/")
    assert found[0].startswith("403 localhost is not an address of the public internet")


async def test_a_tunnel_leads_to_allowed_hosts_only(python: Interpreter, space: ProbeSpace, port: int) -> None:
    """CONNECT passes bytes on as they are, as TLS needs it; nonsense is refused."""
    sandbox = with_way_out(python, f"localhost:{port}", private=(f"localhost:{port}",))

    async def said(text: str) -> str:
        return (await run(sandbox, space, TUNNEL, text)).stdout.decode()

    inner = "GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"
    through = await said(f"CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\n{inner}")
    assert "200 Connection established" in through
    assert "Nine boats" in through
    assert "403" in await said(f"CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n")
    assert "403" in await said("CONNECT other.example:443 HTTP/1.1\\r\\n\\r\\n")
    for nonsense in ("ftp://localhost/ HTTP/1.1", "GET / HTTP/1.1", "GET", "CONNECT localhost@evil:1 HTTP/1.1"):
        assert "HTTP/1.1 40" in await said(f"{nonsense}\\r\\n\\r\\n")


async def test_each_sandbox_has_a_proxy_of_its_own(python: Interpreter, space: ProbeSpace, port: int) -> None:
    """One without a way out cannot use its neighbour's, and nothing listens on the host."""
    sandbox = with_way_out(python, f"localhost:{port}", private=(f"localhost:{port}",))
    neighbour = asyncio.create_task(run(sandbox, space, UNTIL_TOLD))
    await wait_until("the neighbour runs", (space.root / "up").exists)
    alone = await replace(sandbox, egress=None).run(space, Execution(argv=(*sandbox.python, "-c", TUNNEL, "x")))
    assert alone.exit_code == 1
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        await asyncio.open_connection("127.0.0.1", 3128)
    (space.root / "enough").touch()
    assert (await neighbour).exit_code == 0


async def test_with_a_way_out_everything_else_stays_closed(python: Interpreter, data: Path) -> None:
    """The promises about network and privileges hold as without it."""
    sandbox = with_way_out(python, "packages.example")
    checks = (*network.CHECKS, *privileges.CHECKS)
    assert {one.name: one.problem async for one in findings(sandbox, checks, data=data) if not one.kept} == {}


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [
        ("packages.example", 443, True),
        ("packages.example", 80, True),
        ("packages.example", 22, False),
        ("evil-packages.example", 443, False),
        ("files.example.org", 443, True),
        ("example.org", 443, False),
        ("notexample.org", 443, False),
        ("host.internal", 8443, True),
        ("host.internal", 443, False),
        ("10.0.0.1", 443, False),
        ("::1", 443, False),
    ],
)
def test_the_list_means_what_it_says(host: str, port: int, allowed: bool) -> None:
    """A name is itself, a star every name below, a port only that port, a number nothing."""
    hosts = ("packages.example", "*.example.org", "host.internal:8443", "10.0.0.1", "::1")
    assert Egress(hosts=hosts).allows(host, port) is allowed


@pytest.mark.parametrize(
    "entry", ["10.0.0.1", "*", "*.1", "Packages.example", "https://packages.example", "a b", "", "[::1]"]
)
def test_only_names_can_be_listed(entry: str) -> None:
    """What is no name is a mistake in the settings, said at the start."""
    with pytest.raises(ValidationError):
        SandboxSettings(network=(entry,))


async def test_the_setting_gives_a_way_out_or_no_sandbox(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A back-end that cannot hold to the list is not taken in its place."""
    requires("bwrap", "userns")
    wanted = SandboxSettings(network=("packages.example",))
    assert "network only to packages.example" in (await choose(wanted, data=data)).describe()
    monkeypatch.setenv("PATH", "/nowhere")
    chosen = await choose(wanted, data=data)
    assert chosen.level is Level.NONE
    assert "needs bubblewrap" in chosen.describe()


async def test_a_program_that_breaks_its_connection_is_refused() -> None:
    """A reset while the request is read is no error of the proxy's."""
    reader = asyncio.StreamReader()
    reader.set_exception(ConnectionResetError())
    with pytest.raises(Refusal, match="no readable request"):
        await read_request(reader)
