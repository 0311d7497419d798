"""Whatever a journal tells, everything shown of it is valid and harmless."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.outbox import Direct, Post, Upload, Whisper, wanted
from bot.listeners.modals import answer_modal, chunks, deny_modal, fits_modal, reading_modal
from bot.listeners.reading import call_of, output_of
from bot.listeners.values import ButtonValue
from bot.render import escape, step
from bot.render.limits import SECTION_TEXT
from runtime.session.events import AnyEvent
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from tests.bot import hostile
from tests.bot.happenings import BETWEEN_STEPS, Happening
from tests.bot.journals import KINDS, PEOPLE, Story, journals
from tests.bot.judge import check_content, check_text, check_view
from tests.session.story import SESSION, said, started

KEY = SessionKey.parse(SESSION)
VERBOSITY = st.sampled_from(("all", "steps", "quiet"))


@st.composite
def with_happening(draw: st.DrawFn, happening: Happening) -> Story:
    """A run that has begun, and one thing that happens in it."""
    story = Story(draw)
    story.newest_ts = "1700000000.000100"
    story.tell(said("go"), started())
    happening(story, "r1")
    return story


def test_every_kind_of_event_is_told() -> None:
    """A kind that the journal knows and no story tells would be rendered unseen."""
    assert {kind.model_fields["kind"].default for kind in get_args(AnyEvent)} == KINDS


@pytest.mark.parametrize("happening", BETWEEN_STEPS, ids=lambda happening: happening.__name__)
@given(data=st.data())
def test_whatever_happens_between_steps_is_told_and_shown(happening: Happening, data: st.DataObject) -> None:
    """Each happening tells what it promises, in a run that goes on, and what is shown of it is valid."""
    story = data.draw(with_happening(happening))
    assert set(BETWEEN_STEPS[happening]) <= story.kinds
    for item in wanted(KEY, story.state, "all"):
        if isinstance(item, Post | Direct):
            check_content(item.content, PEOPLE)


@given(journals(), VERBOSITY)
def test_everything_wanted_is_valid_and_harmless(state: SessionState, verbosity: str) -> None:
    """Slack's own limits, no ping but of people who are meant, no disguised link, no hidden character."""
    for item in wanted(KEY, state, verbosity):
        match item:
            case Post() | Direct():
                check_content(item.content, PEOPLE)
            case Whisper():
                assert 0 < len(item.text) <= 4_000
                check_text(item.text, PEOPLE)
            case Upload():
                assert item.file or item.text


@given(journals(), VERBOSITY)
def test_every_item_has_an_id_of_its_own(state: SessionState, verbosity: str) -> None:
    """Two items under one operation id would be taken for one after a crash."""
    ops = [item.op for item in wanted(KEY, state, verbosity)]
    assert len(ops) == len(set(ops))


@given(journals(), VERBOSITY)
def test_the_same_journal_is_shown_the_same_way(state: SessionState, verbosity: str) -> None:
    """A takeover wants exactly what its predecessor wanted."""
    assert wanted(KEY, state, verbosity) == wanted(KEY, state, verbosity)


@given(journals())
def test_every_output_and_call_can_be_read_whole(state: SessionState) -> None:
    """In a modal that Slack takes, with every character, or as a file."""
    texts = [
        output_of(state, f"{run.run_id}.{group.number}") for run in state.runs for group in step.groups(run, "all")
    ]
    texts += [call_of(state, approval_id) for run in state.runs for approval_id in run.approvals]
    for text in texts:
        if fits_modal(text):
            check_view(reading_modal("Output", text))


@given(hostile.texts)
def test_a_modal_drops_nothing(text: str) -> None:
    """The pieces of a long output are the output."""
    assert "".join(chunks(text)) == text
    assert all(len(escape.code(chunk)) <= SECTION_TEXT for chunk in chunks(text))


@given(st.from_regex(r"[A-Z][A-Z0-9]{1,12}", fullmatch=True), hostile.short, hostile.short)
def test_forms_are_valid(team: str, about: str, choice: str) -> None:
    """Whatever a button carries."""
    value = ButtonValue(
        session=SessionKey(team=team, channel="C1", thread_ts="1.2"), about=about[:200], choice=choice[:50]
    )
    check_view(answer_modal(value))
    check_view(answer_modal(value, choice))
    check_view(deny_modal(value))
