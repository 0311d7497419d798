"""From nothing to a workspace that answers, and what is wrong with one that does not."""

import signal
import stat

import pytest

from bot.scopes import required_scopes
from tests.support.model import say, scripted_model
from tests.support.serving import Shell, clean_environment
from tests.support.slack import LocalSlack
from tests.support.slack_fixtures import SlackMaker
from tests.waiting import wait_until

DATA = "C0DATA"


async def test_init_checks_both_tokens_and_keeps_them_for_the_owner_alone(slack: LocalSlack, shell: Shell) -> None:
    """Other lines of the file stay, and a test message is in the channel."""
    env = shell.folder / ".env"
    env.write_text("OPENAI_MODEL=mine\nSLACK_BOT_TOKEN=xoxb-old\n", encoding="utf-8")
    options = ("--bot-token", slack.bot_token, "--app-token", slack.app_token, "--test-channel", DATA)
    ended = await shell.run("init", *options, environment={"SLACK_API_URL": slack.api_url})
    assert ended.code == 0, ended
    assert stat.S_IMODE(env.stat().st_mode) == 0o600
    lines = env.read_text(encoding="utf-8").splitlines()
    assert lines == ["OPENAI_MODEL=mine", f"SLACK_BOT_TOKEN={slack.bot_token}", f"SLACK_APP_TOKEN={slack.app_token}"]
    assert any("Handrail is connected" in message.text for message in await slack.messages(DATA))
    assert "python -m bot serve" in ended.out
    assert slack.bot_token not in ended.out + ended.err


@pytest.mark.parametrize("wrong", ["--bot-token", "--app-token"])
async def test_init_writes_nothing_when_a_token_is_refused(slack: LocalSlack, shell: Shell, wrong: str) -> None:
    """It says which."""
    given = {"--bot-token": slack.bot_token, "--app-token": slack.app_token}
    given[wrong] = {"--bot-token": "xoxb-wrong", "--app-token": "xapp-wrong"}[wrong]
    options = [part for option in given.items() for part in option]
    ended = await shell.run("init", *options, "--test-channel", "-", environment={"SLACK_API_URL": slack.api_url})
    assert ended.code == 1
    assert "Traceback" not in ended.err
    assert {"--bot-token": "SLACK_BOT_TOKEN", "--app-token": "SLACK_APP_TOKEN"}[wrong] in ended.err
    assert not (shell.folder / ".env").exists()


async def test_init_shows_the_link_to_the_manifest_and_asks(slack: LocalSlack, shell: Shell) -> None:
    """What is typed is used; the end of the input before both tokens writes nothing."""
    ended = await shell.run("init", environment={"SLACK_API_URL": slack.api_url})
    assert "https://api.slack.com/apps?new_app=1&manifest_json=%7B" in ended.out
    assert ended.code == 1
    assert "Traceback" not in ended.err
    assert not (shell.folder / ".env").exists()


@pytest.mark.timeout(400)
async def test_doctor_finds_nothing_wrong_with_a_whole_installation(
    slack_with: SlackMaker, shell: Shell, redis_url: str
) -> None:
    """A line per part; only what the test's Redis itself lacks is named."""
    scene = {"bot": {"scopes": sorted(required_scopes())}}
    async with slack_with(scene) as slack, scripted_model([say("ok")]) as model:
        environment = {**slack.environment, "REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        ended = await shell.run("doctor", environment=environment, within=300)
    wrong = [line for line in ended.out.splitlines() if line.startswith("FIX") and not line.startswith("FIX  redis")]
    assert not [line for line in wrong if not line.startswith("FIX  sandbox")], ended.out
    for part in ("settings", "slack bot token", "slack scopes", "slack app token", "redis", "model"):
        assert f"ok   {part}: " in ended.out
    assert "Traceback" not in ended.out + ended.err


@pytest.mark.timeout(400)
async def test_doctor_says_how_to_fix_each_part_and_looks_at_the_rest(shell: Shell) -> None:
    """A wrong part does not hide the next."""
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "REDIS_URL": "redis://127.0.0.1:1/0"}
    settings = "[model]\ntries = 1\n[agent]\ndefault = 'plumber'\n"
    (shell.folder / "handrail.toml").write_text(settings, encoding="utf-8")
    out, err = shell.folder / "out", shell.folder / "err"
    running = await shell.launcher.start(shell.folder, ("doctor",), clean_environment(**environment), err=err)
    try:
        await wait_until(
            "the part after the model",
            lambda: out.exists() and "sandbox" in out.read_text(encoding="utf-8"),
            within=300,
        )
    finally:
        running.send(signal.SIGKILL)
        await running.end()
    said = out.read_text(encoding="utf-8")
    assert "FIX  settings: handrail.toml line 4: agent.default names 'plumber', which is no agent" in said
    assert "FIX  slack: SLACK_BOT_TOKEN is not set. Run `python -m bot init`." in said
    assert "FIX  redis: Redis at redis://127.0.0.1:1/0 (REDIS_URL) cannot be reached" in said
    assert "FIX  model: " in said
    assert "Traceback" not in said + err.read_text(encoding="utf-8")
