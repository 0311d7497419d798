"""What else may happen between two steps of a run, each kind of event with hostile words where it has words."""

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from runtime.session.approval_events import (
    ApprovalEscalated,
    ApprovalVoided,
    ApprovalVoted,
    ArgumentsEdited,
    CallForbidden,
    GrantGiven,
    GrantRevoked,
    GrantUsed,
)
from runtime.session.events import (
    AnswerChecked,
    ApprovalRequested,
    EntryIgnored,
    FlowPlanned,
    FlowStepEnded,
    FlowStepStarted,
    LimitExtended,
    LimitReached,
    MemoryCompacted,
    MessageDeleted,
    MessageEdited,
    ModelAway,
    ModelTried,
    NoteCode,
    PlanEdited,
    PostDone,
    PostStarted,
    ProgressDoubted,
    RunNoted,
    SessionParked,
    ToolsChanged,
    VerbosityChosen,
)
from runtime.session.image_events import ImagesDescribed
from runtime.session.limit_events import ScopeKind
from runtime.session.messages import serialised
from runtime.session.mind_events import Check, DoubtKind, FlowStep, Summary
from tests.bot import hostile
from tests.bot.telling import ANA, BEN, Telling, plans
from tests.session.story import NOON
from tools.plan import StepStatus

Happening = Callable[[Telling, str], None]
SCOPES: tuple[ScopeKind, ...] = ("run", "thread", "person", "channel", "workspace")
LATER = NOON + 3_600_000


def limit(story: Telling, run_id: str) -> None:
    """A limit is reached; mostly somebody adds to it."""
    limit_id = f"{run_id}.l{story.number}"
    story.tell(
        LimitReached(
            run_id=run_id, limit_id=limit_id, scope=story.draw(st.sampled_from(SCOPES)),
            scope_name=story.draw(st.sampled_from(("", ANA, "C1"))),
            what=story.draw(st.sampled_from(("steps", "wall", "tokens", "usd"))),
            used=story.draw(st.integers(0, 10**9)), limit=story.draw(st.integers(1, 10**9)), adds=50,
            approvers=story.draw(st.sampled_from(((), ("requester",), (BEN, "@oncall")))), expires_at_ms=LATER,
            new_day=story.draw(st.booleans()),
        )
    )  # fmt: skip
    story.maybe_remind(run_id, limit_id)
    story.tell(LimitExtended(run_id=run_id, limit_id=limit_id, added=50, by=story.draw(st.sampled_from(("", BEN)))))


def note(story: Telling, run_id: str) -> None:
    """Something is said quietly."""
    about = {
        "scope": story.draw(st.sampled_from(SCOPES)),
        "what": story.draw(st.sampled_from(("steps", "wall", "tokens", "usd"))),
        "used": "40",
        "limit": "50",
        "model": story.draw(hostile.short),
        "whose": story.draw(st.sampled_from(("person", "channel"))),
    }
    code = story.draw(st.sampled_from(NoteCode))
    story.tell(RunNoted(run_id=run_id, note_id=f"{run_id}.n{story.number}", code=code, about=about))


def away(story: Telling, run_id: str) -> None:
    """The model is away and asked again."""
    away_id = f"{run_id}.a{story.number}"
    code = story.draw(st.sampled_from(("model_unreachable", "model_silent", "model_busy", "else")))
    story.tell(ModelAway(run_id=run_id, away_id=away_id, code=code, since_ms=NOON, tries=1, until_ms=LATER))
    story.tell(ModelTried(run_id=run_id, away_id=away_id))


def tools(story: Telling, run_id: str) -> None:
    """Tools come and go."""
    story.tell(ToolsChanged(run_id=run_id, gone=("mcp_shop_pay",), new=(story.draw(hostile.at_most(64)),)))


def grant(story: Telling, run_id: str) -> None:
    """An allowance is given, used and sometimes revoked."""
    grant_id = f"g{story.number}"
    tool = story.draw(st.sampled_from(("bash", "no`such`tool<!channel>")))
    story.tell(
        GrantGiven(
            grant_id=grant_id, approval_id="a", tool=tool, rule="r", rule_hash="", definition="", by=BEN,
            expires_at_ms=LATER,
        ),
        GrantUsed(run_id=run_id, call_id="c", grant_id=grant_id, digest="d"),
        GrantRevoked(grant_id=grant_id, by=ANA),
    )  # fmt: skip


def forbidden(story: Telling, run_id: str) -> None:
    """Policy says no."""
    story.tell(CallForbidden(run_id=run_id, call_id="c", tool="bash", rule="policy.rules[0]", digest="d"))


def changed(story: Telling, _run_id: str) -> None:
    """A person changes a message and takes it back."""
    ts = story.newest_ts
    story.tell(
        MessageEdited(ts=ts, user=ANA, speaker="Ana", text=story.text()),
        MessageDeleted(ts=ts, user=ANA, speaker="Ana", text=story.text()),
    )


def compacted(story: Telling, run_id: str) -> None:
    """The memory becomes a summary."""
    message = serialised({"role": "user", "content": "summary"})
    story.tell(MemoryCompacted(run_id=run_id, cut=1, pinned=(), summary=Summary(goal=story.text()), message=message))


def images(story: Telling, run_id: str) -> None:
    """Images that the model cannot be shown are told in words, or as not to be seen."""
    message = serialised({"role": "user", "content": story.text()})
    by, problem = story.draw(st.sampled_from((("eyes", ""), ("", story.text()))))
    story.tell(
        ImagesDescribed(run_id=run_id, paths=("inbox/a.png",), message=message, by=by, problem=problem, micros=5)
    )


def doubted(story: Telling, run_id: str) -> None:
    """The run gets nowhere."""
    doubt = story.draw(st.sampled_from(DoubtKind))
    story.tell(ProgressDoubted(run_id=run_id, doubt=doubt, evidence=story.text(), rung="hint", step=1))


def checked(story: Telling, run_id: str) -> None:
    """An answer is held against what happened."""
    check = Check(name="files", passed=False, evidence=story.text())
    story.tell(AnswerChecked(run_id=run_id, attempt=1, passed=False, checks=(check,)))


def flow(story: Telling, run_id: str) -> None:
    """A flow is planned, and a step of it done."""
    title = story.draw(hostile.at_most(200))
    steps = (FlowStep(id="s1", title=title), FlowStep(id="s2", title="Second", after=("s1",)))
    status = story.draw(st.sampled_from((StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.BLOCKED)))
    story.tell(
        FlowPlanned(run_id=run_id, revision=1, title=title, steps=steps),
        FlowStepStarted(run_id=run_id, step_id="s1", brief=serialised({"role": "user", "content": "do"})),
        FlowStepEnded(run_id=run_id, step_id="s1", status=status, summary=story.text(), reason=story.text()),
    )


def plan_edited(story: Telling, run_id: str) -> None:
    """A person changes the plan."""
    story.tell(PlanEdited(run_id=run_id, plan=plans(story.draw), by=BEN))


def posted(story: Telling, run_id: str) -> None:
    """Slack takes a message, or refuses it."""
    op = f"plan:{run_id}"
    story.tell(PostStarted(op=op), PostDone(op=op, ts="1.1", problem=story.draw(st.sampled_from(("", "no_text")))))


def ignored(story: Telling, _run_id: str) -> None:
    """An entry without effect."""
    story.tell(EntryIgnored(entry="m:1", reason="already known"))


def parked(story: Telling, _run_id: str) -> None:
    """Nobody has spoken for long."""
    story.tell(SessionParked())


def spoken_more(story: Telling, _run_id: str) -> None:
    """Somebody chooses how much is said."""
    story.tell(VerbosityChosen(verbosity=story.draw(st.sampled_from(("all", "steps", "quiet"))), by=BEN))


BETWEEN_STEPS: Mapping[Happening, tuple[str, ...]] = {
    limit: ("limit_reached", "limit_extended"),
    note: ("run_noted",),
    away: ("model_away", "model_tried"),
    tools: ("tools_changed",),
    grant: ("grant_given", "grant_used", "grant_revoked"),
    forbidden: ("call_forbidden",),
    changed: ("message_edited", "message_deleted"),
    compacted: ("memory_compacted",),
    images: ("images_described",),
    doubted: ("progress_doubted",),
    checked: ("answer_checked",),
    flow: ("flow_planned", "flow_step_started", "flow_step_ended"),
    plan_edited: ("plan_edited",),
    posted: ("post_started", "post_done"),
    ignored: ("entry_ignored",),
    parked: ("session_parked",),
    spoken_more: ("verbosity_chosen",),
}
"""What may happen, with the kinds of event it tells."""


def before_the_verdict(story: Telling, requested: ApprovalRequested) -> bool:
    """What becomes of an open card before its verdict; False when the card is over by it."""
    run_id, approval_id = requested.run_id, requested.approval_id
    if story.draw(st.booleans()):
        story.tell(ApprovalVoted(run_id=run_id, approval_id=approval_id, by=BEN))
    if story.draw(st.booleans()):
        story.tell(ApprovalEscalated(run_id=run_id, approval_id=approval_id, to=requested.escalate_to))
    match story.draw(st.sampled_from(("", "", "", "void", "edit"))):
        case "void":
            why = story.draw(st.sampled_from(("changed", "deleted")))
            story.tell(
                ApprovalVoided.model_validate({"run_id": run_id, "approval_id": approval_id, "why": why, "by": ANA})
            )
        case "edit":
            story.tell(
                ArgumentsEdited(
                    run_id=run_id, call_id=requested.call_id, approval_id=approval_id, before="{}", after=story.text(),
                    by=BEN,
                )
            )  # fmt: skip
        case _:
            return True
    return False


OF_A_CARD = frozenset({"approval_voted", "approval_escalated", "approval_voided", "arguments_edited"})
