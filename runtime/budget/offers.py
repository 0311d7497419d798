"""Who may add to which limit, and how much one click adds. Policy decides; no text of a thread is asked."""

from datetime import timedelta

from runtime.policy.engine import Policy, Subject, Verdict, VerdictKind
from runtime.session.limit_events import MoreOffer, ScopeKind
from runtime.settings import RunBudget, Settings

MILLISECOND = timedelta(milliseconds=1)
BY_REQUESTER = frozenset({"run", "thread"})
"""What is shipped: whoever asked for a run may add to it and to its thread; a day's limits are the operator's."""


def approvers_of(policy: Policy, scope: ScopeKind) -> tuple[str, ...]:
    """Who may add to a scope's limit; empty for nobody.

    A rule of the file about `budget.<scope>` decides; whatever it allows, nothing is added without a click.
    """
    rule: Verdict | None = policy.by_rules(Subject(tool=f"budget.{scope}", risk=None, is_builtin=True))
    if rule is None:
        return ("requester",) if scope in BY_REQUESTER else ()
    return () if rule.kind is VerdictKind.DENY else rule.approvers


def more_for_a_run(settings: Settings, policy: Policy) -> MoreOffer:
    """What the card at one of the run's own limits will offer: as much again."""
    budget: RunBudget = settings.budget.run
    return MoreOffer(
        approvers=approvers_of(policy, "run"),
        steps=budget.steps,
        wall_ms=budget.wall // MILLISECOND,
        tokens=budget.tokens,
        micros=budget.micros,
        wait_ms=settings.timeouts.limit // MILLISECOND,
        remind_ms=settings.timeouts.reminder // MILLISECOND,
    )
