"""The fold of what people say beside requests: changed, taken back, how much they want to be told. Pure."""

from runtime.session import messages
from runtime.session.folding import replace
from runtime.session.message_events import MessageDeleted, MessageEdited
from runtime.session.state import SessionState
from runtime.session.verbosity import Choice, VerbosityChosen


def on_message_edited(state: SessionState, event: MessageEdited) -> SessionState:
    """Where the model has not read it yet, it simply says something else; else the model is told."""
    if any(message.ts == event.ts for message in state.held):
        held = (m.model_copy(update={"text": event.text}) if m.ts == event.ts else m for m in state.held)
        return replace(state, held=tuple(held))
    told = messages.of_edit(event)
    untaken = (m.model_copy(update={"text": event.text}) if m.ts == event.ts else m for m in state.untaken)
    state = replace(state, untaken=tuple(untaken))
    return spoken(state, told)


def on_message_deleted(state: SessionState, event: MessageDeleted) -> SessionState:
    """Where the model has not read it yet, it never will; else the model is told. No run starts on it."""
    if any(message.ts == event.ts for message in state.held):
        return replace(state, held=tuple(message for message in state.held if message.ts != event.ts))
    untaken = tuple(message for message in state.untaken if message.ts != event.ts)
    state = replace(state, untaken=untaken, said=tuple(message for message in state.said if message.ts != event.ts))
    return spoken(state, messages.of_deletion(event))


def on_verbosity_chosen(state: SessionState, event: VerbosityChosen) -> SessionState:
    """It holds from here on."""
    if state.choices and state.choices[-1].verbosity == event.verbosity:
        return state
    return replace(state, choices=(*state.choices, Choice(seq=state.seq, verbosity=event.verbosity)))


def spoken(state: SessionState, message: str) -> SessionState:
    """The message in memory; while calls have no result, it waits for them so that memory stays well paired."""
    run = state.active_run
    if run is not None and run.unresolved:
        return replace(state, asides=(*state.asides, message))
    return replace(state, memory=(*state.memory, message))


def opening_of(state: SessionState) -> int:
    """Where the first message that waits stands in memory; a changed one counts as the note that says what it says
    now. A run that nothing waited for goes on with what the one before was started for.
    """
    if not state.untaken:
        return state.run.opening if state.run is not None else 0
    wanted, newest = messages.of_person(state.untaken[0]), len(state.memory) - 1
    return next((index for index in range(newest, -1, -1) if state.memory[index] == wanted), max(0, newest))
