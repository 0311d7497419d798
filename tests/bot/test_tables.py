"""Tables of an answer: native where Slack can hold them, aligned text elsewhere; every cell once, headers repeated."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.plainer import forms
from bot.render import answer, tables
from bot.render.content import Content
from bot.render.limits import Block
from runtime.session.events import RunOutcome
from tests.bot import hostile
from tests.bot.judge import check_content
from tests.session.story import finished, said, started, told

CELLS = st.text(alphabet="abcdefghij 0123456789äé", min_size=1, max_size=30).map(str.strip).filter(bool)


def markdown_of(rows: list[list[str]]) -> str:
    """A table as a model writes it."""
    head, *body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join((head, "|" + "---|" * len(rows[0]), *body)) + "\n"


def contents(text: str) -> tuple[Content, ...]:
    """The messages of an answer."""
    run = told(said("go"), started(), finished(RunOutcome.ANSWERED, text)).run
    assert run is not None
    made = answer.render(run)
    for content in made:
        check_content(content, frozenset())
    return made


def tables_in(made: tuple[Content, ...]) -> list[Block]:
    """Every table block, in order."""
    return [block for content in made for block in content.blocks if block["type"] == "table"]


def words(block: Block) -> list[list[str]]:
    """The words of a table's cells."""
    return [[tables.cell_words(cell) for cell in row] for row in block["rows"]]


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=2, max_size=60)))
def test_every_cell_is_shown_once_in_its_place(rows: list[list[str]]) -> None:
    """However many messages it takes; each share stands under the header."""
    shown = [words(block) for block in tables_in(contents("Before.\n\n" + markdown_of(rows) + "\nAfter."))]
    assert all(share[0] == rows[0] for share in shown)
    assert [row for share in shown for row in share[1:]] == rows[1:]


def test_a_long_table_goes_on_in_the_next_message_under_its_header() -> None:
    """One table a message, since Slack takes no second one."""
    rows = [["id", "customer", "amount"], *([str(n), f"Customer {n}", f"{n}.00"] for n in range(400))]
    made = contents(markdown_of(rows))
    assert len(made) == len(tables_in(made)) > 1
    assert [int(row[0]) for share in tables_in(made) for row in words(share)[1:]] == list(range(400))


def test_two_small_tables_are_two_messages_with_the_text_between_them() -> None:
    """In the answer's order, the footer under the last one."""
    one, two = markdown_of([["a"], ["1"]]), markdown_of([["b"], ["2"]])
    made = contents(f"First:\n\n{one}\nSecond:\n\n{two}\nThat is all.")
    assert [[block["type"] for block in content.blocks] for content in made] == [
        ["markdown", "table", "markdown"],
        ["table", "markdown", "context"],
    ]


def test_alignment_and_marks_inside_of_cells_are_kept() -> None:
    """Bold, code, links and escaped bars; an empty cell has a dash, since Slack refuses one without text."""
    text = "| name | sum | note |\n|:--|--:|:-:|\n| **all** | `1 \\| 2` | |\n| x | https://example.com/a | a \\| b |\n"
    (table,) = tables_in(contents(text))
    assert [setting["align"] for setting in table["column_settings"]] == ["left", "right", "center"]
    bold: dict[str, Any] = table["rows"][1][0]["elements"][0]["elements"][0]
    assert bold == {"type": "text", "text": "all", "style": {"bold": True}}
    assert words(table)[1][2] == tables.EMPTY
    assert table["rows"][2][1]["elements"][0]["elements"] == [{"type": "link", "url": "https://example.com/a"}]
    assert words(table)[2][2] == "a | b"


def test_what_no_table_block_can_hold_is_text() -> None:
    """Too many columns in columns of equal width, each share under its header; a row that is too heavy in words."""
    wide = [[f"c{n}" for n in range(25)], *([str(n + r) for n in range(25)] for r in range(3))]
    made = contents(markdown_of(wide))
    assert not tables_in(made)
    told_of = "\n".join(str(block.get("text")) for content in made for block in content.blocks)
    assert all(cell in told_of for row in wide for cell in row)
    heavy = contents(markdown_of([["what", "why"], ["x", "because " * 900]]))
    assert not tables_in(heavy)
    assert sum(str(block.get("text")).count("because") for content in heavy for block in content.blocks) == 900


def test_bars_in_code_and_in_sentences_are_no_table() -> None:
    """Only a header with a delimiter of as many cells begins one."""
    assert not tables_in(contents("```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n"))
    assert not tables_in(contents("either a | or b\n\n|---|\n"))


def test_a_table_that_slack_refuses_is_told_in_words() -> None:
    """The plainer form holds every cell."""
    (made,) = contents(markdown_of([["id", "note"], ["17", "late"]]))
    _, plainer, *_ = forms(made)
    assert "17 | late" in str(plainer.blocks)


@given(st.lists(st.lists(hostile.short, min_size=3, max_size=3), min_size=2, max_size=8), hostile.short)
def test_hostile_cells_are_harmless(rows: list[list[str]], around: str) -> None:
    """Whatever stands in them, Slack takes the messages and nobody is pinged."""
    contents(around + "\n\n" + markdown_of(rows) + around)


def test_an_escaped_bar_in_code_is_a_bar() -> None:
    """A table has no other way to write one; what else is escaped in code is meant."""
    made = contents("| command | meaning |\n|---|---|\n| `a \\| b \\*` | **x\\|y** |\n")
    assert words(tables_in(made)[0])[1] == ["a | b \\*", "x|y"]
