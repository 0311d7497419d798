"""What an answer says of itself, told from its words: neither a cheerful denial nor honest words are misread."""

import pytest

from runtime.agent.claims import admits_failure, claimed_files, claims_work


@pytest.mark.parametrize(
    "answer",
    [
        "All tests pass, no errors.",
        "Everything works without problems.",
        "Done. No issues found.",
        "It is not a problem any more: all is well.",
        "None of the tests failed.",
        "12 passed, 0 failed.",
        "I did not see any errors.",
        "The build doesn’t fail any more.",
        "The import no longer fails.",
        "The run was error-free; no further steps, nothing else to do.",
    ],
)
def test_that_nothing_failed_is_no_admission(answer: str) -> None:
    """Words of failure under a negation say the opposite."""
    assert not admits_failure(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The tests failed.",
        "I couldn’t run it.",
        "10 errors are left.",
        "Not all problems are solved.",
        "There was no output because the program failed.",
        "The import no longer works.",
        "No errors in the first file; the second is missing.",
    ],
)
def test_that_something_failed_is_an_admission(answer: str) -> None:
    """However it is put, and beside what did not fail."""
    assert admits_failure(answer)


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ("I saved the rows to `report.csv`.", "report.csv"),
        ("`report.csv` has been created.", "report.csv"),
        ("The report (out/report.docx) was successfully written.", "out/report.docx"),
        ("Your report is ready at /workspace/out/report.csv.", "/workspace/out/report.csv"),
        ("I have put the rows into report.csv.", "report.csv"),
        ("I've now written everything to slides.pptx", "slides.pptx"),
        ("The chart is saved as share.png", "share.png"),
        ("I could not open it, so I wrote a note to why.txt.", "why.txt"),
    ],
)
def test_a_file_that_an_answer_says_was_made_is_found(answer: str, path: str) -> None:
    """In whichever order, with whichever path in the workspace."""
    assert list(claimed_files(answer)) == [path]


@pytest.mark.parametrize(
    "answer",
    [
        "I could not create report.csv.",
        "I was unable to write report.csv, and report.csv was not created.",
        "report.csv is not ready.",
        "Once report.csv is created, run the import.",
        "The dates stand in orders.csv.",
        "The rows were written to /srv/data/report.csv.",
        "See https://example.org/report.pdf for the rest.",
    ],
)
def test_a_file_that_was_not_made_or_stands_elsewhere_is_no_claim(answer: str) -> None:
    """What an answer denies, expects or only mentions is not looked for; nor what would stand outside the workspace."""
    assert not list(claimed_files(answer))


def test_without_a_deed_only_the_speaker_claims() -> None:
    """Advice about files is no claim of work."""
    assert list(claimed_files("I've saved it to a.csv.", by_speaker=True)) == ["a.csv"]
    advice = "Rows can be saved to a.csv. If you write b.csv, it is created as c.csv."
    assert not list(claimed_files(advice, by_speaker=True))


@pytest.mark.parametrize(
    "answer",
    [
        "Completed. All 12 boats are painted.",
        "**Done!**",
        "The task is now complete.",
        "Everything has been deployed.",
        "I've just fixed the parser.",
        "As you asked, I sent the letter.",
    ],
)
def test_words_of_work_done_are_a_claim(answer: str) -> None:
    """Without a call they have nothing behind them."""
    assert claims_work(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The tower was completed in 1889.",
        "Paris. It is the capital of France.",
        "Which file do you mean?",
        "I have not done anything yet.",
        "Done right, a backup is tested each month.",
        "You can say that it is finished when the tests pass.",
    ],
)
def test_a_plain_answer_is_no_claim_of_work(answer: str) -> None:
    """What is so, what is asked and what is denied stays free."""
    assert not claims_work(answer)
