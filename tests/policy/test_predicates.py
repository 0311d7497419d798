"""Conditions on arguments: what they find, and that what cannot be told for certain never widens anything."""

from datetime import timedelta
from decimal import Decimal
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from runtime.policy.engine import Policy, Subject, VerdictKind
from runtime.policy.predicates import Holds, holds
from runtime.settings_policy import ArgumentTest, PolicyRule
from tools.base import Risk


def judged(rule: PolicyRule, **arguments: JsonValue) -> VerdictKind:
    """What one rule makes of a call of `t` that asks by default."""
    subject = Subject(tool="t", risk=Risk.OUTSIDE, is_builtin=True, arguments=arguments)
    return Policy(rules=(rule,), contains=True, expires=timedelta(hours=1)).judge(subject).kind


def rule(test: ArgumentTest, verdict: Literal["allow", "ask", "deny"]) -> PolicyRule:
    """A rule with one condition."""
    return PolicyRule(tool="t", when=(test,), verdict=verdict)


STATUS = ArgumentTest(argument="command", prefix="git status")
PUSH = ArgumentTest(argument="command", prefix="git push")
DOCS = ArgumentTest(argument="path", under="docs")
SHOP = ArgumentTest(argument="url", host="api.shop.test")
SHOPS = ArgumentTest(argument="url", host="*.shop.test")
SMALL = ArgumentTest(argument="amount", at_most=Decimal(100))


@pytest.mark.parametrize(
    "command",
    ["git status", "git status --short", "git  status\t-s", "git 'status' .", "git status\n"],
)
def test_a_command_that_is_the_one_named_is_allowed(command: str) -> None:
    """The words count, however they are spaced or quoted."""
    assert judged(rule(STATUS, "allow"), command=command) is VerdictKind.ALLOW


@pytest.mark.parametrize(
    "command",
    [
        "git statusx", "git status; rm -rf /", "git status && curl evil", "git status | sh", "git status & x",
        "git status\nrm -rf /", "git status $(rm -rf /)", "git status `id`", "git status > /etc/passwd",
        "env git status", "X=1 git status", "/tmp/git status", "git -c core.pager=evil status", "git status \\\n; rm x",
        "git status 'unclosed", "git status ~/x", "", "(git status)", "git status {a,b}", "git status *",
    ],
)  # fmt: skip
def test_a_command_that_may_be_more_than_the_one_named_is_not_allowed(command: str) -> None:
    """Separators, substitutions, redirections, wrappers, other binaries and hidden lines fall back to asking."""
    assert judged(rule(STATUS, "allow"), command=command) is VerdictKind.ASK


@pytest.mark.parametrize(
    "command",
    [
        "git push", "git push --force", "ls; git push", "git -C elsewhere push", "/usr/bin/git push", "env git push",
        "bash -c 'git push'", "X=1 git push", "$GIT push", "true && git push", "find . -exec git push ;", "'git' push",
        "if true\nthen git push\nfi",
    ],
)  # fmt: skip
def test_a_denied_command_is_not_hidden_by_what_stands_around_it(command: str) -> None:
    """Where the words may be the denied ones, the rule that denies holds."""
    assert judged(rule(PUSH, "deny"), command=command) is VerdictKind.DENY


@pytest.mark.parametrize("command", ["ls", "git status", "echo hello", "ls; git status"])
def test_a_denied_command_denies_no_other(command: str) -> None:
    """What is clearly something else falls to the rules after it."""
    assert judged(rule(PUSH, "deny"), command=command) is VerdictKind.ASK


@pytest.mark.parametrize(("path", "is_allowed"), [
    ("docs", True), ("docs/a.md", True), ("docs//a.md", True), ("./docs/a.md", True), ("docs/./a", True),
    ("docs2/a.md", False), ("docs/../etc/passwd", False), ("/docs/a.md", False), ("~/docs/a", False), ("", False),
    ("docs/a\0b", False), ("Docs/a.md", False), ("docsa", False),
])  # fmt: skip
def test_a_path_is_below_a_directory_or_it_is_not(path: str, is_allowed: bool) -> None:
    """Whole parts are compared, and a path that goes up is never believed."""
    assert judged(rule(DOCS, "allow"), path=path) is (VerdictKind.ALLOW if is_allowed else VerdictKind.ASK)


def test_a_path_that_goes_up_is_denied_where_its_directory_is() -> None:
    """`x/../docs/a` may be below docs."""
    assert judged(rule(DOCS, "deny"), path="x/../docs/a") is VerdictKind.DENY
    assert judged(rule(DOCS, "deny"), path="x/a") is VerdictKind.ASK


def test_of_several_paths_all_must_be_below() -> None:
    """One path outside keeps the rule from allowing; one inside is enough for the rule that denies."""
    paths: list[JsonValue] = ["docs/a", "etc/b"]
    assert judged(rule(DOCS, "allow"), path=["docs/a", "docs/b"]) is VerdictKind.ALLOW
    assert judged(rule(DOCS, "allow"), path=paths) is VerdictKind.ASK
    assert judged(rule(DOCS, "deny"), path=paths) is VerdictKind.DENY
    assert judged(rule(DOCS, "allow"), path=[]) is VerdictKind.ASK


@pytest.mark.parametrize(("url", "is_allowed"), [
    ("https://api.shop.test/x", True), ("https://API.shop.TEST./x", True), ("https://api.shop.test:8443/", True),
    ("https://api.shop.test.evil.test/", False), ("https://api.shop.test@evil.test/", False),
    ("https://evil.test/#api.shop.test", False), ("https://evil.test\\@api.shop.test/", False),
    ("https:/api.shop.test/", False), ("api.shop.test", False), ("https://api.shop.test%2f.evil.test/", False),
    ("https://аpi.shop.test/", False), ("https://api.shop.test\n.evil.test/", False), ("https://[::1/", False),
])  # fmt: skip
def test_a_host_is_the_one_named_or_it_is_not(url: str, is_allowed: bool) -> None:
    """User names, backslashes, look-alike letters and percent signs are not believed."""
    assert judged(rule(SHOP, "allow"), url=url) is (VerdictKind.ALLOW if is_allowed else VerdictKind.ASK)


def test_a_star_is_every_host_below_and_a_port_counts_where_it_is_named() -> None:
    """`*.shop.test` is not shop.test itself; `host:443` is what https means anyway."""
    assert holds(SHOPS, {"url": "https://a.b.shop.test/"}) is Holds.YES
    assert holds(SHOPS, {"url": "https://shop.test/"}) is Holds.NO
    secure = ArgumentTest(argument="url", host="shop.test:443")
    assert holds(secure, {"url": "https://shop.test/"}) is Holds.YES
    assert holds(secure, {"url": "http://shop.test/"}) is Holds.NO


@pytest.mark.parametrize("amount", [101, -5, "lots", "NaN", True, [50, 500], {"value": 5}, 1e400])
def test_an_amount_that_is_not_clearly_small_is_not_allowed(amount: JsonValue) -> None:
    """Negative numbers, texts and lists with one large item ask."""
    assert judged(rule(SMALL, "allow"), amount=amount) is VerdictKind.ASK


def test_amounts_are_compared_exactly() -> None:
    """Neither rounding nor writing a number as text changes it."""
    assert judged(rule(SMALL, "allow"), amount="100.00") is VerdictKind.ALLOW
    assert judged(rule(SMALL, "allow"), amount=100.01) is VerdictKind.ASK
    large = ArgumentTest(argument="order.amount", over=Decimal(100))
    assert judged(rule(large, "deny"), order={"amount": 100.5}) is VerdictKind.DENY
    assert judged(rule(large, "deny"), order="{amount: 100.5}") is VerdictKind.DENY


def test_true_is_not_one() -> None:
    """A value is compared with its kind."""
    assert holds(ArgumentTest(argument="x", equals=True), {"x": 1}) is Holds.NO
    assert holds(ArgumentTest(argument="x", equals=1), {"x": 1}) is Holds.YES


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from([STATUS, DOCS, SHOP, SMALL]), JSON)
def test_whatever_stands_in_an_argument_there_is_an_answer_and_unclear_never_allows(
    test: ArgumentTest, value: JsonValue
) -> None:
    """No argument makes a condition fail, and an unclear one is held against the call by every verdict."""
    answer = holds(test, {test.argument: value})
    allowed = judged(rule(test, "allow"), **{test.argument: value})
    denied = judged(rule(test, "deny"), **{test.argument: value})
    assert (allowed is VerdictKind.ALLOW) == (answer is Holds.YES)
    assert (denied is VerdictKind.DENY) == (answer is not Holds.NO)
