"""The gate: order, the default, no silent wildcard, and what happens where nothing contains foreign code."""

from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.policy.engine import Policy, Subject, VerdictKind, Why
from runtime.settings import PolicyRule, PolicySettings
from tools.base import Risk

NAMES = st.text(alphabet="abc_", min_size=1, max_size=4)
VERDICTS = st.sampled_from(["allow", "ask", "deny"])
EXACT = st.builds(PolicyRule, tool=NAMES, verdict=VERDICTS)
GLOBS = st.builds(PolicyRule, tool_glob=st.text(alphabet="abc_*?", min_size=1, max_size=4), verdict=VERDICTS)
RULES = st.lists(st.one_of(EXACT, GLOBS), max_size=6).map(tuple)
SUBJECTS = st.builds(Subject, tool=NAMES, risk=st.sampled_from(Risk), is_builtin=st.booleans())


def policy(*rules: PolicyRule, contains: bool = True) -> Policy:
    """A policy of these rules."""
    return Policy.of(PolicySettings(rules=rules), contains=contains, expires=timedelta(hours=24))


def builtin(tool: str, risk: Risk) -> Subject:
    """A call of one of our own tools."""
    return Subject(tool=tool, risk=risk, is_builtin=True)


@pytest.mark.parametrize(
    ("subject", "kind", "reason"),
    [
        (builtin("ask_human", Risk.READ), VerdictKind.ALLOW, Why.READS_ONLY),
        (builtin("python_execute", Risk.WORKSPACE), VerdictKind.ALLOW, Why.IN_WORKSPACE),
        (builtin("publish", Risk.OUTSIDE), VerdictKind.ASK, Why.UNMATCHED),
        (builtin("web_fetch", Risk.NETWORK), VerdictKind.ASK, Why.UNMATCHED),
        (Subject(tool="mcp_x_read", risk=Risk.READ, is_builtin=False), VerdictKind.ASK, Why.UNMATCHED),
        (Subject(tool="nothing", risk=None, is_builtin=False), VerdictKind.DENY, Why.UNREGISTERED),
    ],
)
def test_without_rules_the_shipped_defaults_decide(subject: Subject, kind: VerdictKind, reason: Why) -> None:
    """Reading and the workspace are free for our own tools; everything else asks the requester."""
    verdict = policy().judge(subject)
    assert (verdict.kind, verdict.reason) == (kind, reason)
    assert (verdict.approvers, verdict.quorum, verdict.expires) == (("requester",), 1, timedelta(hours=24))


@pytest.mark.parametrize("verdict", ["allow", "ask"])
def test_where_nothing_contains_code_every_call_asks(verdict: Literal["allow", "ask"]) -> None:
    """Under `unsafe_local` not even a rule of the file spares the question; reading and asking stay free."""
    uncontained = policy(PolicyRule(tool="bash", verdict=verdict, approvers=("@ops",)), contains=False)
    judged = uncontained.judge(builtin("bash", Risk.WORKSPACE))
    assert (judged.kind, judged.approvers) == (VerdictKind.ASK, ("@ops",))
    assert uncontained.judge(builtin("python_execute", Risk.WORKSPACE)).reason is Why.UNCONTAINED
    assert uncontained.judge(builtin("planning", Risk.READ)).kind is VerdictKind.ALLOW


def test_a_rule_carries_its_approvers_quorum_and_expiry() -> None:
    """What the rule says about deciding arrives in the verdict, an empty list included."""
    rule = PolicyRule(tool="bash", verdict="ask", approvers=("U0ANA", "@oncall"), quorum=2, expires=timedelta(hours=1))
    verdict = policy(rule, PolicyRule(tool="x", verdict="ask", approvers=())).judge(builtin("bash", Risk.WORKSPACE))
    assert (verdict.rule, verdict.reason) == ("policy.rules[0]", Why.RULE)
    assert (verdict.approvers, verdict.quorum, verdict.expires) == (("U0ANA", "@oncall"), 2, timedelta(hours=1))
    nobody = policy(PolicyRule(tool="x", verdict="ask", approvers=())).judge(builtin("x", Risk.READ))
    assert nobody.approvers == ()


@given(RULES, SUBJECTS)
def test_the_first_matching_rule_decides(rules: tuple[PolicyRule, ...], subject: Subject) -> None:
    """Whatever stands after the first match changes nothing, whatever stands before it does not match."""
    verdict = policy(*rules).judge(subject)
    matching = [
        rule
        for rule in rules
        if (rule.tool == subject.tool if rule.tool else fnmatchcase(subject.tool, rule.tool_glob))
    ]
    if matching:
        assert verdict.kind == matching[0].verdict
        assert verdict.rule == f"policy.rules[{rules.index(matching[0])}]"
    else:
        assert verdict.rule in {"shipped", "default"}


@given(RULES, SUBJECTS)
def test_what_no_rule_matches_is_never_allowed_beyond_the_workspace(
    rules: tuple[PolicyRule, ...], subject: Subject
) -> None:
    """Without a rule, a call is free only for our own tools and only inside the workspace; it is never denied."""
    verdict = policy(*rules).judge(subject)
    if verdict.reason is Why.RULE:
        return
    is_free = subject.is_builtin and subject.risk in {Risk.READ, Risk.WORKSPACE}
    assert verdict.kind is (VerdictKind.ALLOW if is_free else VerdictKind.ASK)


@given(NAMES, NAMES)
def test_an_exact_name_matches_nothing_longer(name: str, suffix: str) -> None:
    """A rule for `bash` says nothing of `bash_session`, nor of any other name that merely begins with it."""
    denying = policy(PolicyRule(tool=name, verdict="deny"))
    assert denying.judge(builtin(name + suffix, Risk.READ)).kind is VerdictKind.ALLOW
    assert denying.judge(builtin(name, Risk.READ)).kind is VerdictKind.DENY


@given(RULES, SUBJECTS)
def test_without_containment_nothing_but_our_own_reading_is_allowed(
    rules: tuple[PolicyRule, ...], subject: Subject
) -> None:
    """No rule can widen what `unsafe_local` allows; denials stay denials."""
    judged = policy(*rules, contains=False).judge(subject)
    contained = policy(*rules).judge(subject)
    if judged.kind is VerdictKind.ALLOW:
        assert subject.is_builtin
        assert subject.risk is Risk.READ
    assert (judged.kind is VerdictKind.DENY) == (contained.kind is VerdictKind.DENY)


@given(RULES, NAMES)
def test_an_unregistered_name_never_runs(rules: tuple[PolicyRule, ...], name: str) -> None:
    """Not even a rule that allows everything lets a name run that no tool has."""
    everything = PolicyRule(tool_glob="*", verdict="allow")
    verdict = policy(everything, *rules).judge(Subject(tool=name, risk=None, is_builtin=False))
    assert verdict.kind is VerdictKind.DENY
