"""What goes to the model, and what its reply comes to: calls with their problems, questions with their deadlines."""

from collections.abc import Sequence
from datetime import timedelta

from runtime.agent.context import AgentContext
from runtime.agent.room import Room, share_of
from runtime.agent.used_ids import UsedIds
from runtime.llm.port import Fixed, ModelRequest, RawCall
from runtime.memory.window import fitted
from runtime.session.events import FormField, ProposedCall, QuestionAsked
from runtime.session.interrupted import OUTCOMES, PLAN_WAYS, lost_call_question_id
from runtime.session.state import CallState, RunState
from tools.base import PersonAsked
from tools.collection import ToolCollection
from tools.errors import ToolInputError
from tools.text import storable

MILLISECOND = timedelta(milliseconds=1)
QUESTION_MARKS = ("?", "？", "؟")
ARGUMENTS_SHOWN = 500
"""Characters of a call's arguments in a question about it."""
AFTER_THE_MARK = " \t\n*_`~)]}\"'»”’"


def next_request(
    context: AgentContext,
    run: RunState,
    memory: tuple[str, ...],
    room: Room,
    fixed: Fixed,
    share: float,
    used_ids: UsedIds,
) -> ModelRequest:
    """The request for the run's next step.

    Args:
        context: what the agent works with.
        run: the active run.
        memory: what the model is shown, as far as it fits.
        room: what all of it takes and may take.
        fixed: what stands beside the messages.
        share: how much of the context window may be used; less than 1 after the model found it too long.
        used_ids: finds the call ids that a new reply must not repeat.
    """
    state = context.session.latest
    limit = share_of(room, share)
    before = len(state.memory) - len(memory)
    messages = fitted(memory, limit, room.asked, opening=max(0, run.opening - before))
    return ModelRequest(
        system=fixed.system,
        messages=messages,
        counted=room.asked if messages is memory else 0,
        tools=fixed.tools,
        tool_choice=fixed.tool_choice,
        images=fixed.images,
        step_id=f"{state.session_id}.{run.run_id}.{run.spent.steps + 1}",
        used_ids=used_ids.of(state.memory),
    )


def proposed_calls(calls: Sequence[RawCall], tools: ToolCollection, *, prefix: str) -> tuple[ProposedCall, ...]:
    """Each call with its arguments in canonical JSON, or with the problem that keeps it from running."""
    return tuple(proposed(call, tools, f"{prefix}.{index}") for index, call in enumerate(calls))


def proposed(call: RawCall, tools: ToolCollection, call_id: str) -> ProposedCall:
    """One call."""
    name = storable(call.name)
    try:
        parsed = tools.parse(name, call.arguments)
    except ToolInputError as error:
        arguments = storable(call.arguments)
        problem = storable(str(error))
        return ProposedCall(call_id=call_id, model_call_id=call.id, tool=name, arguments=arguments, problem=problem)
    return ProposedCall(call_id=call_id, model_call_id=call.id, tool=name, arguments=parsed.canonical.decode())


def asks_something(text: str) -> bool:
    """True when a text ends by asking; a label in round brackets after the question does not hide it."""
    end = text.rstrip(AFTER_THE_MARK)
    without_label = text.rstrip().removesuffix(")").rpartition("(")[0].rstrip(AFTER_THE_MARK)
    return end.endswith(QUESTION_MARKS) or without_label.endswith(QUESTION_MARKS)


def question(
    context: AgentContext,
    run: RunState,
    question_id: str,
    text: str,
    choices: tuple[str, ...] = (),
    call_id: str = "",
) -> QuestionAsked:
    """A question to the person who asked for the run. `call_id` is empty when it was asked in plain text."""
    timeouts = context.settings.timeouts
    now_ms = context.session.lease.now_ms()
    return QuestionAsked(
        run_id=run.run_id,
        question_id=question_id,
        call_id=call_id,
        question=context.redact(storable(text)),
        choices=choices,
        asked_of=run.requester,
        expires_at_ms=now_ms + timeouts.question // MILLISECOND,
        remind_at_ms=now_ms + timeouts.reminder // MILLISECOND,
    )


def asked_by_call(context: AgentContext, run: RunState, asked: PersonAsked, call_id: str) -> QuestionAsked:
    """The question of a call, with its own terms for when nobody answers."""
    base = question(context, run, f"{call_id}.q", asked.question, asked.choices, call_id)
    redact = context.redact
    return base.model_copy(
        update={
            "fields": tuple(
                FormField(
                    name=field.name,
                    label=redact(field.label),
                    kind=field.kind,
                    choices=field.choices,
                    optional=field.optional,
                )
                for field in asked.fields
            ),
            "wants_file": asked.wants_file,
            "if_unanswered": asked.if_unanswered,
            "default": asked.default,
            "expires_at_ms": 0 if asked.if_unanswered == "hold" else base.expires_at_ms,
        }
    )


def plan_question(context: AgentContext, run: RunState, question_id: str) -> QuestionAsked:
    """Whether work may begin by the plan."""
    return question(context, run, question_id, "", PLAN_WAYS).model_copy(update={"purpose": "plan"})


def lost_call_question(context: AgentContext, run: RunState, call: CallState) -> QuestionAsked:
    """A question about a call that was begun and whose outcome is not known, with what is known of it."""
    approval = run.approvals.get(call.used_approval)
    title = approval.requested.title if approval else call.call.tool
    base = question(
        context,
        run,
        lost_call_question_id(call.call.call_id, call.attempt),
        title,
        OUTCOMES,
        call.call.call_id,
    )
    about = {
        "tool": call.call.tool,
        "arguments": context.redact(storable(call.call.arguments))[:ARGUMENTS_SHOWN],
        "begun_at_ms": str(call.begun_at_ms),
        "approved_by": approval.decided.by if approval and approval.decided else "",
    }
    return base.model_copy(update={"purpose": "outcome_unknown", "about": about})
