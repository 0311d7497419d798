"""Ordered rules -> a verdict on one call. Pure: no clock, no I/O, no state.

The first matching rule decides: the file's rules in their order, then the shipped ones. A registered tool that
nothing matches asks; a name that is not registered does not run. Where nothing contains foreign code, what would be
allowed to touch anything asks all the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from fnmatch import fnmatchcase

from runtime.settings import PolicyRule, PolicySettings
from tools.base import Risk


class VerdictKind(StrEnum):
    """What happens to a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Why(StrEnum):
    """Why; the sentence for people is `bot.texts`' business."""

    RULE = "rule"
    """A rule of `handrail.toml` says so."""
    READS_ONLY = "reads_only"
    IN_WORKSPACE = "in_workspace"
    """It touches only the session's own workspace, inside the sandbox."""
    UNCONTAINED = "uncontained"
    """No sandbox is in force (`unsafe_local`), so every call is asked for."""
    UNMATCHED = "unmatched"
    """No rule speaks of it."""
    UNREGISTERED = "unregistered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What policy says about one call. Approvers, quorum and expiry count when it asks."""

    kind: VerdictKind
    rule: str
    """Where it stands: `policy.rules[0]`, `shipped`, or `default`."""
    reason: Why
    approvers: tuple[str, ...] = ("requester",)
    quorum: int = 1
    expires: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A call as policy sees it."""

    tool: str
    risk: Risk | None
    """None when no tool of that name is registered."""
    is_builtin: bool
    """The tool ships with Handrail; the risk that a foreign tool states of itself is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules in force."""

    rules: tuple[PolicyRule, ...] = ()
    contains: bool
    """The sandbox in use keeps foreign code away from files, network and processes of the host."""
    expires: timedelta = timedelta(hours=24)
    """For rules that say nothing of it."""

    @classmethod
    def of(cls, settings: PolicySettings, *, contains: bool, expires: timedelta) -> "Policy":
        """The policy that a file states."""
        return cls(rules=settings.rules, contains=contains, expires=expires)

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on one call."""
        if subject.risk is None:
            return self.shipped(VerdictKind.DENY, Why.UNREGISTERED, rule="default")
        verdict = self.by_rules(subject) or self.by_default(subject)
        harmless = subject.is_builtin and subject.risk is Risk.READ
        if verdict.kind is VerdictKind.ALLOW and not self.contains and not harmless:
            return replace(verdict, kind=VerdictKind.ASK, reason=Why.UNCONTAINED)
        return verdict

    def by_rules(self, subject: Subject) -> Verdict | None:
        """What the first matching rule of the file says."""
        found = first_match(self.rules, subject.tool)
        if found is None:
            return None
        rule = self.rules[found]
        return Verdict(
            kind=VerdictKind(rule.verdict),
            rule=f"policy.rules[{found}]",
            reason=Why.RULE,
            approvers=rule.approvers,
            quorum=rule.quorum,
            expires=rule.expires or self.expires,
        )

    def by_default(self, subject: Subject) -> Verdict:
        """What is shipped: our own tools may read, and work inside the workspace; all else asks."""
        if subject.is_builtin and subject.risk is Risk.READ:
            return self.shipped(VerdictKind.ALLOW, Why.READS_ONLY)
        if subject.is_builtin and subject.risk is Risk.WORKSPACE:
            return self.shipped(VerdictKind.ALLOW, Why.IN_WORKSPACE)
        return self.shipped(VerdictKind.ASK, Why.UNMATCHED, rule="default")

    def shipped(self, kind: VerdictKind, reason: Why, *, rule: str = "shipped") -> Verdict:
        """A verdict that no rule of the file gave."""
        return Verdict(kind=kind, rule=rule, reason=reason, expires=self.expires)


def first_match(rules: Sequence[PolicyRule], tool: str) -> int | None:
    """The index of the first rule that speaks of a tool."""
    return next((index for index, rule in enumerate(rules) if speaks_of(rule, tool)), None)


def speaks_of(rule: PolicyRule, tool: str) -> bool:
    """Whether a rule names a tool: exactly, or by a pattern that was written as one."""
    if rule.tool:
        return rule.tool == tool
    return fnmatchcase(tool, rule.tool_glob)
