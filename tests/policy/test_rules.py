"""Rules about more than a name: origin, people, places; and mistakes in them, which are fatal at start."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.__main__ import main
from runtime.policy.checking import check
from runtime.policy.engine import Policy, Subject, VerdictKind
from runtime.settings import SettingsError
from runtime.settings_file import parse_settings, settings_lines
from tools.base import Risk
from tools.collection import ToolCollection, builtin_tools


def policy(text: str) -> Policy:
    """The policy of one rule's body that allows."""
    settings = parse_settings(f'[[policy.rules]]\ntool = "t"\nverdict = "allow"\n{text}')
    return Policy.of(settings.policy, contains=True, expires=timedelta(hours=1))


def allows(text: str, **subject: object) -> bool:
    """Whether it lets a call run."""
    whole = {"tool": "t", "risk": Risk.OUTSIDE, "is_builtin": True, **subject}
    return policy(text).judge(Subject(**whole)).kind is VerdictKind.ALLOW  # pyright: ignore[reportArgumentType] - by name


def test_origin_tells_our_tools_from_a_servers() -> None:
    """A server's tool never passes for one of ours, whatever its name."""
    assert allows('origin = "local"')
    assert not allows('origin = "local"', is_builtin=False, origin="shop")
    assert allows('origin = "mcp"', is_builtin=False, origin="shop")
    assert allows('origin = "mcp:shop"', is_builtin=False, origin="shop")
    assert not allows('origin = "mcp:shop"', is_builtin=False, origin="shop2")
    assert not allows('origin = "mcp"')


def test_people_channels_and_workspaces_must_all_fit() -> None:
    """A person by id or by group; where the groups are not known, nobody passes by a group."""
    assert allows('people = ["U0ANA"]', person="U0ANA")
    assert not allows('people = ["U0ANA"]', person="U0BEN")
    assert allows('people = ["@data"]', person="U0BEN", groups=frozenset({"@data"}))
    assert not allows('people = ["@data"]', person="U0BEN", groups=None)
    assert not allows("people = []", person="U0ANA")
    assert allows('channels = ["C1A"]\nworkspaces = ["T1A"]', channel="C1A", workspace="T1A")
    assert not allows('channels = ["C1A"]\nworkspaces = ["T1A"]', channel="C1A", workspace="T2A")


def test_where_groups_are_not_known_a_denial_by_group_holds() -> None:
    """An outage of Slack's list of groups does not lift a prohibition."""
    settings = parse_settings('[[policy.rules]]\ntool = "t"\nverdict = "deny"\npeople = ["@interns"]')
    denying = Policy.of(settings.policy, contains=True, expires=timedelta(hours=1))
    unknown = Subject(tool="t", risk=Risk.OUTSIDE, is_builtin=True, person="U0BEN", groups=None)
    assert denying.judge(unknown).kind is VerdictKind.DENY


@pytest.mark.parametrize(("body", "line", "words"), [
    ('when = [{ argument = "command", prefix = "ls" }, { argument = "x" }]', 4, "exactly one of under"),
    ('when = [{ argument = "command", prefix = "ls; rm" }]', 4, "shell characters"),
    ('when = [{ argument = "path", under = "../x" }]', 4, "goes up"),
    ('when = [{ argument = "url", host = "https://x.test" }]', 4, "must be a host"),
    ('people = ["ana"]', 4, "user id"),
    ('origin = "github"', 4, "mcp:"),
    ("four_eyes = true", 1, "only the requester"),
    ("quorum = 2", 1, "needs 2 approvals but names 1"),
    ('quorum = 2\nfour_eyes = true\napprovers = ["requester", "U0BEN"]', 1, "needs 2 approvals but names 1"),
    ('escalate_to = ["@leads"]', 1, "escalate_to and escalate_after together"),
    ('escalate_to = ["@leads"]\nescalate_after = "2h"\nexpires = "1h"', 1, "no shorter than expires"),
])  # fmt: skip
def test_a_rule_that_cannot_mean_what_it_says_is_refused_with_its_line(body: str, line: int, words: str) -> None:
    """Each mistake is one sentence that names the line and what to do."""
    with pytest.raises(SettingsError) as caught:
        parse_settings(f'[[policy.rules]]\ntool = "bash"\nverdict = "ask"\n{body}')
    assert any(f"line {line}:" in problem and words in problem for problem in caught.value.problems)


def test_the_mistakes_of_a_second_list_are_not_blamed_on_the_first(tmp_path: Path) -> None:
    """Conditions written as tables are counted anew in each rule."""
    file = tmp_path / "handrail.toml"
    head = '[[policy.rules]]\ntool = "bash"\nverdict = "ask"\n[[policy.rules.when]]\nargument = "command"\n'
    file.write_text(f'{head}prefix = "ls"\n{head}prefix = "a;b"\n')
    with pytest.raises(SettingsError, match="line 10"):
        parse_settings(file.read_text())
    assert settings_lines(file)["policy.rules[1].when[0].prefix"] == 12


@pytest.mark.parametrize(("body", "words"), [
    ('tool = "bsh"', "line 2: policy.rules[0].tool names 'bsh', which is no tool; did you mean 'bash'?"),
    ('tool = "bash"\nwhen = [{ argument = "cmd", prefix = "ls" }]', "line 3: policy.rules[0].when[0].argument"),
])  # fmt: skip
def test_a_rule_about_what_does_not_exist_is_fatal_at_start(tmp_path: Path, body: str, words: str) -> None:
    """A misspelt tool or argument would protect nothing, so the bot does not start with it."""
    file = tmp_path / "handrail.toml"
    file.write_text(f'[[policy.rules]]\n{body}\nverdict = "deny"\n')
    with pytest.raises(SettingsError) as caught:
        check(parse_settings(file.read_text()).policy, ToolCollection(builtin_tools()), "f", settings_lines(file))
    assert words in caught.value.problems[0]


def test_doctor_explains_which_rule_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules are walked in order, with what did not hold, up to the one that decides."""
    (tmp_path / "handrail.toml").write_text(
        '[[policy.rules]]\ntool = "bash"\nverdict = "allow"\npeople = ["U0BEN"]\n'
        '[[policy.rules]]\ntool = "bash"\nverdict = "deny"\nwhen = [{ argument = "command", prefix = "git push" }]\n'
    )
    monkeypatch.chdir(tmp_path)
    for name in ("HANDRAIL_CONFIG", "HANDRAIL_DATA"):
        monkeypatch.delenv(name, raising=False)
    call = 'bash {"command": "env git push"}'
    assert main(["doctor", "--explain", call, "--person", "U0ANA"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "policy.rules[0] (line 1): passed over, people does not hold"
    assert lines[1].startswith("policy.rules[1] (line 5): matches; command prefix cannot be told for certain")
    assert lines[2] == "deny, decided by policy.rules[1] (rule)"
    assert main(["doctor", "--explain", 'web_fetch {"url": "https://example.com"}']) == 0
    assert "ask, decided by default" in capsys.readouterr().out
    assert main(["doctor", "--explain", 'schedule {"command": "list"}']) == 0
    assert "nothing of this name" not in capsys.readouterr().out
    assert main(["doctor", "--explain", 'bash {"cmd": "ls"}']) == 1
    assert "did you mean" in capsys.readouterr().err
