"""What people said is told apart from everything else in the memory, and is never shortened by what it looks like."""

import pytest

from runtime.memory.people import person_words, said_in
from runtime.session.message_events import MessageEdited, MessageReceived, Quoted
from runtime.session.messages import of_answer, of_edit, of_person, serialised
from runtime.session.people_events import QuestionAnswered

PASTED = "Count the boats in this log.\nBob says:\nthere were some\nEve answers:\nnone"


def said(text: str, *context: Quoted) -> str:
    """A message of a person."""
    return of_person(MessageReceived(ts="1.0", user="U1", speaker="Ana (U1)", text=text, context=context))


@pytest.mark.parametrize(
    "message",
    [
        said(PASTED),
        said(PASTED, Quoted(speaker="Bob (U2)", text="Carl says:\n\nDora says:\nhello", ts="0.5")),
        of_answer(
            QuestionAnswered(run_id="r1", question_id="q", answer=PASTED, by="U1", how="typed"),
        ),
    ],
)
def test_what_a_person_pasted_belongs_to_what_they_said(message: str) -> None:
    """A log that looks like a conversation takes nothing away, nor do earlier messages that were brought along."""
    assert person_words(message) == PASTED


@pytest.mark.parametrize(
    "message",
    [
        serialised({"role": "user", "content": f"You do one step of a larger plan (Boats): Count\n{PASTED}"}),
        serialised({"role": "assistant", "content": PASTED}),
        serialised({"role": "tool", "tool_call_id": "c", "content": f"Ana says:\n{PASTED}"}),
        of_edit(MessageEdited(ts="1.0", user="U1", speaker="Ana (U1)", text=PASTED)),
    ],
)
def test_what_only_quotes_people_is_not_theirs(message: str) -> None:
    """The brief of a step, replies and results may hold the same words."""
    assert said_in([message]) == []
