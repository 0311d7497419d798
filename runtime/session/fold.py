"""Journal -> state: one pure function per kind of event. The same events give the same state, for ever.

Constant cost: folding one event touches the newest run and appends; it never walks the history.
"""

from collections.abc import Callable, Mapping
from typing import Any

from runtime.session import messages
from runtime.session.events import (
    AnyEvent,
    CallFinished,
    CallForbidden,
    CallStarted,
    CallStatus,
    EntryIgnored,
    MessageReceived,
    ModelReplied,
    PostDone,
    PostStarted,
    RunFinished,
    RunOutcome,
    RunStarted,
)
from runtime.session.fold_approvals import (
    on_arguments_edited,
    on_escalated,
    on_grant_given,
    on_grant_revoked,
    on_grant_used,
    on_voided,
    on_voted,
)
from runtime.session.fold_calls import with_newest_calls
from runtime.session.fold_images import image_paths, on_images_described, with_images, without_images
from runtime.session.fold_limits import (
    on_away,
    on_limit_extended,
    on_limit_reached,
    on_noted,
    on_parked,
    on_tried,
    with_model_back,
)
from runtime.session.fold_messages import on_message_deleted, on_message_edited, on_verbosity_chosen, opening_of
from runtime.session.fold_mind import (
    on_checked,
    on_compacted,
    on_doubted,
    on_flow_planned,
    on_flow_step_ended,
    on_flow_step_started,
)
from runtime.session.fold_people import (
    on_approval_decided,
    on_approval_requested,
    on_notice,
    on_question_answered,
    on_question_asked,
    on_reminder,
)
from runtime.session.fold_plans import on_plan_edited
from runtime.session.fold_tools import on_tools_changed
from runtime.session.folding import current, moved, replace, with_entry, with_run
from runtime.session.state import (
    AgentState,
    CallState,
    IllegalMove,
    PostState,
    RunState,
    SessionState,
    Spent,
    StepState,
)
from runtime.session.stopping import noted
from runtime.session.usage import added

FOLD_VERSION = 7
"""Raised when the same events fold to another state; snapshots of another version are thrown away."""


def on_message(state: SessionState, event: MessageReceived) -> SessionState:
    """A message enters memory, or is held while calls are unresolved, and waits for a run where none is active."""
    run = state.active_run
    state = replace(
        state,
        people=with_entry(state.people, event.user, event.speaker),
        seen_ts=state.seen_ts | {event.ts} | {quoted.ts for quoted in event.context},
        parked=False,
    )
    state = with_images(state, image_paths(event.attachments))
    if run is not None and run.unresolved:
        return replace(state, held=(*state.held, event))
    state = replace(state, memory=(*state.memory, messages.of_person(event)))
    if run is not None:
        return replace(state, said=(*state.said, event)[-SAID_KEPT:])
    return replace(state, untaken=(*state.untaken, event))


def on_run_started(state: SessionState, event: RunStarted) -> SessionState:
    """A new run takes up every message that waited."""
    if state.active_run is not None:
        raise IllegalMove(f"{event.run_id} started while {state.active_run.run_id} is active")
    run = RunState(
        run_id=event.run_id,
        requester=event.requester,
        request_ts=event.request_ts,
        agent=event.agent,
        model=event.model,
        scripted=event.scripted,
        limits=event.limits,
        more=event.more,
        idle_ms=event.idle_ms,
        schedule_id=event.schedule_id,
        plan_first=event.plan_first,
        started_at_ms=state.at_ms,
        started_seq=state.seq,
        opening=opening_of(state),
    )
    return replace(state, runs=(*state.runs, run), untaken=(), said=())


def on_model_replied(state: SessionState, event: ModelReplied) -> SessionState:
    """The reply enters memory as sent; its calls become unresolved; what it cost is added."""
    run = with_newest_calls(with_model_back(moved(current(state, event.run_id), AgentState.RUNNING)))
    calls = {call.call_id: CallState(call=call, step=event.step) for call in event.calls}
    step = StepState(number=event.step, seq=state.seq, text=event.text, call_ids=tuple(calls))
    is_overtaken = event.edited_seq is not None and run.plan_edited_seq > event.edited_seq
    run = replace(
        run,
        overtaken=run.overtaken | set(calls) if is_overtaken else run.overtaken,
        steps=(*run.steps, step),
        calls={**run.calls, **calls},
        unresolved=tuple(calls),
        spent=Spent(
            steps=run.spent.steps + 1,
            working_ms=run.spent.working_ms + event.elapsed_ms,
            usage=added(run.spent.usage, event.usage),
            micros=run.spent.micros + event.micros,
        ),
    )
    return with_run(replace(without_images(state, event.seen), memory=(*state.memory, event.message)), run)


SAID_KEPT = 20


def on_call_started(state: SessionState, event: CallStarted) -> SessionState:
    """An intent; it uses up the approval it stands on."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    call = run.calls[event.call_id]
    call = replace(call, attempt=event.attempt, begun_at_ms=state.at_ms, used_approval=call.approval_id)
    return with_run(state, replace(run, calls=with_entry(run.calls, event.call_id, call)))


def on_call_finished(state: SessionState, event: CallFinished) -> SessionState:
    """A result enters memory; after the last one the held messages follow."""
    run = moved(current(state, event.run_id), AgentState.RUNNING)
    call = run.calls[event.call_id]
    unresolved = tuple(call_id for call_id in run.unresolved if call_id != event.call_id)
    plan = event.plan if event.call_id not in run.overtaken else None
    run = replace(
        run,
        calls=with_entry(run.calls, event.call_id, replace(call, result=event)),
        unresolved=unresolved,
        spent=replace(run.spent, working_ms=run.spent.working_ms + event.elapsed_ms),
        plan=plan or run.plan,
        plan_seq=state.seq if plan else run.plan_seq,
    )
    memory = (*state.memory, messages.of_result(call.call.model_call_id, event, edited=edited(call, event)))
    if not unresolved and (state.held or state.asides):
        memory = (*memory, *(messages.of_person(held) for held in state.held), *state.asides)
        state = replace(state, held=(), asides=(), said=(*state.said, *state.held)[-SAID_KEPT:])
    return with_run(with_images(replace(state, memory=memory), event.images), run)


def edited(call: CallState, event: CallFinished) -> str:
    """What the model has to know of a call that a person changed before it ran."""
    return call.call.arguments if call.edited_by and event.status is not CallStatus.DENIED else ""


def on_run_finished(state: SessionState, event: RunFinished) -> SessionState:
    """The last word. Calls without result get a closing observation, so that memory stays well paired."""
    run = current(state, event.run_id)
    memory = state.memory
    for call_id in run.unresolved:
        memory = (*memory, messages.of_unfinished(run.calls[call_id].call.model_call_id, event.outcome))
    memory = (*memory, *(messages.of_person(held) for held in state.held), *state.asides)
    run = moved(run, AgentState.ERROR if event.outcome is RunOutcome.FAILED else AgentState.FINISHED)
    run = replace(
        run,
        outcome=event.outcome,
        answer=event.answer,
        detail=event.detail,
        ended_by=event.by,
        ended_at_ms=state.at_ms,
        ended_seq=state.seq,
        unresolved=(),
        open_question="",
        open_approval="",
        open_limit="",
    )
    untaken = left_over(state, event)
    state = noted(state, event.until_ts, event.by)
    # An image that nobody looked at meanwhile belongs to what is over.
    unseen = tuple(path for left in untaken for path in image_paths(left.attachments))
    return with_run(replace(state, memory=memory, untaken=untaken, said=(), held=(), asides=(), unseen=unseen), run)


def left_over(state: SessionState, event: RunFinished) -> tuple[MessageReceived, ...]:
    """Messages that the next run is for: what the model had not read. After a stop only what was said after it, read
    or not: what was said before is stopped with the rest.
    """
    if not event.until_ts:
        return state.held
    return tuple(said for said in (*state.said, *state.held) if float(said.ts) > float(event.until_ts))


def on_post_started(state: SessionState, event: PostStarted) -> SessionState:
    """Intent of a Slack post."""
    post = PostState(op=event.op, started_seq=state.seq, file_id=event.file_id)
    return replace(state, posts=with_entry(state.posts, event.op, post))


def on_post_done(state: SessionState, event: PostDone) -> SessionState:
    """Slack accepted it; a delivered notice leaves the queue."""
    post = replace(state.posts.get(event.op, PostState(op=event.op, started_seq=state.seq)), done=event)
    notices = {key: notice for key, notice in state.notices.items() if key != event.op}
    return replace(state, posts=with_entry(state.posts, event.op, post), notices=notices)


def unchanged(state: SessionState, _event: EntryIgnored | CallForbidden) -> SessionState:
    """Kept in the journal only."""
    return state


Folder = Callable[[SessionState, Any], SessionState]
FOLDERS: Mapping[str, Folder] = {
    "message_received": on_message,
    "run_started": on_run_started,
    "model_replied": on_model_replied,
    "call_started": on_call_started,
    "call_finished": on_call_finished,
    "question_asked": on_question_asked,
    "question_answered": on_question_answered,
    "approval_requested": on_approval_requested,
    "approval_decided": on_approval_decided,
    "run_finished": on_run_finished,
    "reminder_due": on_reminder,
    "approval_voted": on_voted,
    "approval_voided": on_voided,
    "approval_escalated": on_escalated,
    "arguments_edited": on_arguments_edited,
    "grant_given": on_grant_given,
    "grant_revoked": on_grant_revoked,
    "grant_used": on_grant_used,
    "call_forbidden": unchanged,
    "message_edited": on_message_edited,
    "message_deleted": on_message_deleted,
    "limit_reached": on_limit_reached,
    "limit_extended": on_limit_extended,
    "run_noted": on_noted,
    "tools_changed": on_tools_changed,
    "images_described": on_images_described,
    "model_away": on_away,
    "model_tried": on_tried,
    "session_parked": on_parked,
    "notice_queued": on_notice,
    "post_started": on_post_started,
    "post_done": on_post_done,
    "entry_ignored": unchanged,
    "memory_compacted": on_compacted,
    "progress_doubted": on_doubted,
    "answer_checked": on_checked,
    "flow_planned": on_flow_planned,
    "flow_step_started": on_flow_step_started,
    "flow_step_ended": on_flow_step_ended,
    "plan_edited": on_plan_edited,
    "verbosity_chosen": on_verbosity_chosen,
}


def fold(state: SessionState, event: AnyEvent, *, at_ms: int) -> SessionState:
    """The state after one more event.

    Args:
        state: the state before it.
        event: the next event of the journal.
        at_ms: server time of the append, milliseconds since the epoch.

    Raises:
        IllegalMove: the event cannot follow.
    """
    try:
        return FOLDERS[event.kind](replace(state, seq=state.seq + 1, at_ms=at_ms), event)
    except KeyError as unknown:
        raise IllegalMove(f"{event.kind} speaks of {unknown}, which the journal does not know") from unknown
