"""What an operator gets wrong is said in one clear sentence that names the setting and the fix."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from tests.support.model import raw, scripted_model
from tests.support.ports import free_port
from tests.support.serving import Ended, Shell
from tests.support.slack import LocalSlack

TOKENS = {"SLACK_BOT_TOKEN": "xoxb-local-bot", "SLACK_APP_TOKEN": "xapp-local-app"}
SERVE = ("serve", "--port", "0")


def one_sentence(ended: Ended, *words: str) -> None:
    """The command failed with one line for people, which names what it must, and no traceback."""
    said = [line for line in ended.err.splitlines() if line.startswith("handrail: ")]
    assert ended.code == 1, ended
    assert len(said) == 1, ended.err
    assert "Traceback" not in ended.err + ended.out
    for word in words:
        assert word in said[0]


@asynccontextmanager
async def web_page() -> AsyncGenerator[str]:
    """A server that answers everything with a page, as a proxy's sign-in does."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<html><body>Sign in</body></html>", content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", page)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, ("SLACK_APP_TOKEN is not set", "python -m bot init")),
        ({"SLACK_APP_TOKEN": "xapp-1"}, ("SLACK_BOT_TOKEN is not set", "python -m bot init")),
        ({**TOKENS, "SLACK_BOT_TOKEN": "xapp-swapped"}, ("SLACK_BOT_TOKEN does not start with xoxb-",)),
        ({**TOKENS, "SLACK_APP_TOKEN": "xoxb-swapped"}, ("SLACK_APP_TOKEN does not start with xapp-",)),
        ({**TOKENS, "REDIS_URL": "http://localhost"}, ("REDIS_URL", "redis://")),
        ({**TOKENS, "HANDRAIL_CONFIG": "absent.toml"}, ("absent.toml", "HANDRAIL_CONFIG")),
    ],
)
async def test_a_variable_that_cannot_be_right(
    shell: Shell, redis_url: str, environment: dict[str, str], words: tuple[str, ...]
) -> None:
    """Each names its variable before anything is started."""
    one_sentence(await shell.run(*SERVE, environment={"REDIS_URL": redis_url, **environment}), *words)


async def test_a_redis_that_cannot_be_reached(shell: Shell) -> None:
    """With its address and without a password."""
    url = f"redis://:secret@127.0.0.1:{free_port()}/0"
    ended = await shell.run(*SERVE, environment={**TOKENS, "REDIS_URL": url})
    one_sentence(ended, "REDIS_URL", "cannot be reached", "Start it")
    assert "secret" not in ended.err + ended.out


async def test_a_slack_that_cannot_be_reached(shell: Shell, redis_url: str) -> None:
    """With the address that was tried."""
    url = f"http://127.0.0.1:{free_port()}/api/"
    ended = await shell.run(*SERVE, environment={**TOKENS, "REDIS_URL": redis_url, "SLACK_API_URL": url})
    one_sentence(ended, "SLACK_API_URL", url)


async def test_a_web_page_instead_of_slack(shell: Shell, redis_url: str) -> None:
    """Nothing of the page is shown."""
    async with web_page() as url:
        ended = await shell.run(*SERVE, environment={**TOKENS, "REDIS_URL": redis_url, "SLACK_API_URL": url})
    one_sentence(ended, "SLACK_API_URL", "does not answer like Slack")
    assert "<html>" not in ended.err


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_a_token_that_slack_refuses(slack: LocalSlack, shell: Shell, redis_url: str, name: str) -> None:
    """The process ends instead of trying for ever."""
    wrong = {"SLACK_BOT_TOKEN": "xoxb-wrong", "SLACK_APP_TOKEN": "xapp-wrong"}[name]
    ended = await shell.run(*SERVE, environment={**slack.environment, "REDIS_URL": redis_url, name: wrong})
    one_sentence(ended, name, "invalid_auth")
    assert wrong not in ended.err


async def test_an_unknown_setting(shell: Shell, redis_url: str) -> None:
    """With its line and the nearest valid name."""
    (shell.folder / "handrail.toml").write_text("[timeouts]\nmodel = '60s'\napprovals = '1h'\n", encoding="utf-8")
    ended = await shell.run(*SERVE, environment={**TOKENS, "REDIS_URL": redis_url})
    one_sentence(ended, "line 3", "'timeouts.approvals'", "'approval'")


async def test_an_agent_that_there_is_not(shell: Shell, redis_url: str) -> None:
    """The line of the file and the agents there are."""
    (shell.folder / "handrail.toml").write_text("\n[agent]\ndefault = 'plumber'\n", encoding="utf-8")
    words = ("handrail.toml line 3: agent.default names 'plumber', which is no agent", "manus", "planning")
    one_sentence(await shell.run(*SERVE, environment={**TOKENS, "REDIS_URL": redis_url}), *words)


async def test_a_further_worker_needs_a_shared_redis(shell: Shell) -> None:
    """An embedded server is nobody else's."""
    one_sentence(await shell.run("worker", environment=TOKENS), "REDIS_URL")


async def test_a_web_page_instead_of_a_model(shell: Shell, redis_url: str) -> None:
    """A run in the terminal ends with a sentence that names the setting."""
    async with scripted_model([raw("<html>Sign in</html>")]) as model:
        environment = {"REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        (shell.folder / "handrail.toml").write_text("[model]\ntries = 1\n", encoding="utf-8")
        ended = await shell.run("run", "hello", environment=environment)
    assert ended.code == 1
    assert "OPENAI_BASE_URL" in ended.out
    assert "<html>" not in ended.out + ended.err
    assert "Traceback" not in ended.out + ended.err


async def test_an_unknown_command(shell: Shell) -> None:
    """The commands there are."""
    ended = await shell.run("sevre")
    assert ended.code == 2
    assert "There is no command 'sevre'" in ended.err
    assert "serve" in ended.err
