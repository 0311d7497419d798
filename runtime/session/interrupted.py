"""Questions to a person about work that was interrupted, and what each answer means. Pure.

Four purposes: a call that may or may not have taken effect (`outcome_unknown`), a run whose workers keep vanishing
(`keeps_crashing`), a run that would go on after a long silence (`long_ago`), and a plan that waits for a word before
work begins (`plan`), which any other words send back to be made anew.
"""

from typing import Final

from runtime.session.events import (
    AnyEvent,
    CallFinished,
    CallStatus,
    QuestionAnswered,
    QuestionAsked,
    RunFinished,
    RunOutcome,
)

WORKED: Final = "It worked, go on"
AGAIN: Final = "Run it again"
SKIP: Final = "Skip it"
OUTCOMES: Final = (WORKED, AGAIN, SKIP)
GO_ON: Final = "Go on"
STOP_HERE: Final = "Stop here"
WAYS: Final = (GO_ON, STOP_HERE)
START_WORK: Final = "Start"
PLAN_WAYS: Final = (START_WORK, STOP_HERE)

WAS_INTERRUPTED: Final = "This call was begun, then the process was interrupted before its result was recorded. "


def is_about_a_run(question: QuestionAsked) -> bool:
    """Whether only its own choices answer it."""
    return question.purpose in {"keeps_crashing", "long_ago", "no_progress"}


def takes_only_choices(question: QuestionAsked) -> bool:
    """Whether free words are no answer to it: it is about a run, or a server asks for one of a few things."""
    return is_about_a_run(question) or question.purpose == "server_asks"


def abandoned(question: QuestionAsked) -> QuestionAnswered:
    """The end of a question that nothing waits for any more."""
    return QuestionAnswered(run_id=question.run_id, question_id=question.question_id, answer="", by="", how="expired")


def consequences(question: QuestionAsked, answered: QuestionAnswered, speaker: str) -> tuple[AnyEvent, ...]:
    """What follows from the answer to one of these questions.

    Args:
        question: of another purpose than `ask`.
        answered: its answer or expiry.
        speaker: who answered, by name.
    """
    if question.purpose == "server_asks":
        return ()  # Its call waits for the answer and goes on by itself.
    if is_about_a_run(question) or question.purpose == "plan":
        return of_run(question, answered)
    if answered.answer == AGAIN and answered.how != "expired":
        return ()
    return (of_call(question, answered, speaker),)


def of_run(question: QuestionAsked, answered: QuestionAnswered) -> tuple[AnyEvent, ...]:
    """Going on needs nothing further."""
    if answered.how == "expired":
        return (RunFinished(run_id=question.run_id, outcome=RunOutcome.EXPIRED),)
    if answered.answer == STOP_HERE:
        return (RunFinished(run_id=question.run_id, outcome=RunOutcome.STOPPED, by=answered.by),)
    return ()


def of_call(question: QuestionAsked, answered: QuestionAnswered, speaker: str) -> CallFinished:
    """The call's result as a person knows it."""
    status, words, brief = CallStatus.UNKNOWN, f"{speaker} says: {answered.answer}", answered.answer
    if answered.how == "expired":
        words = "It may have taken effect or not, and nobody said. Find out before you do anything like it again."
        brief = "interrupted"
    elif answered.answer == WORKED:
        status, words = CallStatus.OK, f"{speaker} says that it worked; its output is not known."
    elif answered.answer == SKIP:
        words = f"{speaker} says to go on without it. Do not do it again."
    return CallFinished(
        run_id=question.run_id, call_id=question.call_id, status=status, output=WAS_INTERRUPTED + words, brief=brief
    )


def lost_call_question_id(call_id: str, attempt: int) -> str:
    """One question for each attempt that was interrupted."""
    return f"{call_id}.lost{attempt}"
