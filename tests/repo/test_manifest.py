"""manifest.yml is valid, asks for exactly what is needed, and docs/scopes.md explains all of it."""

import json
import re
from typing import Any, cast

import pytest
import yaml
from jsonschema import Draft7Validator

from bot.commands.doctor import scopes
from bot.commands.init import over_http
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


def test_over_http_everything_goes_to_one_address(manifest: Node) -> None:
    """`init --http` fills in each address Slack needs, the way back from an installation too; the schema takes it."""
    schema = json.loads((ROOT / "tests/data/slack-manifest.schema.2.0.0.json").read_text(encoding="utf-8"))
    made = over_http(manifest, "https://bot.example.com/")
    assert not list(cast("Any", Draft7Validator(schema)).iter_errors(made))
    settings, events = made["settings"], "https://bot.example.com/slack/events"
    assert not settings["socket_mode_enabled"]
    assert {settings[part]["request_url"] for part in ("event_subscriptions", "interactivity")} == {events}
    assert {command["url"] for command in made["features"]["slash_commands"]} == {events}
    assert made["oauth_config"]["redirect_urls"] == ["https://bot.example.com/slack/oauth_redirect"]
    assert "request_url" not in manifest["settings"]["interactivity"]


@pytest.mark.parametrize(
    ("granted", "ok", "words"),
    [
        (None, True, "not compared"),
        (frozenset[str](), False, "missing app_mentions:read"),
        (required_scopes(), True, "declined: channels:read, groups:read, reactions:write, usergroups:read"),
        (required_scopes() | optional_scopes(), True, "exactly those of manifest.yml"),
        (required_scopes() | optional_scopes() | {"admin"}, True, "more than manifest.yml asks for: admin"),
    ],
)
def test_doctor_compares_the_manifest_with_what_was_granted(
    granted: frozenset[str] | None, ok: bool, words: str
) -> None:
    """Missing, declined and superfluous scopes are named; what is optional is no mistake."""
    found = scopes(granted)
    assert found.ok is ok
    assert words in found.text


def test_every_key_and_place_of_storage_is_explained(scopes_page: str) -> None:
    """Each name that the source gives a key in Redis stands on the page, with how long it is kept."""
    sources = [*(ROOT / "bot").rglob("*.py"), *(ROOT / "runtime").rglob("*.py")]
    made = re.compile(r'f"\{[\w.]*namespace\}:(?:\{\{)?([a-z-]+)')
    names = {name for file in sources for name in made.findall(file.read_text(encoding="utf-8"))} - {"p"}
    explained = rows(scopes_page, "What is stored")
    assert {f"handrail:{name}" for name in names} <= {
        re.sub(r"[{}:*]+$", "", name.replace("{", "")) for name in explained
    }


def test_the_scopes_page_explains_each_scope_and_event(scopes_page: str) -> None:
    """docs/scopes.md has one row for each scope, under the right heading, and one for each event."""
    assert rows(scopes_page, "Required") == required_scopes()
    assert rows(scopes_page, "Optional") == optional_scopes()
    assert rows(scopes_page, "Events") == set(EVENT_SCOPES)


def test_a_method_belongs_to_one_feature() -> None:
    """`doctor` can name the one feature that a refused method takes away."""
    methods = [method for feature in FEATURES.values() for method in feature.methods]
    assert len(methods) == len(set(methods))
