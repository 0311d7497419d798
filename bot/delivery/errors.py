"""Slack's refusals by what can be done about them, and the end of a lease.

DeliveryError
├── Refused      this content or place never works: recorded as a problem, told to the operator
├── TooBig       this content never works in this form: sent in a plainer one
└── NotNow       rate limit, outage, lost reply: tried again later after a look at what arrived
NotOurs          not Slack's word: another replica may hold the session by now
"""

from typing import Any, cast

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError

TOO_BIG = frozenset(
    {
        "msg_too_long",
        "msg_blocks_too_long",
        "invalid_blocks",
        "invalid_blocks_format",
        "invalid_attachments",
        "only_one_table_allowed",
        "text_too_long",
    }
)
NOT_NOW = frozenset(
    {"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"}
)
GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"})


class DeliveryError(Exception):
    """Root of what can go wrong between journal and Slack. Carries Slack's own code, never content."""


class Refused(DeliveryError):
    """It will not work however often it is tried."""


class TooBig(DeliveryError):
    """It will not work in this form."""


class NotNow(DeliveryError):
    """It may work later; whether it has worked already must be looked up first."""


class NotOurs(Exception):
    """The lease is no longer surely ours: nothing was sent, and nothing more is to be."""


def translated(error: Exception) -> DeliveryError:
    """A client error as one of ours."""
    if isinstance(error, SlackApiError):
        response = cast("Any", error).response
        code, status = str(response.get("error", "")), int(response.status_code)
        if code in TOO_BIG:
            return TooBig(code)
        if code in NOT_NOW or status == 429 or status >= 500 or not code:
            return NotNow(code or f"HTTP {status}")
        return Refused(code)
    return NotNow(type(error).__name__)


CLIENT_ERRORS = (SlackClientError, ClientError, TimeoutError, OSError)
"""What a call of the Slack client raises when it did not work."""
