"""Models by the work they are for, from the settings."""

import pytest

from runtime.llm.client import ModelOptions
from runtime.llm.port import ModelRequest, Traits
from runtime.llm.prices import PriceSource, prices_of
from runtime.llm.profiles import profiles_of
from runtime.session.usage import Usage
from runtime.settings import SettingsError
from runtime.settings_file import parse_settings
from tests.support.model import fail, say, scripted_model

REQUEST = ModelRequest(system="S.", messages=('{"role":"user","content":"go"}',), step_id="r1.1")
TWO = """
[model]
fallbacks = ["spare"]
[[models]]
name = "spare"
model = "small"
[[models]]
name = "verifier"
model = "strict"
fallbacks = ["main"]
"""


async def test_the_main_model_falls_back_to_a_profile_that_the_settings_name() -> None:
    """A refused key leads to the spare at once, under its own name and options."""
    settings = parse_settings(TWO)
    async with scripted_model([fail(401), say("Here.")]) as server:
        main = ModelOptions(model="big", base_url=server.base_url)
        models = profiles_of(main, settings.models, settings=settings.model)
        reply = await models["main"].reply(REQUEST)
        for model in models.values():
            await model.aclose()
    assert (reply.text, reply.model) == ("Here.", "small")
    assert [body["model"] for body in server.bodies] == ["big", "small"]
    assert set(models) == {"main", "spare", "verifier"}


def test_a_fallback_that_there_is_not_is_a_mistake_of_the_settings() -> None:
    """It is found at start, by its name."""
    settings = parse_settings('[[models]]\nname = "planner"\nmodel = "m"\nfallbacks = ["sapre"]\n')
    with pytest.raises(SettingsError, match="no profile 'sapre'"):
        profiles_of(ModelOptions(model="big", base_url="http://127.0.0.1:1/v1"), settings.models)


OWN = """
[model]
context_window = 64_000
azure_api_version = "2024-10-21"
[[models]]
name = "verifier"
model = "strict"
base_url = "%s"
api_key_env = "VERIFIER_KEY"
context_window = 8_000
reasoning = true
takes_images = false
usd_per_million_input = 1.00
usd_per_million_output = 2.00
[[models]]
name = "planner"
model = "big"
"""


async def test_a_profile_has_a_key_an_address_a_window_and_prices_of_its_own() -> None:
    """What it does not set is as for the main model, which may even be at another kind of service."""
    async with scripted_model([say("Yes.")]) as server:
        settings = parse_settings(OWN % server.base_url)
        main = ModelOptions(model="big", base_url="http://127.0.0.1:9", max_output_tokens=70)
        keys = {"VERIFIER_KEY": "its-own"}
        models = profiles_of(main, settings.models, settings=settings.model, api_key="the-mains", keys=keys)
        reply = await models["verifier"].reply(REQUEST)
        for model in models.values():
            await model.aclose()
    assert server.headers[0]["authorization"] == "Bearer its-own"
    assert server.bodies[0]["max_completion_tokens"] == 70
    assert reply.profile == "verifier"
    assert models["verifier"].traits == Traits(profile="verifier", context_window=8_000, takes_images=False)
    assert models["planner"].traits == Traits(profile="planner", context_window=64_000)
    prices = prices_of("big", settings.model, profiles=settings.models)
    assert prices.of("verifier").cost(Usage(input=1_000_000, output=1_000_000)) == 3_000_000
    assert prices.of("main").source is PriceSource.FALLBACK


def test_a_key_that_is_not_set_is_a_mistake_of_the_settings() -> None:
    """It is found at start, by the name of its variable."""
    settings = parse_settings(OWN % "http://127.0.0.1:1/v1")
    with pytest.raises(SettingsError, match="VERIFIER_KEY is not set"):
        profiles_of(ModelOptions(model="big", base_url="http://127.0.0.1:1/v1"), settings.models)
