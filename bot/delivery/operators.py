"""Where operators are told: a channel of the workspace, and always the log."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_budget
from bot.delivery.calls import call
from bot.delivery.errors import DeliveryError
from bot.render import escape
from bot.render.blocks import section
from runtime.alerts import Alert

log = logging.getLogger(__name__)


def words(alert: Alert, about: Mapping[str, str]) -> str:
    """An alert in a sentence or two."""
    match alert:
        case Alert.MODEL_AWAY:
            return texts_budget.operators_model_away(about["code"], about["sentence"])
        case Alert.MODEL_BACK:
            return texts_budget.operators_model_back()
        case Alert.PRICE_UNKNOWN:
            return texts_budget.operators_price(about["model"])


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorsChannel:
    """Implements the runtime's `Operators`."""

    client: AsyncWebClient
    channel: str
    """Empty: only the log."""

    async def tell(self, alert: Alert, about: Mapping[str, str]) -> None:
        """Post one message."""
        text = words(alert, about)
        log.warning("%s", text)
        if not self.channel:
            return
        safe = escape.within(text, 2_000)
        try:
            await call(
                self.client,
                "chat_postMessage",
                channel=self.channel,
                text=safe,
                blocks=[section(safe)],
                unfurl_links=False,
                unfurl_media=False,
            )
        except DeliveryError as error:
            log.warning("slack.operators_channel %s: %s", self.channel, error)
