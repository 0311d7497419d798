"""Models by the work they are for: `main`, `planner`, `verifier`, `summariser`, `vision`, each with its fallbacks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from runtime.llm.careful import CarefulModel
from runtime.llm.client import ModelOptions
from runtime.llm.fallback import FallbackModel
from runtime.llm.openai_model import OpenAIModel
from runtime.llm.port import ChatModel
from runtime.settings_base import SettingsError
from runtime.settings_models import ModelProfile, ModelSettings, ModelTraits

MAIN = "main"


def profiles_of(
    main: ModelOptions,
    profiles: Sequence[ModelProfile],
    *,
    settings: ModelSettings | None = None,
    api_key: str = "",
    keys: Mapping[str, str] | None = None,
    redact: Callable[[str], str] = str,
) -> dict[str, ChatModel]:
    """Every profile as a model; `main` is always there.

    Args:
        main: how the main model is asked; the others share what they do not set.
        profiles: as the settings have them.
        settings: of the main model; its fallbacks and what it takes.
        api_key: of the main model, and of every profile that names no other.
        keys: the environment, for profiles with a key of their own.
        redact: takes secrets out of what servers say.

    Raises:
        SettingsError: a fallback names no profile, or a variable for a key is not set.
    """
    settings = settings or ModelSettings()
    first = OpenAIModel(with_traits(main, settings), api_key=api_key, redact=redact)
    alone: dict[str, ChatModel] = {MAIN: CarefulModel(first, speaks_tools=settings.takes_tools)}
    for profile in profiles:
        key = key_of(profile, keys or {}) or api_key
        model = OpenAIModel(options_of(main, settings, profile), api_key=key, redact=redact)
        alone[profile.name] = CarefulModel(model, speaks_tools=profile.takes_tools)
    chains = {MAIN: settings.fallbacks} | {profile.name: profile.fallbacks for profile in profiles}
    for name, fallbacks in chains.items():
        for other in fallbacks:
            if other not in alone:
                raise SettingsError(f"models {name}: there is no profile {other!r} to fall back to; add it.")
    return {
        name: FallbackModel([model, *(alone[other] for other in chains[name])]) if chains.get(name) else model
        for name, model in alone.items()
    }


def key_of(profile: ModelProfile, keys: Mapping[str, str]) -> str:
    """The profile's own key; empty where it names none.

    Raises:
        SettingsError: it names a variable that is not set.
    """
    if not profile.api_key_env:
        return ""
    key = keys.get(profile.api_key_env, "").strip()
    if not key:
        raise SettingsError(f"models {profile.name}: {profile.api_key_env} is not set; it should hold the key.")
    return key


def options_of(main: ModelOptions, settings: ModelSettings, profile: ModelProfile) -> ModelOptions:
    """The main model's options with what the profile sets."""
    shared = replace(
        main,
        model=profile.model,
        profile=profile.name,
        base_url=profile.base_url or main.base_url,
        key_name=profile.api_key_env or main.key_name,
        context_window=profile.context_window or settings.context_window,
        azure_api_version="" if profile.base_url else settings.azure_api_version,
        azure_deployment="",
    )
    return with_traits(shared, profile)


def with_traits(options: ModelOptions, traits: ModelTraits) -> ModelOptions:
    """The options with what the settings say of a model."""
    window = traits.context_window if isinstance(traits, ModelSettings) else options.context_window
    return replace(
        options,
        context_window=window,
        temperature=options.temperature if traits.temperature is None else traits.temperature,
        max_output_tokens=traits.max_output_tokens or options.max_output_tokens,
        reasoning=traits.reasoning,
        reasoning_effort=traits.reasoning_effort,
        takes_images=traits.takes_images,
        takes_schemas=traits.takes_schemas,
        azure_api_version=traits.azure_api_version or options.azure_api_version,
        azure_deployment=traits.azure_deployment,
    )
