"""Sentences about plans in people's hands. Short, concrete, no exclamation marks."""

from collections.abc import Mapping

from bot.render.amounts import counted

REPLIES: Mapping[str, str] = {
    "all": "Reply after every call",
    "steps": "Reply after every step",
    "quiet": "Plan and answer only",
}
"""What the menu of a plan message offers, by how much is said."""
EDIT_PLAN = "Edit plan"
TITLE = "Edit the plan"
SUBMIT = "Save"
LABEL = "Still to do, one step a line"
MORE = "Still to do, continued"
HINT = "Move, rename, add or delete lines. What is done or under way stays as it is."
SHALL_I_START = (
    "The plan is above. Shall I start? You can edit it first, or tell me what should be another way; nothing runs "
    "until you say so."
)
NO_PLAN = "That run is over or its plan has no open steps, so the plan stays as it is."
NO_FORM = "This plan is too long for a form. Tell me in the thread what should be another way."
EMPTY = "A plan needs a step. To end the run, close this and press Stop."


def option(words: str, *, chosen: bool) -> str:
    """A line of that menu."""
    return f"✓ {words}" if chosen else words


def verbosity(chosen: str) -> str:
    """What a person is told who chose how much is said."""
    what = {
        "all": "I reply after every call",
        "quiet": "I post only the plan and the answer, and ask what I have to ask",
    }.get(chosen, "I reply after every finished step")
    return (
        f"From now on {what} in this thread. The menu beside Stop changes that, or a message that says only "
        "“every call”, “every step” or “quiet”."
    )


def proposed(steps: int) -> str:
    """The first sentence of a run whose plan is not approved yet."""
    return f"I'd do this in {counted(steps, 'step')}. Nothing runs until you say so."


def too_many(most: int) -> str:
    """More lines than a plan holds."""
    return f"A plan holds {counted(most, 'step')} at most."


def too_long(line: str, most: int) -> str:
    """A line that is no title."""
    return f"Shorten this step to {most} characters: {line[:60]}…"


def unanswered(by: str) -> str:
    """The last line of a question that was closed; `by` is who edited the plan that it was about, where that is why."""
    return f"*Asked anew: <@{by}> changed the plan.*" if by else "*Nobody answered in time.*"
