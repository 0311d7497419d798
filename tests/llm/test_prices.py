"""What tokens cost: integer micro-dollars, rounded up, from the nearest source that knows."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from runtime.llm.prices import FALLBACK, PriceSource, prices_of
from runtime.llm.tokens import estimated
from runtime.session.events import Usage
from runtime.settings import ModelSettings
from runtime.settings_models import ModelProfile


def test_a_known_model_is_priced_from_the_bundled_data_with_its_cached_tokens() -> None:
    """gpt-4o-mini: $0.15 in, $0.075 cached, $0.60 out, per million, also with a provider before the name."""
    for name in ("gpt-4o-mini", "openai/gpt-4o-mini"):
        prices = prices_of(name, ModelSettings())
        assert prices.source is PriceSource.KNOWN
        assert prices.cost(Usage(input=1_000_000, cached=200_000, output=100_000)) == 120_000 + 15_000 + 60_000


def test_an_unknown_model_is_priced_by_the_stated_fallback() -> None:
    """A name nobody knows costs what the fallback says, and the source tells it."""
    prices = prices_of("my-own-model", ModelSettings())
    assert prices.source is PriceSource.FALLBACK
    assert prices.cost(Usage(input=1_000_000)) == 3_000_000


def test_settings_override_what_is_known() -> None:
    """A price in the file wins, a price of nothing included; without a cached price the input's counts."""
    settings = ModelSettings(usd_per_million_input=Decimal("1.5"), usd_per_million_output=Decimal(0))
    prices = prices_of("gpt-4o-mini", settings)
    assert prices.source is PriceSource.SETTINGS
    assert prices.cost(Usage(input=1000, cached=1000, output=1000)) == 1500


def test_each_model_has_its_own_price() -> None:
    """A verifier or a fallback that answers has its own price or override; any other the main one."""
    override = ModelProfile(
        name="vision", model="mine", usd_per_million_input=Decimal(1), usd_per_million_output=Decimal(2)
    )
    known = ModelProfile(name="verifier", model="gpt-4o-mini")
    dearer = override.model_copy(update={"name": "planner", "model": "gpt-4o"})
    same = known.model_copy(update={"name": "backup", "model": "gpt-4o"})
    prices = prices_of("gpt-4o", ModelSettings(), profiles=(known, override, dearer, same))
    used = Usage(input=1_000_000)
    assert prices.of("verifier").cost(used) == 150_000
    assert prices.of("vision").cost(used) == prices.of("planner").cost(used) == 1_000_000
    assert prices.of("main").cost(used) == prices.of("backup").cost(used) == 2_500_000
    with pytest.raises(ValidationError, match="together"):
        ModelProfile(name="half", model="m", usd_per_million_input=Decimal(1))


def test_the_rehearsal_model_is_shown_at_a_nominal_price() -> None:
    """It costs nothing, but its footers show what such a run would."""
    prices = prices_of("gpt-4o-mini", ModelSettings(), scripted=True)
    assert prices.source is PriceSource.NOMINAL
    assert prices.cost(Usage(input=20_000, output=1_000)) == 75_000


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**6))
def test_a_cost_is_never_rounded_down(fresh: int, cached: int, output: int) -> None:
    """Money is a whole number of micro-dollars, at least the exact price and less than one above it."""
    cost = FALLBACK.cost(Usage(input=fresh + cached, cached=cached, output=output))
    exact = Decimal(fresh * FALLBACK.input + cached * FALLBACK.cached + output * FALLBACK.output) / 1_000_000
    assert exact <= cost < exact + 1


@given(st.text(max_size=200))
def test_an_estimate_is_at_least_a_third_of_the_bytes_rounded_up(text: str) -> None:
    """So it is at least one for each Chinese character, and nothing for nothing."""
    assert estimated(text) >= -(-len(text.encode(errors="surrogatepass")) // 3)
    assert estimated("") == 0
