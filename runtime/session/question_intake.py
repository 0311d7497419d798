"""What answers mean in the state they meet: typed, clicked, in a form, too late, or none at all. Pure."""

from collections.abc import Sequence

from runtime.session.entries import AnswerEntry, MessageEntry
from runtime.session.events import (
    AnyEvent,
    Attachment,
    CallFinished,
    CallStatus,
    MessageReceived,
    NoticeCode,
    NoticeQueued,
    QuestionAnswered,
    QuestionAsked,
    RunFinished,
    RunOutcome,
)
from runtime.session.interrupted import consequences, takes_only_choices
from runtime.session.state import QuestionState, RunState, SessionState
from runtime.session.taking import Intake, ignored, told

NOBODY = frozenset({"expired", "default"})
"""Ways in which a question ended without a person."""


def answered(question: QuestionAsked, answer: str, by: str, how: str, speaker: str = "", *, shown: str = "") -> Intake:
    """The answer and, where a call asked, that call's result."""
    answer_event = QuestionAnswered.model_validate(
        {
            "run_id": question.run_id,
            "question_id": question.question_id,
            "answer": answer,
            "by": by,
            "how": how,
            "shown": shown,
        }
    )
    events: list[AnyEvent] = [answer_event]
    if question.purpose != "ask":
        events.extend(consequences(question, answer_event, speaker or by))
    elif question.call_id:
        late = how == "expired"
        events.append(
            CallFinished(
                run_id=question.run_id,
                call_id=question.call_id,
                status=CallStatus.ERROR if late else CallStatus.OK,
                output=words_of(answer_event, speaker or by),
                brief="no answer" if late else shown or answer,
            )
        )
    return tuple(events)


def words_of(answered: QuestionAnswered, speaker: str) -> str:
    """The answer as the model reads it."""
    if answered.how == "expired":
        return "Nobody answered in time."
    if answered.how == "default":
        return f"Nobody answered in time, so the default that you named counts: {answered.answer}"
    return f"{speaker} answered: {answered.answer}"


def with_files(text: str, attachments: Sequence[Attachment]) -> str:
    """An answer with the files that came with it."""
    lines = [text.strip()]
    lines += [
        f"[file {file.name!r} could not be fetched: {file.problem}]"
        if file.problem
        else f"[file in the workspace: {file.path or file.name} ({file.size} bytes)]"
        for file in attachments
    ]
    return "\n".join(line for line in lines if line)


def binds(question: QuestionAsked, entry: MessageEntry) -> bool:
    """Whether a typed message answers: an exact choice, an open question, or a reply of the person asked."""
    if exact_choice(question, entry.text):
        return True
    if takes_only_choices(question):
        return False
    if entry.attachments and not question.wants_file:
        return False
    is_open = question.purpose == "ask" and not question.choices and not question.fields
    return is_open or entry.user == question.asked_of


def exact_choice(question: QuestionAsked, text: str) -> str:
    """The choice that was typed, in its own spelling; empty when the text is none."""
    typed = text.strip().casefold()
    return next((choice for choice in question.choices if choice.casefold() == typed), "")


def typed(question: QuestionAsked, entry: MessageEntry) -> Intake:
    """A typed reply as the answer."""
    words = with_files(entry.text, entry.attachments)
    if question.purpose != "ask":
        words = exact_choice(question, words) or words
    return answered(question, words, entry.user, "typed", entry.speaker)


def on_answer(state: SessionState, entry: AnswerEntry, now_ms: int) -> Intake:
    """The first valid answer wins; a second is told so; one that comes after the end is taken up as a message."""
    known = find_question(state, entry.question_id)
    run = state.active_run
    if known is None:
        return told(entry, entry.by, NoticeCode.QUESTION_GONE)
    question = known.asked
    chosen = question.choices[entry.choice] if 0 <= entry.choice < len(question.choices) else entry.answer
    chosen = with_files(chosen, entry.attachments)
    is_form = bool(question.fields) and entry.how == "modal"
    if not chosen or (takes_only_choices(question) and not is_form and chosen not in question.choices):
        return ignored(entry, "not an answer")
    if run is not None and run.open_question == entry.question_id:
        speaker = state.people.get(entry.by, "")
        return answered(question, chosen, entry.by, entry.how, speaker, shown=entry.shown)
    if known.answered is not None and known.answered.how not in NOBODY:
        by, answer = known.answered.by, known.answered.shown or known.answered.answer
        return told(entry, entry.by, NoticeCode.QUESTION_GONE, by=by, answer=answer)
    if question.purpose != "ask":
        return told(entry, entry.by, NoticeCode.QUESTION_GONE)
    return late(state, entry, question, chosen, now_ms)


def late(state: SessionState, entry: AnswerEntry, question: QuestionAsked, answer: str, now_ms: int) -> Intake:
    """It came after its question was given up: the answer is a message that something can still be made of."""
    message = MessageReceived(
        ts=f"{now_ms / 1000:.6f}",
        user=entry.by,
        speaker=state.people.get(entry.by, entry.by),
        text=f"My answer to your earlier question “{question.question}”: {answer}",
    )
    notice = NoticeQueued(notice_id=f"notice:{entry.entry_id}", code=NoticeCode.LATE_ANSWER, to=entry.by)
    return (message, notice)


def find_question(state: SessionState, question_id: str) -> QuestionState | None:
    """The question with this id in any run of the session."""
    return next((run.questions[question_id] for run in reversed(state.runs) if question_id in run.questions), None)


def unanswered(run: RunState) -> Intake:
    """What its deadline means for the open question, by the question's own terms."""
    question = run.questions[run.open_question].asked
    if question.purpose == "ask" and question.if_unanswered == "default":
        return answered(question, question.default, "", "default")
    events = answered(question, "", "", "expired")
    if question.purpose == "ask" and question.if_unanswered == "hand_back":
        return (*events, RunFinished(run_id=run.run_id, outcome=RunOutcome.EXPIRED))
    return events
