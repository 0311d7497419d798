"""handrail.example.toml: valid as it stands, shows every setting, and states the true defaults."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel

from runtime.settings import Settings
from runtime.settings_file import parse_settings
from scripts.machine import ROOT

EXAMPLE = ROOT / "handrail.example.toml"
SETTING = re.compile(r'^#\s?(?=(\w+ = )(["\[{\d]|true|false)|\[\[?\w)', re.MULTILINE)
DEFAULT = re.compile(r"^#(?=\S)", re.MULTILINE)
EXAMPLES_OF_LISTS = re.compile(r"^#\[\[.*?(?=\n\n)", re.MULTILINE | re.DOTALL)


def keys(model: type[BaseModel], prefix: str = "") -> set[str]:
    """Return every setting of a model as a dotted name; lists of tables count by their own name."""
    found: set[str] = set()
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found |= keys(kind, f"{prefix}{name}.")
        else:
            found.add(prefix + name)
    return found


def written(table: Mapping[str, Any], prefix: str = "") -> set[str]:
    """Return every setting that stands in a TOML document as a dotted name."""
    found: set[str] = set()
    for name, value in table.items():
        inner = cast("Mapping[str, Any]", value)
        is_section = isinstance(value, dict) and prefix + name not in keys(Settings)
        found |= written(inner, f"{prefix}{name}.") if is_section else {prefix + name}
    return found


def test_the_example_changes_nothing_as_it_stands() -> None:
    """Copied without a change it means the same as no file."""
    assert parse_settings(EXAMPLE.read_text(encoding="utf-8")) == Settings()


def test_what_the_example_calls_a_default_is_one() -> None:
    """With every stated default written out, the settings are still the defaults."""
    text = EXAMPLES_OF_LISTS.sub("", EXAMPLE.read_text(encoding="utf-8"))
    uncommented = DEFAULT.sub("", text)
    assert len(written(tomllib.loads(uncommented))) > 20
    assert parse_settings(uncommented) == Settings()


def test_the_example_shows_every_setting_and_only_settings() -> None:
    """Uncommented as a whole it is valid, and no setting is missing from it."""
    text = SETTING.sub("", EXAMPLE.read_text(encoding="utf-8"))
    parse_settings(text)
    assert written(tomllib.loads(text)) == keys(Settings)
