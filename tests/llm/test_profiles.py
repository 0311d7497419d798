"""Models by the work they are for, from the settings."""

import pytest

from runtime.llm.openai_model import ModelOptions
from runtime.llm.port import ModelRequest
from runtime.llm.profiles import profiles_of
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
        models = profiles_of(main, settings.models, main_fallbacks=settings.model.fallbacks)
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
