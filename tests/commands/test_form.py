"""Forms at the prompt: field by field, checked, and left by the words of a choice."""

from collections.abc import Awaitable, Callable

from bot import texts_people
from bot.terminal.form import Filled, fill_in
from runtime.session.events import FormField, QuestionAsked

ASKED = QuestionAsked(
    run_id="r1",
    question_id="q",
    call_id="r1.1.0",
    question="Which table?",
    choices=("Decline",),
    asked_of="U1",
    expires_at_ms=1,
    fields=(
        FormField(name="seats", label="Seats", kind="number"),
        FormField(name="inside", label="Inside", kind="choice", choices=("Yes", "No")),
        FormField(name="note", label="Note", optional=True),
    ),
)


def typing(prompts: list[str], *lines: str) -> Callable[[str], Awaitable[str]]:
    """A person who types these lines, and what they were shown."""
    left = list(lines)

    async def ask(prompt: str) -> str:
        prompts.append(prompt)
        return left.pop(0)

    return ask


async def test_each_field_is_asked_until_it_fits() -> None:
    """The problem stands before the prompt; a choice is taken by number or words, and what is optional may be empty."""
    prompts: list[str] = []
    filled = await fill_in(ASKED, typing(prompts, "lots", "4", "3", "no", ""))
    assert filled == Filled(answer='{"seats": 4, "inside": "No"}', shown="Seats: 4\nInside: No")
    assert prompts[1].startswith(texts_people.NOT_A_NUMBER)
    assert prompts[2] == "Inside [1] Yes [2] No> "
    assert (await fill_in(ASKED, typing([], "4", "1", "by the window"))).answer == (
        '{"seats": 4, "inside": "Yes", "note": "by the window"}'
    )


async def test_the_words_of_a_choice_leave_the_form() -> None:
    """Declining needs no filling in."""
    assert await fill_in(ASKED, typing([], "4", "decline")) == Filled(choice=0)
