"""The last word says what stands behind it."""

import pytest

from bot.render import answer
from runtime.session.events import CallFinished, CallStatus, RunFinished, RunOutcome
from tests.session.story import replied, said, started, told
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


def test_a_proved_answer_carries_no_caveat() -> None:
    """Only the footer stands below it."""
    run = told(said("go"), started(), RunFinished(run_id="r1", outcome=RunOutcome.ANSWERED, answer="Done.")).run
    assert run is not None
    assert len(answer.render(run)[-1].blocks[-1]["elements"]) == 1
