"""A server behind OAuth: one login, private tokens that are renewed and sent nowhere else."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from mcp.shared.auth import OAuthToken

from bot.mcp import configured_servers, secrets_of
from scripts.machine import ROOT
from tests.mcp.conftest import Calling
from tests.mcp.real import clients_of, listens
from tests.support.ports import free_port
from tests.support.serving import Launcher, clean_environment
from tests.support.stage import start_with
from tests.waiting import BOUND, wait_until
from tools.mcp.config import Server
from tools.mcp.errors import ServerUnavailable
from tools.mcp.oauth import TokenFile, log_in
from tools.redact import Redactor

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/authorize\S+\n")


@asynccontextmanager
async def vault(port: int) -> AsyncGenerator[str]:
    """The server and its login, as one process."""
    command = (sys.executable, "-m", "tests.mcp.oauth_server", str(port))
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=nothing, stderr=nothing)
    try:
        await wait_until("the vault listens", lambda: listens(port))
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the operator's files lie."""
    (tmp_path / "handrail.toml").write_text('[mcp]\nconfig = "mcp.json"\n', encoding="utf-8")
    return tmp_path


async def logged_in(launcher: Launcher, place: Path, url: str) -> str:
    """Run the login as an operator does, with a browser that follows; what the command said."""
    (place / "mcp.json").write_text(json.dumps({"mcpServers": {"vault": {"url": url}}}), encoding="utf-8")
    out = place / "out"
    out.touch()
    command = await launcher.start(place, ("mcp", "login", "vault"), clean_environment(), err=out)
    try:
        found = await wait_until("the address to open", lambda: ADDRESS.search(out.read_text(encoding="utf-8")))
        async with httpx.AsyncClient(follow_redirects=True) as browser:
            assert "close this page" in (await browser.get(found[0].strip())).text
        async with asyncio.timeout(BOUND):
            assert await command.end() == 0
    finally:
        command.send(signal.SIGKILL)
        await command.end()
    return out.read_text(encoding="utf-8")


def configured(place: Path, client_secret: str = "") -> Server:
    """The server as the bot would use it."""
    variables = {"HANDRAIL_DATA": str(place / ".handrail"), "SLACK_CLIENT_SECRET": client_secret}
    start = start_with(variables, f'[mcp]\nconfig = "{place / "mcp.json"}"\n')
    return configured_servers(start)[0]


async def test_a_person_logs_in_once_and_the_tokens_are_private_and_renewed(
    place: Path, calling: Calling, command_server: Launcher
) -> None:
    """The bot speaks to the server with the tokens and renews them; once they are worth nothing, it says what to do."""
    port = free_port()
    async with vault(port) as url:
        assert "Logged in at vault" in await logged_in(command_server, place, url)
        server = configured(place)
        assert server.login
        assert server.login.stat().st_mode & 0o077 == 0
        assert server.login.parent.stat().st_mode & 0o077 == 0
        async with clients_of(server, data=place) as clients:
            assert (await calling(clients, "mcp_vault_whoami")).output == "access-, renewed 0 times"
        kept = json.loads(server.login.read_text())
        assert set(secrets_of([server])) >= {kept["tokens"]["access_token"], kept["tokens"]["refresh_token"]}
        server.login.write_text(json.dumps({**kept, "expires_at": 1}))
        redact = Redactor(secrets_of([server]))
        async with clients_of(server, data=place, redact=redact) as clients:
            assert (await calling(clients, "mcp_vault_whoami")).output == "access-, renewed 1 times"
        renewed = json.loads(server.login.read_text())["tokens"]
        assert renewed != kept["tokens"]
        for tokens in (kept["tokens"], renewed):
            assert redact(tokens["access_token"]) == "[redacted: secret]", "renewed tokens are learned, old ones stay"
    async with vault(port), clients_of(server, data=place) as clients:
        with pytest.raises(ServerUnavailable, match=r"python -m bot mcp login vault"):
            await calling(clients, "mcp_vault_whoami")


async def test_an_installation_with_a_client_secret_keeps_logins_encrypted(place: Path) -> None:
    """As it keeps its workspaces' tokens; a login from before is read, and sealed when it is renewed."""
    entry = {"mcpServers": {"vault": {"url": "http://127.0.0.1:1/mcp"}}}
    (place / "mcp.json").write_text(json.dumps(entry), encoding="utf-8")
    plain, sealed, other = configured(place), configured(place, "one secret"), configured(place, "another secret")
    assert plain.login
    assert plain.login == sealed.login == other.login
    await TokenFile(plain.login).set_tokens(OAuthToken(access_token="first-token"))
    assert secrets_of([plain]) == secrets_of([sealed]) == ["first-token"]
    await TokenFile(plain.login, sealed.login_key).set_tokens(OAuthToken(access_token="second-token"))
    kept = plain.login.read_bytes()
    assert b"token" not in kept
    assert plain.login.stat().st_mode & 0o077 == 0
    assert secrets_of([sealed]) == ["second-token"]
    assert secrets_of([plain]) == secrets_of([other]) == []
    assert "one secret" not in repr(sealed)
    assert sealed.login_key is not None
    assert sealed.login_key.get_secret_value().decode() not in repr(sealed)


async def test_without_a_login_the_operator_is_told_to(place: Path, command_server: Launcher) -> None:
    """And a server of the same name at another address gets no token of this one."""
    async with vault(free_port()) as url:
        await logged_in(command_server, place, url)
        known = configured(place).login
        assert known
        assert known.exists()
        (place / "mcp.json").write_text(json.dumps({"mcpServers": {"vault": {"url": f"{url}/"}}}), encoding="utf-8")
        other = configured(place)
        assert other.login
        assert not other.login.exists()
        with pytest.raises(ServerUnavailable, match=r"answers 401.*python -m bot mcp login vault"):
            async with clients_of(other, data=place):
                pytest.fail("it may not be reached")


async def test_a_server_without_a_place_for_a_login_says_so() -> None:
    """A program has none, and a caller that forgot it reads why."""

    async def shows(_address: str) -> None:
        pytest.fail("nobody may be sent anywhere")

    async def hears() -> tuple[str, str | None]:
        pytest.fail("nobody comes back")

    server = Server(name="local", transport="stdio", command="true")
    with pytest.raises(ServerUnavailable, match="Nobody can log in at local"):
        await log_in(server, address="", shows=shows, hears=hears)
