"""manifest.yml is valid, asks for exactly what is needed, and docs/scopes.md explains all of it."""

import json
import re
from typing import Any, cast

import pytest
import yaml
from jsonschema import Draft7Validator

from bot.scopes import EVENT_SCOPES, FEATURES, optional_scopes, required_scopes
from scripts.machine import ROOT

Node = dict[str, Any]


@pytest.fixture(scope="module")
def manifest() -> Node:
    """Return the manifest as Slack would read it."""
    return cast("Node", yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def scopes_page() -> str:
    """Return the page that explains the scopes."""
    return (ROOT / "docs" / "scopes.md").read_text(encoding="utf-8")


def rows(page: str, heading: str) -> set[str]:
    """Return what stands in backticks in the first column of the table under a heading."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    first = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in first for name in re.findall(r"`([^`]+)`", cell)}


def test_the_manifest_fits_slacks_schema(manifest: Node) -> None:
    """Slack's own JSON Schema finds nothing wrong."""
    schema = json.loads((ROOT / "tests/data/slack-manifest.schema.2.0.0.json").read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    validator = cast("Any", Draft7Validator(schema))
    found = [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(manifest)]
    assert found == []


def test_every_subscribed_event_is_known_and_every_known_one_subscribed(manifest: Node) -> None:
    """The manifest subscribes to the events of the table, each once."""
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    assert sorted(events) == sorted(EVENT_SCOPES)


def test_the_scopes_are_exactly_those_of_events_and_features(manifest: Node) -> None:
    """No scope is asked for that nothing needs, none is missing, none stands twice."""
    scopes = manifest["oauth_config"]["scopes"]
    assert sorted(scopes["bot"]) == sorted(required_scopes() | optional_scopes())
    assert sorted(scopes["bot_optional"]) == sorted(optional_scopes())
    assert "user" not in scopes


def test_no_event_depends_on_an_optional_scope() -> None:
    """An installation that declines what is optional still receives everything it subscribed to."""
    assert not optional_scopes() & {scope for scope in EVENT_SCOPES.values() if scope}


def test_the_features_that_need_a_scope_are_declared_with_it(manifest: Node) -> None:
    """Commands and shortcuts need `commands`, the agent view `assistant:write`; the retiring view is not declared."""
    features = manifest["features"]
    bot = set(manifest["oauth_config"]["scopes"]["bot"])
    assert features["slash_commands"]
    assert features["shortcuts"]
    assert {"commands", "assistant:write"} <= bot
    assert "assistant_view" not in features


def test_socket_mode_needs_no_public_address(manifest: Node) -> None:
    """The manifest works as it is: no request URL stands in it, and interactivity is on."""
    settings = manifest["settings"]
    assert settings["socket_mode_enabled"]
    assert settings["interactivity"] == {"is_enabled": True}
    assert "request_url" not in settings["event_subscriptions"]
    assert all("url" not in command for command in manifest["features"]["slash_commands"])


def test_the_scopes_page_explains_each_scope_and_event(scopes_page: str) -> None:
    """docs/scopes.md has one row for each scope, under the right heading, and one for each event."""
    assert rows(scopes_page, "Required") == required_scopes()
    assert rows(scopes_page, "Optional") == optional_scopes()
    assert rows(scopes_page, "Events") == set(EVENT_SCOPES)


def test_a_method_belongs_to_one_feature() -> None:
    """`doctor` can name the one feature that a refused method takes away."""
    methods = [method for feature in FEATURES.values() for method in feature.methods]
    assert len(methods) == len(set(methods))
