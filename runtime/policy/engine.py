"""Ordered rules -> a verdict on one call. Pure: no clock, no I/O, no state.

The first matching rule decides: the file's rules in their order, then the shipped ones. A registered tool that
nothing matches asks; a name that is not registered does not run. Where nothing contains foreign code, what would be
allowed to touch anything asks all the same.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from fnmatch import fnmatchcase

from pydantic import JsonValue

from runtime.policy.predicates import Holds, holds, together, told
from runtime.settings import PolicyRule, PolicySettings
from tools.base import Risk

GRANT = timedelta(hours=8)
"""How long "Allow for this thread" lasts where no rule says so."""


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
    rule_hash: str = ""
    """What a grant is tied to beside the tool: another rule, or the same one changed, voids it."""
    four_eyes: bool = False
    escalate_to: tuple[str, ...] = ()
    escalate_after: timedelta | None = None
    grant_expires: timedelta | None = None
    """How long "Allow for this thread" would last; None where it is not offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A call as policy sees it."""

    tool: str
    risk: Risk | None
    """None when no tool of that name is registered."""
    is_builtin: bool
    """The tool ships with Handrail; the risk that a foreign tool states of itself is not believed."""
    arguments: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Exactly what will run, defaults written out."""
    origin: str = ""
    """Empty for a tool that ships with Handrail; else its MCP server's name."""
    is_accepted_read: bool = False
    """A foreign tool of which the operator said, when accepting it, that it only reads and need not ask."""
    person: str = ""
    """Who asked for the run."""
    groups: frozenset[str] | None = frozenset()
    """The user groups of that person, each with its "@"; None where that cannot be known now."""
    channel: str = ""
    workspace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules in force."""

    rules: tuple[PolicyRule, ...] = ()
    contains: bool
    """The sandbox in use keeps foreign code away from files, network and processes of the host."""
    expires: timedelta = timedelta(hours=24)
    """For rules that say nothing of it."""

    @property
    def names_groups(self) -> bool:
        """Whether a rule depends on the user groups of who asked."""
        return any(who.startswith("@") for rule in self.rules for who in rule.people or ())

    @classmethod
    def of(cls, settings: PolicySettings, *, contains: bool, expires: timedelta) -> "Policy":
        """The policy that a file states."""
        return cls(rules=settings.rules, contains=contains, expires=expires)

    def judge(self, subject: Subject) -> Verdict:
        """The verdict on one call."""
        if subject.risk is None:
            return self.shipped(VerdictKind.DENY, Why.UNREGISTERED, rule="default")
        verdict = self.by_rules(subject) or self.by_default(subject)
        if not self.contains:
            verdict = replace(verdict, grant_expires=None)
        harmless = subject.is_builtin and subject.risk is Risk.READ
        if verdict.kind is VerdictKind.ALLOW and not self.contains and not harmless:
            return replace(verdict, kind=VerdictKind.ASK, reason=Why.UNCONTAINED)
        return verdict

    def by_rules(self, subject: Subject) -> Verdict | None:
        """What the first matching rule of the file says."""
        found = first_match(self.rules, subject)
        if found is None:
            return None
        rule = self.rules[found]
        expires = rule.expires or self.expires
        alone = rule.allow_for_thread and rule.quorum == 1 and not rule.four_eyes
        soon_enough = rule.escalate_after is not None and rule.escalate_after < expires
        return Verdict(
            kind=VerdictKind(rule.verdict),
            rule=f"policy.rules[{found}]",
            reason=Why.RULE,
            approvers=rule.approvers,
            quorum=rule.quorum,
            expires=expires,
            rule_hash=hashlib.sha256(rule.model_dump_json().encode()).hexdigest(),
            four_eyes=rule.four_eyes,
            escalate_to=rule.escalate_to if soon_enough else (),
            escalate_after=rule.escalate_after if soon_enough else None,
            grant_expires=rule.grant_expires if alone else None,
        )

    def by_default(self, subject: Subject) -> Verdict:
        """What is shipped: our own tools may read, and work inside the workspace; all else asks."""
        if subject.is_builtin and subject.risk is Risk.READ:
            return self.shipped(VerdictKind.ALLOW, Why.READS_ONLY)
        if subject.is_builtin and subject.risk is Risk.WORKSPACE:
            return self.shipped(VerdictKind.ALLOW, Why.IN_WORKSPACE)
        if subject.is_accepted_read:
            return self.shipped(VerdictKind.ALLOW, Why.READS_ONLY)
        return self.shipped(VerdictKind.ASK, Why.UNMATCHED, rule="default")

    def shipped(self, kind: VerdictKind, reason: Why, *, rule: str = "shipped") -> Verdict:
        """A verdict that no rule of the file gave."""
        return Verdict(kind=kind, rule=rule, reason=reason, expires=self.expires, rule_hash=rule, grant_expires=GRANT)


def first_match(rules: Sequence[PolicyRule], subject: Subject) -> int | None:
    """The index of the first rule that speaks of a call."""
    return next((index for index, rule in enumerate(rules) if speaks_of(rule, subject)), None)


def speaks_of(rule: PolicyRule, subject: Subject) -> bool:
    """Whether a rule speaks of a call. What is unclear counts against the call: it never lets one be allowed."""
    answer = together(answer for _, answer in conditions(rule, subject))
    return answer is Holds.YES or (answer is Holds.UNCLEAR and rule.verdict != "allow")


def conditions(rule: PolicyRule, subject: Subject) -> list[tuple[str, Holds]]:
    """Each condition of a rule by name, and whether it holds for the call."""
    found = [("tool", told(names(rule, subject.tool)))]
    if rule.origin is not None:
        found.append(("origin", told(is_from(rule.origin, subject))))
    if rule.people is not None:
        found.append(("people", asked_by(rule.people, subject)))
    if rule.channels is not None:
        found.append(("channels", told(subject.channel in rule.channels)))
    if rule.workspaces is not None:
        found.append(("workspaces", told(subject.workspace in rule.workspaces)))
    if found[0][1] is Holds.YES:
        found += [(f"{test.argument} {test.tests[0]}", holds(test, subject.arguments)) for test in rule.when]
    return found


def names(rule: PolicyRule, tool: str) -> bool:
    """Whether a rule names a tool: exactly, or by a pattern that was written as one."""
    return rule.tool == tool if rule.tool else fnmatchcase(tool, rule.tool_glob)


def is_from(origin: str, subject: Subject) -> bool:
    """Whether the tool comes from there."""
    if origin == "local":
        return subject.is_builtin
    return not subject.is_builtin and origin in {"mcp", f"mcp:{subject.origin}"}


def asked_by(people: Sequence[str], subject: Subject) -> Holds:
    """Whether one of these people, or a member of one of these groups, asked for the run."""
    if subject.person in people:
        return Holds.YES
    if not any(who.startswith("@") for who in people):
        return Holds.NO
    return Holds.UNCLEAR if subject.groups is None else told(not subject.groups.isdisjoint(people))
