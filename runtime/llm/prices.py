"""What tokens cost, in integer micro-dollars, rounded up: from settings, else from known prices, else a stated guess.

Known prices come from the data inside the `genai-prices` package; nothing is fetched.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

from genai_prices import Usage as PricedUsage
from genai_prices import calc_price

from runtime.session.events import Usage
from runtime.settings_base import MICROS_PER_USD, micros_of
from runtime.settings_models import ModelProfile, ModelTraits

MILLION = 1_000_000


class PriceSource(StrEnum):
    """Where a price comes from; a fallback is said to the operator once."""

    SETTINGS = "settings"
    KNOWN = "known"
    FALLBACK = "fallback"
    NOMINAL = "nominal"
    """The rehearsal model costs nothing; it is shown at the fallback's price, marked as scripted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPrice:
    """Micro-dollars per million tokens."""

    input: int
    cached: int
    output: int

    def cost(self, usage: Usage) -> int:
        """Micro-dollars for what was used; cached tokens are part of the input, reasoning tokens of the output."""
        fresh = usage.input - usage.cached
        whole = fresh * self.input + usage.cached * self.cached + usage.output * self.output
        return -(-whole // MILLION)


FALLBACK = TokenPrice(input=3_000_000, cached=3_000_000, output=15_000_000)
"""$3 per million input tokens, $15 per million output tokens, nothing off for cached ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of one model."""

    model: str
    source: PriceSource
    price: TokenPrice = FALLBACK
    """Used unless the source is `KNOWN`."""
    others: Mapping[str, "Prices"] = field(default_factory=dict[str, "Prices"])
    """Of the further models, by their profiles: the same model may cost more elsewhere."""

    def of(self, profile: str) -> "Prices":
        """The prices of whichever profile answered."""
        return self.others.get(profile, self)

    def cost(self, usage: Usage) -> int:
        """Micro-dollars for one request."""
        if self.source is PriceSource.KNOWN:
            known = known_cost(self.model, usage)
            if known is not None:
                return known
        return self.price.cost(usage)


def prices_of(
    model: str, settings: ModelTraits, *, scripted: bool = False, profiles: Sequence[ModelProfile] = ()
) -> Prices:
    """The prices to reckon with.

    Args:
        model: the main model's name as configured.
        settings: may override what is known.
        scripted: it is the rehearsal model.
        profiles: the further models.
    """
    if scripted:
        return Prices(model=model, source=PriceSource.NOMINAL)
    main = price_of(model, settings)
    own = {profile.name: price_of(profile.model, profile) for profile in profiles}
    as_main = {
        profile.name: main
        for profile in profiles
        if profile.model == model and own[profile.name].source is not PriceSource.SETTINGS
    }
    return replace(main, others=own | as_main)


def price_of(model: str, settings: ModelTraits) -> Prices:
    """One model's prices."""
    if settings.usd_per_million_input is not None and settings.usd_per_million_output is not None:
        cached = settings.usd_per_million_cached
        price = TokenPrice(
            input=micros_of(settings.usd_per_million_input),
            cached=micros_of(settings.usd_per_million_input if cached is None else cached),
            output=micros_of(settings.usd_per_million_output),
        )
        return Prices(model=model, source=PriceSource.SETTINGS, price=price)
    is_known = known_cost(model, Usage(input=1, output=1)) is not None
    return Prices(model=model, source=PriceSource.KNOWN if is_known else PriceSource.FALLBACK)


def known_cost(model: str, usage: Usage) -> int | None:
    """Micro-dollars by the package's data, also for a name with a provider before it; None for an unknown model."""
    counts = PricedUsage(input_tokens=usage.input, cache_read_tokens=usage.cached, output_tokens=usage.output)
    for name in dict.fromkeys((model, model.rpartition("/")[2])):
        try:
            usd = calc_price(counts, name).total_price
        except LookupError:
            continue
        return int((Decimal(usd) * MICROS_PER_USD).to_integral_value(ROUND_CEILING))
    return None
