"""The fold of the agent's mind: shortened memory, doubts, checks, and the steps of a flow. All pure; see `fold.py`."""

from collections.abc import Mapping

from runtime.session.folding import current, replace, with_run
from runtime.session.mind_events import (
    AnswerChecked,
    FlowPlanned,
    FlowStepEnded,
    FlowStepStarted,
    MemoryCompacted,
    ProgressDoubted,
    shown_plan,
)
from runtime.session.mind_state import CheckState, DoubtState, FlowState
from runtime.session.spending import paid
from runtime.session.state import IllegalMove, RunState, SessionState
from tools.plan import StepStatus


def on_compacted(state: SessionState, event: MemoryCompacted) -> SessionState:
    """The pinned messages, the summary, then everything after the cut, byte for byte."""
    run = paid(current(state, event.run_id), event.usage, event.micros, event.elapsed_ms)
    front = (*(state.memory[index] for index in event.pinned if index < event.cut), event.message)
    memory = (*front, *state.memory[event.cut :])
    run = replace(run, opening=place_after(event, run.opening, len(front)))
    if run.flow is not None:
        run = replace(run, flow=replace(run.flow, mark=place_after(event, run.flow.mark, len(front))))
    room = event.room or state.room
    return with_run(replace(state, memory=memory, compactions=state.compactions + 1, room=room), run)


def place_after(event: MemoryCompacted, index: int, front: int) -> int:
    """Where a message stands once the memory begins with so many messages; of one that went, what took its place."""
    if index >= event.cut:
        return index - event.cut + front
    return sum(pinned < index for pinned in event.pinned)


def on_doubted(state: SessionState, event: ProgressDoubted) -> SessionState:
    """The model is told, where there is something to tell."""
    run = current(state, event.run_id)
    run = replace(run, doubts=(*run.doubts, DoubtState(doubted=event, seq=state.seq)))
    return with_run(told(state, event.message), run)


def on_checked(state: SessionState, event: AnswerChecked) -> SessionState:
    """The verdict stands beside the run; what failed goes to the model."""
    run = paid(current(state, event.run_id), event.usage, event.micros, 0)
    run = replace(run, checks=(*run.checks, CheckState(checked=event, seq=state.seq)))
    return with_run(told(state, event.message), run)


def told(state: SessionState, message: str) -> SessionState:
    """The memory with a note of the system, where there is one."""
    return replace(state, memory=(*state.memory, message)) if message else state


def on_flow_planned(state: SessionState, event: FlowPlanned) -> SessionState:
    """A plan takes the place of the one before; what is done stays done."""
    run = paid(current(state, event.run_id), event.usage, event.micros, event.elapsed_ms)
    known = run.flow
    kept = {step.id for step in event.steps}
    done: Mapping[str, StepStatus] = {} if known is None else known.statuses
    statuses = {
        name: status
        for name, status in done.items()
        if name in kept and (event.edited or status is StepStatus.COMPLETED)
    }
    ended = {} if known is None else dict(known.ended)
    if event.edited and known is not None:
        flow = replace(known, steps=event.steps, statuses=statuses)
    else:
        flow = FlowState(
            title=event.title,
            steps=event.steps,
            revision=event.revision,
            statuses=statuses,
            ended=ended,
            mark=max(0, len(state.memory) - 1) if event.mark is None else max(0, event.mark),
        )
    return with_run(state, shown(replace(run, flow=flow), state.seq))


def on_flow_step_started(state: SessionState, event: FlowStepStarted) -> SessionState:
    """The step's memory begins here."""
    run = current(state, event.run_id)
    flow = flow_of(run)
    flow = replace(
        flow,
        current=event.step_id,
        mark=len(state.memory),
        began_at_step=run.spent.steps,
        began_seq=state.seq,
        statuses={**flow.statuses, event.step_id: StepStatus.IN_PROGRESS},
    )
    return with_run(told(state, event.brief), shown(replace(run, flow=flow), state.seq))


def on_flow_step_ended(state: SessionState, event: FlowStepEnded) -> SessionState:
    """No step is under way any more."""
    run = current(state, event.run_id)
    flow = flow_of(run)
    flow = replace(
        flow,
        current="",
        statuses={**flow.statuses, event.step_id: event.status},
        ended={**flow.ended, event.step_id: event},
    )
    return with_run(state, shown(replace(run, flow=flow), state.seq))


def flow_of(run: RunState) -> FlowState:
    """The run's flow.

    Raises:
        IllegalMove: it has none.
    """
    if run.flow is None:
        raise IllegalMove(f"a step of a flow in {run.run_id}, which has none")
    return run.flow


def shown(run: RunState, seq: int) -> RunState:
    """The run with its flow as the plan that people watch."""
    flow = flow_of(run)
    notes = {step_id: ended.reason for step_id, ended in flow.ended.items() if ended.reason}
    return replace(run, plan=shown_plan(flow.title, flow.steps, dict(flow.statuses), notes), plan_seq=seq)
