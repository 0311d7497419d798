"""Which rule decides a given call, and why not an earlier one: lines for the operator."""

from collections.abc import Iterator, Mapping

from runtime.policy.engine import Policy, Subject, Verdict, VerdictKind, conditions
from runtime.policy.predicates import Holds


def explained(policy: Policy, subject: Subject, lines: Mapping[str, int]) -> Iterator[str]:
    """The rules in their order until one decides, each with the conditions that did not hold, then the verdict.

    Args:
        policy: the rules in force.
        subject: the call.
        lines: where each rule stands in the file, by its name (`policy.rules[0]`).
    """
    verdict = policy.judge(subject)
    for index, rule in enumerate(policy.rules):
        name = f"policy.rules[{index}]"
        place = f"{name} (line {lines[name]})" if name in lines else name
        answers = conditions(rule, subject)
        if name == verdict.rule:
            unclear = [condition for condition, answer in answers if answer is Holds.UNCLEAR]
            careful = f"; {', '.join(unclear)} cannot be told for certain, which counts against the call"
            yield f"{place}: matches{careful if unclear else ''}"
            break
        missed = [f"{condition} {'is unclear' if answer is Holds.UNCLEAR else 'does not hold'}"
                  for condition, answer in answers if answer is not Holds.YES]  # fmt: skip
        yield f"{place}: passed over, {', '.join(missed)}"
    yield decision(verdict)


def decision(verdict: Verdict) -> str:
    """The verdict in one line."""
    head = f"{verdict.kind.value}, decided by {verdict.rule} ({verdict.reason.value})"
    if verdict.kind is not VerdictKind.ASK:
        return head
    parts = [f"approvers: {', '.join(verdict.approvers) or 'nobody'}", f"quorum {verdict.quorum}"]
    parts += ["four eyes"] if verdict.four_eyes else []
    parts.append(f"expires after {verdict.expires}")
    if verdict.escalate_to:
        parts.append(f"after {verdict.escalate_after} also {', '.join(verdict.escalate_to)}")
    parts.append(f"grant {verdict.grant_expires}" if verdict.grant_expires else "no grant offered")
    return f"{head}; {'; '.join(parts)}"
