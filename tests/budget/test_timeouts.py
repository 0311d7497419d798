"""Every timeout has a default, a setting, and a message that names the limit and the next step."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot import texts, texts_budget, texts_people
from runtime.budget.limits import run_limits
from runtime.session.events import LimitReached, ModelAway, RunOutcome
from runtime.session.state import RunState
from runtime.settings import RunBudget, Settings
from runtime.settings_file import parse_settings

RUN = RunState(
    run_id="r1",
    requester="U1",
    request_ts="1.0",
    agent="manus",
    model="m",
    scripted=False,
    limits=run_limits(RunBudget()),
    started_at_ms=0,
    outcome=RunOutcome.LIMIT,
)


def away(code: str) -> str:
    """What a thread says of a model that is away."""
    event = ModelAway(run_id="r1", away_id="a", code=code, since_ms=0, tries=1, until_ms=1)
    return texts_budget.model_away(event, is_over=False, is_active=True)


def reached() -> str:
    """The card at the end of the working time."""
    event = LimitReached(
        run_id="r1", limit_id="l", what="wall", used=1, limit=1_800_000, adds=1, approvers=(), expires_at_ms=1
    )
    return texts_budget.limit_card(event, "")


def limit_wait() -> str:
    """What that card says of its own end."""
    event = LimitReached(run_id="r1", limit_id="l", what="wall", used=1, limit=1, adds=1, approvers=(), expires_at_ms=1)
    return texts_budget.limit_wait(event)


TABLE = [
    ("model_silence", "120s", away("model_silent"), "timeouts.model_silence", "I try again by myself"),
    ("model", "600s", away("model_slow"), "timeouts.model)", "I try again by myself"),
    ("outage", "2h", texts.FAILURES["model_unreachable"], "model", "eply here"),
    ("step", "20m", texts_budget.reached(replace(RUN, detail="step:step:1200000")), "timeouts.step", "Reply here"),
    ("question", "72h", texts.last_word(replace(RUN, outcome=RunOutcome.EXPIRED)), "timeouts.question", "Reply in"),
    ("question", "72h", texts_people.unanswered("default", "Summer"), "timeouts.question", "A late answer"),
    ("approval", "24h", texts.verdict_line("expired", "", ""), "timeouts.approval", "Ask me again"),
    ("limit", "24h", limit_wait(), "the deadline", "I end here with what I have"),
    ("idle", "7d", texts_budget.parked(7), "timeouts.idle", "Mention me"),
]


@pytest.mark.parametrize(("setting", "default", "words", "limit", "next_step"), TABLE)
def test_a_timeout_names_its_limit_and_the_next_step(
    setting: str, default: str, words: str, limit: str, next_step: str
) -> None:
    """The setting has the default that is documented, can be changed, and is what the message names."""
    documented = parse_settings(f'[timeouts]\n{setting} = "{default}"\n')
    assert getattr(documented.timeouts, setting) == getattr(Settings().timeouts, setting)
    changed = parse_settings(f'[timeouts]\n{setting} = "77s"\n')
    assert getattr(changed.timeouts, setting) == timedelta(seconds=77)
    assert limit in words
    assert next_step in words


def test_working_time_has_a_card_and_a_last_word() -> None:
    """It is a limit of the run's budget: 30 minutes, by `budget.run.wall`."""
    assert Settings().budget.run.wall == timedelta(minutes=30)
    assert "limit of 30m 00s of working time" in reached()
    assert "Add more, or end here?" in reached()
    assert "Reply here to go on" in texts_budget.reached(replace(RUN, detail="wall"))
