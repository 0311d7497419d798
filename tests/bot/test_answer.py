"""The last word says what stands behind it."""

import pytest

from bot import texts
from bot.delivery.outbox import Post, Upload, wanted
from bot.render import answer
from bot.render.limits import ANSWER_PARTS, MESSAGE_BLOCKS
from runtime.session.events import CallFinished, CallStatus, RunFinished, RunOutcome
from runtime.session.ids import SessionKey
from runtime.session.mind_events import AnswerChecked, Check, DoubtKind, ProgressDoubted
from runtime.session.state import RunState
from tests.session.story import SESSION, finished, ran, replied, said, started, told
from tools.base import ProducedFile


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ("unproven:the report is not in the workspace", "could be checked: the report is not in the workspace"),
        ("cut_off", "output limit cut this answer off"),
    ],
)
def test_an_answer_that_could_not_be_proved_or_was_cut_off_says_so(detail: str, words: str) -> None:
    """Nobody takes it for a plain success."""
    end = RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED, answer="Done.", detail=detail)
    run = told(said("go"), started(), end).run
    assert run is not None
    assert words in str(answer.render(run)[-1].blocks)


def test_the_last_message_names_the_files_it_comes_with() -> None:
    """So that it stands alone; each once, and not all of very many."""
    files = tuple(ProducedFile(path=f"out/{number}.csv") for number in range(10))
    done = CallFinished(run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="ok", files=(*files, files[0]))
    end = RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED, answer="Done.")
    run = told(said("go"), started(), replied("bash"), done, end).run
    assert run is not None
    words = str(answer.render(run)[-1].blocks[-1])
    assert "Files above: `0.csv`, `1.csv`" in words
    assert "and 2 more files" in words


def test_the_last_message_names_the_pages_that_were_read() -> None:
    """Those that the answer does not name itself; each once, without query, none that failed."""
    pages = [
        ("https://example.com/dates?token=1 (200, text/html)\n<page>", CallStatus.OK),
        ("https://example.com/dates (200, text/html)\n<page>", CallStatus.OK),
        ("https://example.com/gone (404, text/html)\n<page>", CallStatus.ERROR),
        ("https://example.com/told (200, text/html)\n<page>", CallStatus.OK),
        ("https://example.com/<!here> (200, text/html)\n<page>", CallStatus.OK),
    ]
    done = [
        CallFinished(run_id="r1", call_id=f"r1.1.{n}", status=status, output=output)
        for n, (output, status) in enumerate(pages)
    ]
    end = RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED, answer="As https://example.com/told says.")
    run = told(said("go"), started(), replied(*["web_fetch"] * len(pages)), *done, end).run
    assert run is not None
    (sources, _) = answer.render(run)[-1].blocks[-1]["elements"]
    assert sources["text"] == "Sources: https://example.com/dates , https://example.com/&lt;!here&gt;"


def verdict(*checks: Check, about: str = "") -> AnswerChecked:
    """A proposed end held against these."""
    passed = all(check.passed for check in checks)
    return AnswerChecked(run_id="r1", attempt=1, passed=passed, checks=checks, about=about)


FILE = Check(name="files", passed=True, evidence="<!here>.csv: 8 bytes")
OPEN = Check(name="plan", passed=False, evidence="still open: tell")
JUDGE = Check(name="judge", passed=True, evidence="counted (42 boats)")
LINES = Check(name="judge", passed=True, evidence="cp a b\n  cp c d\n")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (verdict(FILE, OPEN), "Checked by rules: &lt;!here&gt;.csv: 8 bytes"),
        (verdict(FILE, JUDGE), "Checked by rules and a model: &lt;!here&gt;.csv: 8 bytes; counted (42 boats)"),
        (verdict(JUDGE, about="s2"), "Last step checked by a model: counted (42 boats)"),
        (verdict(*[JUDGE] * 5), f"Checked by a model: {'; '.join(['counted (42 boats)'] * 4)}; 1 more"),
        (verdict(LINES), "Checked by a model: cp a b cp c d"),
        (verdict(OPEN), ""),
    ],
)
def test_the_last_message_says_what_was_checked_and_by_what(event: AnswerChecked, words: str) -> None:
    """What held of the newest verdict, in one line; none where nothing held."""
    run = told(said("go"), started(), replied("bash"), *ran(), replied(step=2), event, finished()).run
    assert run is not None
    footer = [element["text"] for element in answer.render(run)[-1].blocks[-1]["elements"]]
    assert footer[:-1] == [words] * bool(words)


@pytest.mark.parametrize("outcome", [RunOutcome.ANSWERED, RunOutcome.STOPPED])
def test_a_verdict_on_an_earlier_answer_is_not_shown_with_a_later_one(outcome: RunOutcome) -> None:
    """It says nothing about the words above it; neither about a run that was stopped."""
    later = [replied(step=2)] if outcome is RunOutcome.ANSWERED else []
    run = told(said("go"), started(), replied(), verdict(FILE), *later, finished(outcome)).run
    assert run is not None
    assert "Checked" not in str(answer.render(run))


def test_a_proved_answer_carries_no_caveat() -> None:
    """Only the footer stands below it."""
    run = told(said("go"), started(), RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED, answer="Done.")).run
    assert run is not None
    assert len(answer.render(run)[-1].blocks[-1]["elements"]) == 1


def ended_with(text: str) -> RunState:
    """A run with this answer."""
    run = told(said("go"), started(), RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED, answer=text)).run
    assert run is not None
    return run


def small_tables(number: int) -> str:
    """Short tables, each of which takes a message of its own."""
    return "\n\n".join(f"| a{n} | b |\n|---|---|\n| 1 | 2 |" for n in range(number))


def test_whatever_is_not_shown_whole_is_there_as_a_file() -> None:
    """A short answer in many messages as well: what says that the text is in the file comes with the file."""
    state = told(said("go"), started(), finished(RunOutcome.ANSWERED, small_tables(ANSWER_PARTS + 1)))
    items = wanted(SessionKey.parse(SESSION), state, "all")
    cut = [item for item in items if isinstance(item, Post) and texts.TOO_LONG_FOR_HERE in str(item.content.blocks)]
    files = [item for item in items if isinstance(item, Upload)]
    assert len(cut) == len(files) == 1
    assert files[0].text == small_tables(ANSWER_PARTS + 1)
    assert not answer.too_long(ended_with(small_tables(ANSWER_PARTS)))


def test_no_message_has_more_blocks_than_slack_takes() -> None:
    """Forty tables of too many columns become as many pieces of text, and more; none is left out."""
    wide = "\n\n".join(
        f"Table {n}\n\n|{'|'.join(f'h{c}' for c in range(21))}|\n|{'---|' * 21}\n|{'1|' * 21}\n" for n in range(40)
    )
    parts = answer.render(ended_with(wide))
    assert all(len(part.blocks) <= MESSAGE_BLOCKS - 5 for part in parts)
    assert len(parts) > 1
    shown = "".join(str(part.blocks) for part in parts)
    assert all(f"Table {n}" in shown for n in range(40))


def test_the_report_of_a_run_that_got_nowhere_pings_nobody() -> None:
    """What is quoted in it is foreign, and may be long."""
    doubted = ProgressDoubted(
        run_id="r1", doubt=DoubtKind.SAME_CALL, evidence="echo <!channel> " + "x" * 900, rung="stop", step=1
    )
    end = RunFinished(run_id="r1", outcome=RunOutcome.LIMIT, detail="stuck")
    done = CallFinished(run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="ok", brief="<@U0BEN> " + "y" * 900)
    run = told(said("go"), started(), replied("bash", text="@here " + "z" * 900), done, doubted, end).run
    assert run is not None
    (content,) = answer.render(run)
    assert "<!channel>" not in content.text
    assert "<@U0BEN>" not in content.text
    assert "@here" not in content.text
    assert len(content.text) < 1_200


def test_a_run_that_got_nowhere_without_any_result_says_that() -> None:
    """Words said over and over are the evidence and are not repeated."""
    doubted = ProgressDoubted(
        run_id="r1", doubt=DoubtKind.SAME_WORDS, evidence="said 4 times: I am sorry", rung="stop", step=1
    )
    end = RunFinished(run_id="r1", outcome=RunOutcome.LIMIT, detail="stuck")
    run = told(said("go"), started(), replied(text="I am sorry"), doubted, end).run
    assert run is not None
    (content,) = answer.render(run)
    assert content.text == (
        "Stopped, because I was not getting further: said 4 times: I am sorry. Nothing came back that I could use. "
        "Reply here with a hint, and I go on."
    )
