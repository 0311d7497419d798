"""Who the bot is in Slack, asked once at start; a wrong token fails here, in one sentence, instead of for ever."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.commands.start import StartProblem
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError, Refused

TOKEN_ERRORS = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackIdentity:
    """The installed bot."""

    user_id: str
    bot_id: str
    team_id: str
    team: str
    enterprise_id: str

    @property
    def teams(self) -> frozenset[str]:
        """The workspace and, where it belongs to one, the enterprise."""
        return frozenset(filter(None, (self.team_id, self.enterprise_id)))


async def asked(client: AsyncWebClient, method: str, url: str, setting: str, **arguments: Any) -> Mapping[str, Any]:
    """Call a method whose failure means that a setting is wrong.

    Raises:
        StartProblem: names the setting and the fix.
    """
    try:
        return await call(client, method, **arguments)
    except Refused as error:
        code = str(error)
        if code in TOKEN_ERRORS:
            raise StartProblem(
                f"Slack refuses {setting} ({code}). Copy it again from your app's pages, or run `python -m bot init`."
            ) from error
        raise StartProblem(f"Slack refuses {setting} ({code}). `python -m bot doctor` says what is missing.") from error
    except DeliveryError as error:
        raise StartProblem(
            f"{url} (SLACK_API_URL) does not answer like Slack ({error}). Check the address and the network."
        ) from error


async def who_am_i(client: AsyncWebClient, url: str) -> SlackIdentity:
    """`auth.test` with the bot token.

    Raises:
        StartProblem: the token is refused, or what answers is not Slack.
    """
    found = await asked(client, "auth_test", url, "SLACK_BOT_TOKEN")
    if "user_id" not in found or "team_id" not in found:
        raise StartProblem(f"{url} (SLACK_API_URL) does not answer like Slack. Check the address.")
    return SlackIdentity(
        user_id=str(found["user_id"]),
        bot_id=str(found.get("bot_id", "")),
        team_id=str(found["team_id"]),
        team=str(found.get("team", "")),
        enterprise_id=str(found.get("enterprise_id") or ""),
    )


async def check_app_token(client: AsyncWebClient, url: str, token: str) -> None:
    """`apps.connections.open` once, since the socket client itself retries a wrong token for ever.

    Raises:
        StartProblem: the token is refused.
    """
    await asked(client, "apps_connections_open", url, "SLACK_APP_TOKEN", app_token=token)
