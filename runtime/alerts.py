"""What operators are told of, and the boundary to where they are told.

Above: the runtime, which decides what is worth a word and sees to it that it is said once for all replicas.
Below: a channel. Implementations: `bot.delivery.operators.OperatorsChannel`, `bot.oauth.surroundings.TenantOperators`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol


class Alert(StrEnum):
    """The kind of an alert; the words are `bot`'s business."""

    MODEL_AWAY = "model_away"
    """about: code, sentence."""
    MODEL_BACK = "model_back"
    PRICE_UNKNOWN = "price_unknown"
    """about: model."""


class Operators(Protocol):
    """Those who run the bot."""

    async def tell(self, alert: Alert, about: Mapping[str, str]) -> None:
        """Tell them. Never raises: what cannot be delivered stands in the log."""
        ...
