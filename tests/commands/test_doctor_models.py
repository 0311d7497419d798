"""What `doctor` says of the models: a line for each profile, asked by itself."""

from contextlib import AsyncExitStack

from bot.commands.model_health import ModelFinding, model_findings
from tests.support.model import fail, say, scripted_model
from tests.support.stage import start_with


async def findings(environment: dict[str, str], settings: str = "") -> list[ModelFinding]:
    """Every line."""
    return [found async for found in model_findings(start_with(environment, settings))]


async def test_each_profile_is_asked_by_itself_and_a_fallback_hides_nothing() -> None:
    """Each says in a sentence whether it answers, what is wrong, where to set it right and who stands in."""
    refusal = fail(400, "This model does not support image input.")
    async with AsyncExitStack() as stack:
        main, planner, vision, cheap = [
            await stack.enter_async_context(scripted_model([turn]))
            for turn in (say("ok"), fail(401, "No such key."), refusal, say("ok"))
        ]
        settings = f"""
[model]
fallbacks = ["cheap"]
[[models]]
name = "planner"
model = "big"
base_url = "{planner.base_url}"
fallbacks = ["cheap", "main"]
[[models]]
name = "vision"
model = "eyes"
base_url = "{vision.base_url}"
[[models]]
name = "cheap"
model = "small"
base_url = "{cheap.base_url}"
"""
        environment = {"OPENAI_BASE_URL": main.base_url, "OPENAI_MODEL": "usual", "OPENAI_API_KEY": "k"}
        found = {one.part: one for one in await findings(environment, settings)}
        assert '"image_url"' in str(vision.bodies).replace("'", '"')
    assert {part: one.ok for part, one in found.items()} == {
        "model": True,
        "model planner": False,
        "model vision": False,
        "model cheap": True,
    }
    assert found["model"].text.startswith("usual answers: ")
    assert found["model"].text.endswith("; cheap stands in when it fails")
    assert "refuses the key in OPENAI_API_KEY (401)" in found["model planner"].text
    assert 'name = "planner" under [[models]] in handrail.toml' in found["model planner"].text
    assert found["model planner"].text.endswith("Meanwhile cheap and then main is asked in its place.")
    assert "takes no images" in found["model vision"].text
    assert found["model cheap"].text.startswith("small answers: ")


async def test_settings_of_models_that_cannot_be_used_are_one_line() -> None:
    """A key that is not there, and a profile for images that is said to take none, need no request."""
    profile = '[[models]]\nname = "vision"\nmodel = "eyes"\n'
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    keyless = await findings(environment, f'{profile}api_key_env = "EYES_KEY"\n')
    assert [(one.part, one.ok) for one in keyless] == [("model", False)]
    assert "EYES_KEY is not set" in keyless[0].text
    blind = await findings(environment, f"[model]\ntries = 1\n{profile}takes_images = false\n")
    assert [(one.part, one.ok) for one in blind] == [("model", False), ("model vision", False)]
    assert "Check OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL." in blind[0].text
    assert blind[1].text == "eyes is set not to take images (takes_images = false)."
