"""Who may add to which limit, and how much one click adds. Policy decides; no text of a thread is asked."""

from dataclasses import replace
from datetime import timedelta

from runtime.policy.engine import Policy, Subject, VerdictKind
from runtime.session.ids import SessionKey
from runtime.session.limit_events import MoreOffer, ScopeKind
from runtime.settings import RunBudget, Settings

MILLISECOND = timedelta(milliseconds=1)
BY_REQUESTER = frozenset({"run", "thread"})
"""What is shipped: whoever asked for a run may add to it and to its thread; a day's limits are the operator's."""


def approvers_of(policy: Policy, scope: ScopeKind, key: SessionKey, person: str) -> tuple[str, ...]:
    """Who may add to a scope's limit; empty for nobody.

    A rule of the file that names `budget.<scope>` decides; a pattern never speaks of money. Whatever the rule allows,
    nothing is added without a click.

    Args:
        policy: the rules in force.
        scope: whose limit.
        key: where the run works.
        person: who asked for it.
    """
    name = f"budget.{scope}"
    named = replace(policy, rules=tuple(rule for rule in policy.rules if rule.tool == name))
    subject = Subject(
        tool=name, risk=None, is_builtin=True, person=person, channel=key.channel, workspace=key.team, groups=None
    )
    verdict = named.by_rules(subject)
    if verdict is None:
        return ("requester",) if scope in BY_REQUESTER else ()
    return () if verdict.kind is VerdictKind.DENY else verdict.approvers


def more_for_a_run(settings: Settings, policy: Policy, key: SessionKey, person: str) -> MoreOffer:
    """What the card at one of the run's own limits will offer: as much again."""
    budget: RunBudget = settings.budget.run
    return MoreOffer(
        approvers=approvers_of(policy, "run", key, person),
        steps=budget.steps,
        wall_ms=budget.wall // MILLISECOND,
        tokens=budget.tokens,
        micros=budget.micros,
        wait_ms=settings.timeouts.limit // MILLISECOND,
        remind_ms=settings.timeouts.reminder // MILLISECOND,
    )
