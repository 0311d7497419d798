"""Models by the work they are for: `main`, `planner`, `verifier`, `summariser`, `vision`, each with its fallbacks."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from runtime.llm.careful import CarefulModel
from runtime.llm.fallback import FallbackModel
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.port import ChatModel
from runtime.settings_base import SettingsError
from runtime.settings_models import ModelProfile

MAIN = "main"


def profiles_of(
    main: ModelOptions,
    profiles: Sequence[ModelProfile],
    *,
    main_fallbacks: tuple[str, ...] = (),
    api_key: str = "",
    redact: Callable[[str], str] = str,
) -> dict[str, ChatModel]:
    """Every profile as a model; `main` is always there.

    Args:
        main: how the main model is asked; the others share what they do not set.
        profiles: as the settings have them.
        main_fallbacks: who is asked when the main model fails.
        api_key: of all of them.
        redact: takes secrets out of what servers say.

    Raises:
        SettingsError: a fallback names no profile.
    """
    alone: dict[str, ChatModel] = {MAIN: CarefulModel(OpenAIModel(main, api_key=api_key, redact=redact))}
    for profile in profiles:
        model = OpenAIModel(options_of(main, profile), api_key=api_key, redact=redact)
        alone[profile.name] = CarefulModel(model, speaks_tools=profile.takes_tools)
    chains = {MAIN: main_fallbacks} | {profile.name: profile.fallbacks for profile in profiles}
    for name, fallbacks in chains.items():
        for other in fallbacks:
            if other not in alone:
                raise SettingsError(f"models {name}: there is no profile {other!r} to fall back to; add it.")
    return {
        name: FallbackModel([model, *(alone[other] for other in chains[name])]) if chains.get(name) else model
        for name, model in alone.items()
    }


def options_of(main: ModelOptions, profile: ModelProfile) -> ModelOptions:
    """The main model's options with what the profile sets."""
    return replace(
        main,
        model=profile.model,
        base_url=profile.base_url or main.base_url,
        temperature=main.temperature if profile.temperature is None else profile.temperature,
        max_output_tokens=profile.max_output_tokens or main.max_output_tokens,
    )
