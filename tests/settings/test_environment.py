"""The environment's variables: read in one place, checked for what could never work, secrets kept out of sight."""

from pathlib import Path

import pytest

from runtime.environment import SLACK_API_URL, load_environment
from runtime.settings import SettingsError


def test_an_empty_environment_asks_for_nothing() -> None:
    """Without variables there is the real Slack's address and no model."""
    environment = load_environment({"PATH": "/bin", "OPENAI_API_KEY": "  "})
    assert environment.slack_api_url == SLACK_API_URL
    assert not environment.has_model
    assert environment.secrets == ()


def test_every_variable_of_the_contract_is_read_and_secrets_do_not_show() -> None:
    """Values arrive trimmed, and no secret appears in the printed form."""
    environment = load_environment(
        {
            "SLACK_BOT_TOKEN": " xoxb-1 \n",
            "SLACK_APP_TOKEN": "xapp-1",
            "SLACK_SIGNING_SECRET": "signing-word",
            "SLACK_CLIENT_ID": "id",
            "SLACK_CLIENT_SECRET": "client-word",
            "SLACK_API_URL": "http://127.0.0.1:9/api",
            "OPENAI_API_KEY": "sk-word",
            "OPENAI_BASE_URL": "http://127.0.0.1:8/v1",
            "OPENAI_MODEL": "m",
            "REDIS_URL": "redis://:word@127.0.0.1:1/0",
            "HANDRAIL_CONFIG": "/etc/handrail.toml",
            "HANDRAIL_DATA": "/var/lib/handrail",
        }
    )
    assert environment.slack_bot_token is not None
    assert environment.slack_bot_token.get_secret_value() == "xoxb-1"
    assert environment.slack_api_url == "http://127.0.0.1:9/api/"
    assert (environment.config, environment.data) == (Path("/etc/handrail.toml"), Path("/var/lib/handrail"))
    assert len(environment.secrets) == 6
    assert "word" not in repr(environment)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("SLACK_BOT_TOKEN", "xapp-1-secret", "SLACK_BOT_TOKEN does not start with xoxb-"),
        ("SLACK_APP_TOKEN", "xoxb-1-secret", "SLACK_APP_TOKEN does not start with xapp-"),
        ("REDIS_URL", "localhost:6379", "REDIS_URL is not an address"),
        ("OPENAI_BASE_URL", "secret", "OPENAI_BASE_URL is not an address"),
        ("OPENAI_API_KEY", "sk-“secret”", "OPENAI_API_KEY holds a space"),
    ],
)
def test_a_value_that_cannot_be_right_is_named_but_never_quoted(name: str, value: str, sentence: str) -> None:
    """One clear sentence with the variable's name, and without its value."""
    with pytest.raises(SettingsError, match=sentence) as caught:
        load_environment({name: value})
    assert "secret" not in str(caught.value)
