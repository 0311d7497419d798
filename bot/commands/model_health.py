"""How the models are, for `doctor`: each profile is asked by itself, since a fallback would hide that one is away."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from bot.assembly import open_models, redactor
from bot.commands.start import Start, StartProblem
from runtime.llm.errors import ModelError
from runtime.llm.fallback import FallbackModel
from runtime.llm.images import ModelImage, image_tokens
from runtime.llm.port import ChatModel, ModelRequest
from runtime.llm.profiles import MAIN
from runtime.session.messages import serialised
from runtime.settings import SettingsError

VISION = "vision"
SIDE = 32
WHITE = "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAAAAABWESUoAAAAFklEQVR42mP4TwAwjCoYVTCqYKQqAAA/aPwuqUTQyAAAAABJRU5ErkJggg=="
"""A PNG of `SIDE` by `SIDE` pixels."""


class ModelFinding(NamedTuple):
    """One profile, whether it answers, and what to do."""

    part: str
    ok: bool
    text: str


async def model_findings(start: Start) -> AsyncIterator[ModelFinding]:
    """A finding per profile, all asked at the same time; one where the settings cannot be used."""
    fallbacks = {MAIN: start.settings.model.fallbacks} | {one.name: one.fallbacks for one in start.settings.models}
    try:
        async with open_models(start, redactor(start)) as models:
            asked = (finding(start, name, model, fallbacks[name]) for name, model in models.items())
            for found in await asyncio.gather(*asked):
                yield found
    except (SettingsError, StartProblem) as error:
        yield ModelFinding("model", ok=False, text=str(error))


async def finding(start: Start, profile: str, model: ChatModel, fallbacks: Sequence[str]) -> ModelFinding:
    """What one small request to one profile comes to."""
    part = "model" if profile == MAIN else f"model {profile}"
    alone = model.models[0] if isinstance(model, FallbackModel) else model
    others = " and then ".join(fallbacks)
    try:
        if profile == VISION and alone.traits.takes_images is False:
            return ModelFinding(part, ok=False, text=f"{alone.name} is set not to take images (takes_images = false).")
        reply = await alone.reply(hello(shows=profile == VISION))
    except ModelError as error:
        meanwhile = f" Meanwhile {others} is asked in its place." if others else ""
        return ModelFinding(part, ok=False, text=f"{error} {fix(profile)}{meanwhile}")
    scripted = "" if start.environment.has_model else " (scripted; set OPENAI_API_KEY for a real one)"
    behind = f"; {others} stands in when it fails" if others else ""
    return ModelFinding(part, ok=True, text=f"{alone.name} answers{scripted}: {reply.usage.total} tokens{behind}")


def hello(*, shows: bool) -> ModelRequest:
    """A request that costs next to nothing, with an image where the profile is for images."""
    image = ModelImage(name="white.png", media_type="image/png", data=WHITE, tokens=image_tokens(SIDE, SIDE))
    return ModelRequest(
        system="Answer with one word.",
        messages=(serialised({"role": "user", "content": "Say ok."}),),
        step_id="doctor",
        images=(image,) if shows else (),
    )


def fix(profile: str) -> str:
    """Where what is wrong can be set right."""
    if profile == MAIN:
        return "Check OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL."
    return f'Check the entry with name = "{profile}" under [[models]] in handrail.toml.'
