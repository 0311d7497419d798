"""`handrail.toml`: defaults, every contractual name, and mistakes that say where they are and what to do."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.durations import read_duration
from runtime.settings import RunBudget, Settings, SettingsError
from runtime.settings_file import load_settings, parse_settings

WHOLE_CONTRACT = """
data_dir = "/var/lib/handrail"

[policy]
[[policy.rules]]
tool = "bash"
verdict = "ask"
approvers = ["requester", "U0ANA", "@oncall"]
quorum = 2
expires = "12h"
[[policy.rules]]
tool_glob = "mcp_github_*"
verdict = "deny"
approvers = []

[budget.run]
steps = 50
wall = "1h30m"
tokens = 2_000_000
usd = 2.50
[budget.thread]
usd = 20
[budget.person]
per_day_usd = 10
[budget.channel]
per_day_tokens = 5_000_000
[budget.workspace]
per_day_usd = 50

[timeouts]
model_silence = "120s"
model = "600s"
tool = "120s"
tool_max = "600s"
question = "72h"
approval = "24h"
reminder = "30m"

[retention]
sessions = "30d"
audit = "365d"

[workspace]
[[workspace.mounts]]
name = "etl"
path = "srv/etl"

[access]
members = true
guests = false
external = false
users = ["U1"]
channels = []

[slack]
verbosity = "quiet"
follow_ups = false

[mcp]
config = "mcp.json"

[sandbox]
unsafe_local = true
python = "/opt/python"

[model]
context_window = 32_000

[engine]
concurrency = 2
"""


def mistakes(text: str) -> tuple[str, ...]:
    """The sentences that reading the text raises."""
    with pytest.raises(SettingsError) as caught:
        parse_settings(text)
    return caught.value.problems


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    """A directory without a file gives the defaults, with data beside it."""
    settings = load_settings(directory=tmp_path)
    assert settings == Settings(data_dir=tmp_path.resolve() / ".handrail")
    assert settings.budget.run.micros == 2_500_000
    assert settings.access.channels is None


def test_every_name_of_the_contract_is_read(tmp_path: Path) -> None:
    """The whole contractual file is accepted, and relative paths are taken from the file's place."""
    file = tmp_path / "handrail.toml"
    file.write_text(WHOLE_CONTRACT)
    settings = load_settings(directory=tmp_path)
    first, second = settings.policy.rules
    assert (first.tool, first.quorum, first.expires) == ("bash", 2, timedelta(hours=12))
    assert (second.tool_glob, second.approvers) == ("mcp_github_*", ())
    assert settings.budget.run == RunBudget(wall=timedelta(minutes=90))
    assert settings.budget.thread.usd == Decimal(20)
    assert settings.access.channels == ()
    assert settings.workspace.mounts[0].path == tmp_path.resolve() / "srv/etl"
    assert settings.mcp.config == tmp_path.resolve() / "mcp.json"
    assert settings.data_dir == Path("/var/lib/handrail")


def test_an_unknown_key_is_named_with_its_line_and_the_nearest_valid_one() -> None:
    """A misspelt key is an error that names the file, the line, the key and what was probably meant."""
    assert mistakes("[budget.run]\n\nstpes = 3\n") == (
        "handrail.toml line 3: unknown setting 'budget.run.stpes'; the nearest valid one is 'steps'.",
    )


def test_a_key_in_the_wrong_section_is_pointed_to_its_place() -> None:
    """A known name at the wrong place is answered with its full name."""
    assert mistakes("unsafe_local = true\n") == (
        "handrail.toml line 1: unknown setting 'unsafe_local'; the nearest valid one is 'sandbox.unsafe_local'.",
    )


def test_a_key_like_no_other_gets_the_list_of_valid_ones() -> None:
    """Where nothing is near, the valid names of the section are listed."""
    assert mistakes("[slack]\nbananas = 1\n") == (
        (
            "handrail.toml line 2: unknown setting 'slack.bananas'; valid here: "
            "verbosity, verbosity_in, follow_ups, reaction, bots, refused_files, operators_channel."
        ),
    )


def test_all_mistakes_are_told_at_once_each_with_its_own_line() -> None:
    """Lists of tables are counted, so that the second rule's mistake carries the second rule's line."""
    text = '[[policy.rules]]\ntool = "bash"\nverdict = "ask"\n[[policy.rules]]\ntool = "x"\nverdict = "allo"\n'
    assert mistakes(text + '[timeouts]\ntool = "soon"\n') == (
        "handrail.toml line 6: policy.rules[1].verdict should be 'allow', 'ask' or 'deny', not \"allo\".",
        'handrail.toml line 8: timeouts.tool must be a duration such as "90s", "30m" or "24h", not "soon".',
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[budget.run]\nsteps = "3"', "line 2: budget.run.steps must be a whole number"),
        ('[access]\nmembers = "yes"', "line 2: access.members must be true or false"),
        ("[budget.run]\nusd = -1", "line 2: budget.run.usd should be greater than or equal to 0, not -1"),
        ('[timeouts]\ntool = "11m"', "line 1: timeouts has tool longer than tool_max"),
        ('[timeouts]\ntool = "0s"', "must be longer than nothing"),
        ('[[workspace.mounts]]\npath = "/a"', "line 1: workspace.mounts[0].name is missing"),
        ('[[workspace.mounts]]\nname = "../x"\npath = "/a"', "must be 1 to 63 letters"),
        ('[[policy.rules]]\nverdict = "ask"', "exactly one of tool (an exact name) and tool_glob"),
        ('[[policy.rules]]\ntool = "mcp_*"\nverdict = "ask"', "write tool_glob = 'mcp_*'"),
        ('[[policy.rules]]\ntool = "a"\nverdict = "ask"\napprovers = ["ana"]', "line 4: policy.rules[0].approvers[0]"),
        ("[budget.run\n", "is not valid TOML"),
        ('slack = "quiet"', "line 1: slack must be a table"),
    ],
)
def test_a_wrong_value_is_one_sentence(text: str, sentence: str) -> None:
    """Each kind of mistake names its place and what belongs there, in one sentence."""
    (problem,) = mistakes(text)
    assert sentence in problem
    assert "\n" not in problem


def test_two_mounts_of_one_name_are_refused() -> None:
    """Names of mounts must differ, since they are how a mount is spoken of."""
    mount = '[[workspace.mounts]]\nname = "etl"\npath = "/a"\n'
    assert "two mounts called 'etl'" in mistakes(mount + mount)[0]


def test_a_named_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """HANDRAIL_CONFIG pointing nowhere is told, not ignored."""
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path / "absent.toml")


@given(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59), st.integers(1, 59))
def test_durations_are_read_as_written(days: int, hours: int, minutes: int, seconds: int) -> None:
    """Any combination of units, in falling order, is the sum of its parts."""
    expected = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    assert read_duration(f"{days}d{hours}h{minutes}m{seconds}s") == expected


def test_the_browsers_server_has_a_name() -> None:
    """Without one the browser's agent would get every tool that belongs to no server."""
    with pytest.raises(SettingsError, match="browser"):
        parse_settings('[agent]\nbrowser = ""\n')
