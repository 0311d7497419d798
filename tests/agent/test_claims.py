"""What an answer says of itself, told from its words: neither a cheerful denial nor honest words are misread."""

import pytest

from runtime.agent.claims import admits_failure


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
