"""What stands on an approval card."""

from runtime.session.approval_events import CoveredCall
from runtime.session.people_events import ApprovalRequested


def parts(requested: ApprovalRequested) -> tuple[CoveredCall, ...]:
    """Every call on a card, the first one included."""
    first = CoveredCall(
        call_id=requested.call_id,
        tool=requested.tool,
        arguments=requested.arguments,
        binding=requested.binding,
        digest=requested.digest,
        definition=requested.definition,
        rule_hash=requested.rule_hash,
        title=requested.title,
        body=requested.body,
        language=requested.language,
        notes=requested.notes,
    )
    return (first, *requested.also)
