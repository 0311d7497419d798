"""The second word to approvers outside the channel."""

from bot.delivery.outbox import Direct, wanted
from runtime.session.events import ApprovalDecided, ApprovalEscalated, ReminderDue
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from tests.session.story import SESSION, replied, requested, said, started, told

KEY = SessionKey.parse(SESSION)
ASKED = requested("U0BEN").model_copy(
    update={"escalate_to": ("U0CLEO",), "audience": ("U0BEN",), "later_audience": ("U0CLEO",)}
)
BEGUN = (said("go"), started(), replied("bash"), ASKED)
REMINDED = ReminderDue(run_id="r1", about="a1")
ESCALATED = ApprovalEscalated(run_id="r1", approval_id="a1", to=("U0CLEO",))


def directs(state: SessionState) -> dict[str, Direct]:
    """What is sent directly, by its operation id."""
    return {item.op: item for item in wanted(KEY, state, "all") if isinstance(item, Direct)}


def test_a_reminder_says_that_the_card_is_decided() -> None:
    """Nobody is sent to a card on which there is nothing to do any more."""
    open_still = directs(told(*BEGUN, REMINDED))["dmr:a1:U0BEN"]
    assert "A decision is still open" in open_still.content.text
    decided = ApprovalDecided(run_id="r1", approval_id="a1", verdict="approved", by="U0BEN")
    over = directs(told(*BEGUN, REMINDED, decided))["dmr:a1:U0BEN"]
    assert over.final
    assert "Nothing to do any more" in over.content.text
    assert over.content.digest != open_still.content.digest


def test_who_is_asked_after_the_escalation_gets_the_card_alone() -> None:
    """A reminder of what they hear of for the first time would be noise."""
    assert set(directs(told(*BEGUN, REMINDED, ESCALATED))) == {"dm:a1:U0BEN", "dmr:a1:U0BEN", "dm:a1:U0CLEO"}
