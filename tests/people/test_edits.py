"""Edited arguments: one call of several, arguments longer than a field, and how a text comes through a form."""

import json

from hypothesis import given
from hypothesis import strategies as st

from bot import texts_people
from bot.listeners.people_modals import PICKED
from bot.render.editing import PIECE, arguments_of, fields_of, is_editable
from runtime.session.approval_events import CoveredCall
from runtime.session.entries import EditEntry
from tests.agent.desk import Desk
from tests.people.conftest import StageMaker, asked, bash_asks, done, once, seen
from tests.people.test_gate import ECHO_ASKS, card
from tests.support.model import call, calls, say

LINES = "\n".join(f"echo line {number:04d} >> lines.txt" for number in range(300))


async def test_one_call_of_several_can_be_edited_and_all_are_asked_for_anew(on_stage: StageMaker) -> None:
    """A form asks which; the others stay as they were, on one new card."""
    turn = calls(call("bash", command="echo one > one.txt"), call("bash", command="echo two > two.txt"))
    async with on_stage(turn, say("Done."), settings=bash_asks(approvers=["U0BEN"])) as stage:
        sent = await asked(stage)
        await stage.ben.click(await stage.button(sent, "Approve"), texts_people.EDIT)
        which = await stage.ben.wait_view("which call")
        assert "echo two &gt; two.txt" in which.words
        await stage.ben.click_in_view(which, f"{PICKED}1")
        form = await stage.ben.wait_view("the form of the second", showing="arg-command")
        await stage.ben.submit_view(form, {"arg-command": "echo three > three.txt"})
        again = await seen(stage, sent, "One of these calls is the edited one.")
        assert "echo one &gt; one.txt" in again.words
        assert "echo three &gt; three.txt" in again.words
        await stage.ben.click(again, "Approve")
        await stage.answer(sent)
        assert [await done(stage, sent, f"{name}.txt") for name in ("one", "two", "three")] == [True, False, True]


async def test_an_argument_longer_than_a_field_is_edited_in_several(on_stage: StageMaker) -> None:
    """Ten thousand characters come through unchanged but for the line that was edited."""
    async with on_stage(*once(LINES), settings=bash_asks()) as stage:
        sent = await asked(stage)
        await stage.ana.click(await stage.button(sent, "Approve"), texts_people.EDIT)
        form = await stage.ana.wait_view("the form")
        written = {str(e["action_id"]): str(e.get("initial_value", "")) for e in form.elements}
        assert f"command (1 of {len(written)})" in form.words
        first = written["arg-command"].replace("line 0001", "row 0001")
        await stage.ana.submit_view(form, {**written, "arg-command": first})
        await stage.ana.click(await seen(stage, sent, "This is the edited call."), "Approve")
        await stage.answer(sent)
        lines = (await stage.workspace(sent)).read_bytes("lines.txt").decode().splitlines()
        assert lines == [f"{'row' if n == 1 else 'line'} {n:04d}" for n in range(300)]


async def test_who_edits_one_of_several_calls_cannot_approve_the_card_under_four_eyes(desk: Desk) -> None:
    """The edit of a later call on the card counts as much as one of the first."""
    desk.configure(ECHO_ASKS + 'approvers = ["U02", "U03"]\nfour_eyes = true\n')
    desk.script(calls(call("echo", text="a"), call("echo", text="b")))
    await desk.hear("go")
    await desk.work()
    second = (await card(desk)).also[0]
    edit = EditEntry(
        entry_id="e", approval_id=desk.run.open_approval, call_id=second.call_id, arguments='{"text":"c"}', by="U02"
    )
    await desk.take_in(edit)
    await desk.work()
    again = await card(desk)
    assert again.barred == ("U1", "U02")
    assert [again.arguments, *(part.arguments for part in again.also)] == ['{"text":"a"}', '{"text":"c"}']


def covered(arguments: str) -> CoveredCall:
    """A call on a card."""
    return CoveredCall(
        call_id="c", tool="t", arguments=arguments, digest="", definition="", rule_hash="", title="", body="",
        language="",
    )  # fmt: skip


LONG = st.lists(st.text(alphabet="ab \n", max_size=900), max_size=12).map("\n".join)


@given(text=LONG)
def test_a_form_that_nobody_changed_gives_back_the_same_arguments(text: str) -> None:
    """Whatever its length and wherever its lines end; no field begins or ends with a line end of its own making."""
    arguments = json.dumps({"text": text, "number": 5, "list": [text]})
    fields = fields_of(arguments)
    assert all(len(field.text) <= PIECE for field in fields)
    given_back, wrong = arguments_of(arguments, {field.key: field.text for field in fields})
    assert (given_back, wrong) == (json.loads(arguments), [])


def test_what_no_form_can_hold_is_not_offered() -> None:
    """Too many fields, none at all, or a character that a form would change."""
    assert is_editable(covered('{"text":"a"}'))
    assert not is_editable(covered(json.dumps({"text": "x" * PIECE * 21})))
    assert not is_editable(covered("{}"))
    assert not is_editable(covered('{"text":"a\\rb"}'))
