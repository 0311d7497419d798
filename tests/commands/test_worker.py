"""`python -m bot worker --port`: what its health pages say."""

import re
import signal

import aiohttp
import pytest

from tests.support.serving import Shell, clean_environment
from tests.support.slack import LocalSlack
from tests.waiting import wait_until


@pytest.mark.parametrize(
    ("without", "more", "name"),
    [
        ("", {}, "Harbor Coffee"),
        (
            "SLACK_BOT_TOKEN",
            {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "not for others"},
            "every workspace that installed the app",
        ),
    ],
    ids=["one workspace", "by OAuth"],
)
async def test_a_workers_health_pages_say_how_well_code_is_contained(
    shell: Shell, slack: LocalSlack, redis_url: str, without: str, more: dict[str, str], name: str
) -> None:
    """As those of `serve` do, whether it works for one workspace or for all that installed the app."""
    out = shell.folder / "out"
    out.touch()
    (shell.folder / "handrail.toml").touch()
    environment = clean_environment(
        **{key: value for key, value in slack.environment.items() if key != without},
        **more,
        REDIS_URL=redis_url,
        OPENAI_API_KEY="k",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        HANDRAIL_DATA=str(shell.folder / "data"),
    )
    running = await shell.launcher.start(shell.folder, ("worker", "--port", "0"), environment, err=out)
    try:
        found = await wait_until(
            "the worker names its pages", lambda: re.search(r"(http://\S+)/healthz", out.read_text()), within=90
        )
        assert f"working for {name}" in out.read_text()
        async with aiohttp.ClientSession() as http:
            for page in ("healthz", "readyz"):
                async with http.get(f"{found[1]}/{page}") as answer:
                    assert (await answer.json())["sandbox"]
        running.send(signal.SIGTERM)
        assert await running.end() == 0, out.read_text()
    finally:
        running.send(signal.SIGKILL)
