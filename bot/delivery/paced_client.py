"""The official client, each call in its turn: nothing is sent that Slack's limits would refuse."""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, Final, Self

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.delivery.errors import NotOurs
from bot.delivery.shared_pace import SharedPace

TRIES: Final = 3
LONGEST_PAUSE: Final = 60.0
"""Seconds; a longer Retry-After is an outage, and whoever called decides what then."""


def channel_of(arguments: Mapping[str, Any]) -> str:
    """The channel a call is about, wherever its method puts the arguments."""
    for part in ("json", "params", "data"):
        given: Mapping[str, Any] = arguments.get(part) or {}
        found = given.get("channel") or given.get("channel_id")
        if found:
            return str(found)
    return ""


def retry_after(error: SlackApiError) -> float | None:
    """Seconds that Slack asks to wait; None when it did not refuse because of a rate."""
    response: Any = error.response
    if int(getattr(response, "status_code", 0)) != 429:
        return None
    headers: Mapping[str, str] = {str(key).lower(): str(value) for key, value in response.headers.items()}
    given = headers.get("retry-after", "")
    return float(given) if given.isdigit() else 1.0


class PacedClient(AsyncWebClient):
    """Waits for its turn, and repeats what was refused because of a rate: such a call has done nothing."""

    def __init__(self, *, pace: SharedPace, **options: Any) -> None:
        super().__init__(**options)  # pyright: ignore[reportUnknownMemberType] - the client's own annotation
        self.pace = pace
        self.may_act: Callable[[], bool] | None = None

    def under(self, may_act: Callable[[], bool]) -> Self:
        """The same client for whoever holds a lease: every call asks for it last, when its turn has come."""
        leased = copy(self)
        leased.may_act = may_act
        return leased

    async def api_call(self, api_method: str, **arguments: Any) -> AsyncSlackResponse:
        """One call of the Web API.

        Raises:
            SlackApiError: Slack refused.
            NotOurs: the lease may have lapsed by the time the call's turn came; nothing was sent.
        """
        channel = channel_of(arguments)
        for left in reversed(range(TRIES)):
            await self.pace.take(api_method, channel)
            if self.may_act is not None and not self.may_act():
                raise NotOurs(api_method)
            try:
                # The client's own annotations have bare dicts.
                return await super().api_call(api_method, **arguments)  # pyright: ignore[reportUnknownMemberType]
            except SlackApiError as error:
                seconds = retry_after(error)
                if seconds is None:
                    raise
                await self.pace.hold(api_method, channel, seconds)
                if not left or seconds > LONGEST_PAUSE:
                    raise
        raise AssertionError("unreachable")
