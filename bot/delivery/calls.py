"""One call of Slack's Web API through the official client, with errors by what can be done about them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.errors import CLIENT_ERRORS, translated


async def call(client: AsyncWebClient, method: str, /, **arguments: Any) -> Mapping[str, Any]:
    """Call a method by the client's own name for it, such as `chat_postMessage`.

    By name, because the client's signatures end in untyped keyword arguments.

    Raises:
        DeliveryError: one of its kinds.
    """
    function = cast("Callable[..., Awaitable[Mapping[str, Any]]]", getattr(client, method))
    try:
        return await function(**arguments)
    except CLIENT_ERRORS as error:
        raise translated(error) from error
