"""What buttons carry, and how numbers read."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.listeners.values import BadValue, ButtonValue
from bot.render import amounts
from runtime.session.ids import SessionKey

PART = st.text(st.characters(exclude_characters=":", exclude_categories=["Cs"]), min_size=1, max_size=40)


@given(PART, PART, PART, st.text(max_size=60), st.text(max_size=60))
def test_a_value_comes_back_as_it_was_packed(team: str, channel: str, ts: str, about: str, choice: str) -> None:
    """Whatever characters its parts have."""
    value = ButtonValue(session=SessionKey(team=team, channel=channel, thread_ts=ts), about=about, choice=choice)
    assert ButtonValue.parse(value.pack()) == value


def test_a_value_too_long_for_slack_is_refused_when_it_is_packed() -> None:
    """Slack would refuse the whole message."""
    with pytest.raises(ValueError, match="does not fit"):
        ButtonValue(session=SessionKey(team="T", channel="C", thread_ts="1"), about="x" * 2000).pack()


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "yes", "[1]", "{}", '[2,"T:C:1","a",""]', '[1,"T:C","a",""]', '[1,"T:C:1",7,""]', '"abcd"',
        '["1","T:C:1","a",""]', '[1,"T:C:1","a","","more"]', "[" * 10_000,
    ],
)  # fmt: skip
def test_a_value_that_is_not_ours_is_refused(text: str) -> None:
    """It may come from another app or an older version."""
    with pytest.raises(BadValue):
        ButtonValue.parse(text)


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, "0s"), (8_400, "8s"), (59_600, "1m 00s"), (102_000, "1m 42s"), (7_500_000, "2h 05m"), (-5, "0s")],
)
def test_durations_read_as_people_say_them(milliseconds: int, words: str) -> None:
    """Seconds, minutes or hours."""
    assert amounts.duration(milliseconds) == words


@pytest.mark.parametrize(
    ("micros", "words"),
    [(0, "$0.00"), (1, "<$0.01"), (9_999, "<$0.01"), (80_000, "$0.08"), (1_234_500_000, "$1,234.50")],
)
def test_money_is_dollars_and_cents(micros: int, words: str) -> None:
    """A fraction of a cent is said to be one."""
    assert amounts.money(micros) == words


def test_counts_and_sizes() -> None:
    """One is singular; thousands are shortened."""
    assert amounts.counted(1, "step") == "1 step"
    assert amounts.counted(4, "step") == "4 steps"
    assert amounts.tokens(940) == "940 tokens"
    assert amounts.tokens(18_240) == "18.2k tokens"
    assert amounts.tokens(999_949) == "999.9k tokens"
    assert amounts.tokens(2_100_000) == "2.1M tokens"
    assert amounts.size(999) == "999 B"
    assert amounts.size(20_000_000) == "20.0 MB"


@given(st.integers(1, 10**7))
def test_a_span_is_never_empty(seconds: int) -> None:
    """Every setting can be said."""
    assert amounts.span(timedelta(seconds=seconds))
