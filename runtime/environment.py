"""The environment's variables: the only place where they are named, read once at start."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr

from runtime.settings import SettingsError

SLACK_API_URL = "https://slack.com/api/"

PREFIXES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "SLACK_BOT_TOKEN": (("xoxb-", "xoxe.xoxb-"), "the bot token, from OAuth & Permissions of your Slack app"),
    "SLACK_APP_TOKEN": (("xapp-",), "the app-level token, from Basic Information of your Slack app"),
}
SCHEMES: Mapping[str, tuple[str, ...]] = {
    "SLACK_API_URL": ("http", "https"),
    "OPENAI_BASE_URL": ("http", "https"),
    "REDIS_URL": (
        "redis",
        "rediss",
        "unix",
        "redis+sentinel",
        "rediss+sentinel",
        "redis+cluster",
        "rediss+cluster",
    ),
}


class Environment(BaseModel):
    """What the environment says; None where a variable is absent or empty."""

    model_config = ConfigDict(frozen=True)

    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None
    slack_client_id: str | None = None
    slack_client_secret: SecretStr | None = None
    slack_api_url: str = SLACK_API_URL
    """Ends in a slash."""
    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    openai_model: str | None = None
    redis_url: SecretStr | None = None
    """A secret, since it may hold a password."""
    config: Path | None = None
    """`HANDRAIL_CONFIG`."""
    data: Path | None = None
    """`HANDRAIL_DATA`: overrides `data_dir`."""
    vocabularies: Path | None = None
    """`TIKTOKEN_CACHE_DIR`: where the package `tiktoken`, if it is installed, keeps its data."""

    @property
    def has_model(self) -> bool:
        """True when a real model was configured; otherwise the rehearsal model speaks."""
        return self.openai_api_key is not None or self.openai_base_url is not None

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """Every secret that is set, for redaction."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return tuple(value for value in values if isinstance(value, SecretStr))


def load_environment(environ: Mapping[str, str]) -> Environment:
    """Read and check the variables.

    Args:
        environ: usually `os.environ`, handed in by a program's entry point.

    Raises:
        SettingsError: a value cannot be right; values are never quoted.
    """
    values = {name: value.strip() for name, value in environ.items() if value.strip()}
    problems = [*token_problems(values), *url_problems(values), *key_problems(values)]
    if problems:
        raise SettingsError(*problems)
    secret = {name: SecretStr(value) for name, value in values.items()}
    api_url = values.get("SLACK_API_URL", SLACK_API_URL)
    return Environment(
        slack_bot_token=secret.get("SLACK_BOT_TOKEN"),
        slack_app_token=secret.get("SLACK_APP_TOKEN"),
        slack_signing_secret=secret.get("SLACK_SIGNING_SECRET"),
        slack_client_id=values.get("SLACK_CLIENT_ID"),
        slack_client_secret=secret.get("SLACK_CLIENT_SECRET"),
        slack_api_url=api_url.rstrip("/") + "/",
        openai_api_key=secret.get("OPENAI_API_KEY"),
        openai_base_url=values.get("OPENAI_BASE_URL"),
        openai_model=values.get("OPENAI_MODEL"),
        redis_url=secret.get("REDIS_URL"),
        config=path_of(values, "HANDRAIL_CONFIG"),
        data=path_of(values, "HANDRAIL_DATA"),
        vocabularies=path_of(values, "TIKTOKEN_CACHE_DIR"),
    )


def path_of(values: Mapping[str, str], name: str) -> Path | None:
    """A variable as a path, with a leading tilde written out."""
    return Path(values[name]).expanduser() if name in values else None


def token_problems(values: Mapping[str, str]) -> list[str]:
    """Tokens that are of another kind than their variable wants."""
    return [
        f"{name} does not start with {starts[0]}; set it to {what}."
        for name, (starts, what) in PREFIXES.items()
        if name in values and not values[name].startswith(starts)
    ]


def url_problems(values: Mapping[str, str]) -> list[str]:
    """Addresses of a kind that cannot be spoken to."""
    problems: list[str] = []
    for name, schemes in SCHEMES.items():
        if name not in values:
            continue
        try:
            parts = urlsplit(values[name])
            is_good = parts.scheme in schemes and bool(parts.netloc or (parts.scheme == "unix" and parts.path))
        except ValueError:
            is_good = False
        if not is_good:
            problems.append(f"{name} is not an address; it must start with {' or '.join(f'{s}://' for s in schemes)}.")
    return problems


def key_problems(values: Mapping[str, str]) -> list[str]:
    """Secrets that no header could carry: usually pasted with a line break or a typographic character."""
    names = ("OPENAI_API_KEY", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")
    return [
        f"{name} holds a space, a line break or a character outside ASCII; paste it again."
        for name in names
        if name in values and not (values[name].isascii() and values[name].isprintable() and " " not in values[name])
    ]
