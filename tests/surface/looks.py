"""Surfaces that are no cards (those are in `tests.people`), as values: for pictures and for Slack's judgement."""

from collections.abc import Mapping

from bot import texts_plan, texts_schedule, texts_surface
from bot.delivery.outbox import Post, wanted
from bot.home import cards, schedules
from bot.home.overview import Overview, Task
from bot.home.usage import Usage
from bot.listeners.forgetting import looking, thread_modal
from bot.listeners.modals import notice_modal
from bot.listeners.plans import plan_modal
from bot.listeners.scheduling import done
from bot.listeners.scheduling import form as schedule_form
from bot.listeners.shortcuts import ask_modal
from bot.listeners.values import ButtonValue
from bot.render.content import Content
from bot.render.limits import MESSAGE_BLOCKS, Block
from runtime.budget.values import Used
from runtime.schedule.records import Schedule
from runtime.session.events import (
    AnyEvent,
    CallFinished,
    CallStatus,
    LimitReached,
    ModelAway,
    NoteCode,
    RunNoted,
    RunOutcome,
)
from runtime.session.ids import SessionKey
from runtime.session.mind_events import AnswerChecked, Check
from runtime.session.state import RunState, SessionState
from tests.people.cards import BASE, LONG
from tests.session.story import NOON, asked, finished, ran, replied, requested, said, started, told
from tools.base import ProducedFile
from tools.plan import Plan, PlanStep, StepStatus

KEY = SessionKey.parse("T0LOCAL:C0DATA:1700000000.000100")
VALUE = ButtonValue(session=KEY, about="a1")
QUESTION = "Why did last night's import drop rows?"
STATUSES = (
    ("Read the import log", StepStatus.COMPLETED, "logs/nightly.log, 1,204 lines"),
    ("Compare the date formats in orders.csv", StepStatus.FAILED, "the file is not UTF-8"),
    ("Read it as Latin-1 and compare again", StepStatus.IN_PROGRESS, ""),
    ("Fix the parser and run the tests", StepStatus.PENDING, ""),
    ("Ask the shop in Hamburg", StepStatus.SKIPPED, "not needed any more"),
    ("Propose the change", StepStatus.BLOCKED, "U0BEN did not allow it"),
)
PLAN = Plan(
    title="Find out why the nightly import dropped rows",
    steps=tuple(PlanStep(title=title, status=status, note=note) for title, status, note in STATUSES),
)
TABLE = (
    "The nightly import meets **two date formats**; rows with `DD.MM.YYYY` were dropped.\n\n"
    "| Store | Rows | Dropped | Share |\n|:--|--:|--:|--:|\n| Berlin | 4,120 | 301 | 7.3 % |\n"
    "| Hamburg | 3,300 | 11 | 0.3 % |\n\n## What I changed\n\n1. Both formats are read\n"
    "2. An unknown one is an *error*\n"
    "   - with the line\n   - and the file\n\n```python\nfor form in FORMATS:\n    print(form)\n```\n\n"
    "> Nothing is lost for good.\n\nSources: `logs/nightly.log`, https://docs.example.org/dates"
)


def planned(plan: Plan = PLAN, call_id: str = "r1.1.0") -> CallFinished:
    """The plan as it stands."""
    return CallFinished(run_id="r1", call_id=call_id, status=CallStatus.OK, output="ok", plan=plan)


def failed(call_id: str) -> tuple[AnyEvent, ...]:
    """A call that went wrong."""
    begun, ended = ran(call_id, "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xfc", CallStatus.ERROR)
    return begun, ended


def of(*events: AnyEvent, op: str = "answer", verbosity: str = "all") -> tuple[Content, ...]:
    """The messages of a story whose operation ids begin so."""
    posts = [item for item in wanted(KEY, told(*events), verbosity) if isinstance(item, Post)]
    return tuple(post.content for post in posts if post.op.startswith(op))


def answered(text: str, *events: AnyEvent, detail: str = "") -> tuple[Content, ...]:
    """An answer."""
    end = finished(answer=text).model_copy(update={"detail": detail})
    return of(said(QUESTION), started(), *events, replied(step=2), end)


def ended(outcome: RunOutcome, detail: str = "") -> tuple[Content, ...]:
    """A last word of ours."""
    end = finished(outcome, "").model_copy(update={"detail": detail, "by": "U0ANA"})
    return of(said(QUESTION), started(), replied("planning"), planned(), end)


FILES = (
    CallFinished(
        run_id="r1",
        call_id="r1.1.0",
        status=CallStatus.OK,
        output="ok",
        files=(ProducedFile(path="out/dropped.csv"), ProducedFile(path="out/share.png")),
    ),
)
PAGE = CallFinished(
    run_id="r1", call_id="r1.1.0", status=CallStatus.OK, output="https://docs.example.org/dates (200, text/html)"
)
VERDICT = AnswerChecked(
    run_id="r1",
    attempt=1,
    passed=True,
    checks=(
        Check(name="files", passed=True, evidence="out/dropped.csv: 1204 bytes"),
        Check(name="judge", passed=True, evidence=LONG),
    ),
)
WORKING = (said(QUESTION), started(), replied("planning"), planned())
LIMIT = LimitReached(
    run_id="r1", limit_id="l1", scope="person", what="usd", used=20_000_000, limit=20_000_000, adds=5_000_000,
    approvers=("U0BEN",), expires_at_ms=NOON + 3_600_000,
)  # fmt: skip
AWAY = ModelAway(run_id="r1", away_id="w1", code="model_busy", since_ms=NOON, tries=1, until_ms=NOON + 60_000)
NEAR = {"scope": "run", "what": "usd", "used": "2100000", "limit": "2500000"}
BASH = replied("bash", "bash", step=2, text="Compare the date formats")
MESSAGES: Mapping[str, tuple[Content, ...]] = {
    "begun": of(said(QUESTION), started(), op="plan"),
    "plan": of(*WORKING, op="plan"),
    "plan, quiet": of(*WORKING, op="plan", verbosity="quiet"),
    "plan, waits": of(*WORKING, replied("ask_human", step=2), asked("r1.2.0"), op="plan"),
    "plan, over": of(*WORKING, finished(), op="plan"),
    "step": of(*WORKING, BASH, *ran("r1.2.0", "312 of 9,880 rows"), *failed("r1.2.1"), op="step"),
    "step, many calls": of(
        said(QUESTION), started(), replied(*["bash"] * 12), *(e for n in range(12) for e in ran(f"r1.1.{n}")), op="step"
    ),
    "note": of(*WORKING, RunNoted(run_id="r1", note_id="n1", code=NoteCode.NEAR, about=NEAR), op="note"),
    "limit": of(*WORKING, LIMIT, op="l:"),
    "away": of(*WORKING, AWAY, op="away"),
    "answer": answered("Rows of 29 November have a date that the parser does not know."),
    "answer, table and code": answered(TABLE),
    "answer, files": answered("The chart is above.", replied("bash"), *FILES),
    "answer, sources": answered("Both formats are usual.", replied("web_fetch"), PAGE),
    "answer, caveat": answered("All fine.", detail="unproven:tests were not run"),
    "answer, checked": of(said(QUESTION), started(), replied(step=2), VERDICT, finished(answer="All is there.")),
    "stopped": ended(RunOutcome.STOPPED),
    "failed": ended(RunOutcome.FAILED, "model_quota"),
    "at a limit": ended(RunOutcome.LIMIT, "usd"),
}


def run_of(state: SessionState) -> RunState:
    """Its newest run."""
    assert state.run is not None
    return state.run


def schedule(number: int, **more: object) -> Schedule:
    """One of Ana's."""
    whole = {
        "id": f"s{number}f3a9", "owner": "U0ANA", "team": "T0LOCAL", "channel": "C0DATA", "target": "channel",
        "prompt": "look at last night's import", "kind": "cron", "spec": "0 9 * * 1-5", "zone": "Europe/Berlin",
        "created_ms": NOON, **more,
    }  # fmt: skip
    return Schedule.model_validate(whole)


PLANNED = (
    schedule(1),
    schedule(2, paused=True, why_paused="place"),
    schedule(3, target="dm", kind="interval", spec="2h"),
)


def task(title: str, *events: AnyEvent) -> Task:
    """A run under way."""
    key = SessionKey.parse(f"T0LOCAL:C0DATA:17000000{len(title):02}.000100")
    return Task(key=key, run=run_of(told(*events)), title=title)


MINE = (
    task(QUESTION, *WORKING),
    task("Count the orders of each shop", said("count"), started(), replied("bash"), requested("U0BEN")),
)
WAITING = (
    task("Set the day of the orders", said("go"), started(), replied("bash"), BASE),
    task("Tidy up", said("go"), started(), replied("bash"), BASE.model_copy(update={"body": LONG})),
    task("Move the import", said("go"), started(), replied("ask_human"), asked("r1.1.0", "nightly", "hourly")),
    task("Read all mails", said("go"), started(), LIMIT),
)
USAGE = Usage(
    person=Used(name="person", input=182_300, micros=1_240_000), person_limit=20_000_000,
    workspace=Used(name="workspace", input=2_100_000, micros=31_900_000), workspace_limit=None,
)  # fmt: skip
NOBODY = Usage(person=Used(name="nobody"), person_limit=None, workspace=Used(name="nobody"), workspace_limit=None)


def homes(facts: Mapping[str, str]) -> Mapping[str, Block]:
    """App Home with nothing in it, and full."""
    empty = cards.home(
        Overview(mine=(), waiting=()), NOBODY, facts, "T0LOCAL", "U0ANA", tuple(schedules.listing((), NOON))
    )
    full = Overview(mine=MINE, waiting=WAITING)
    listed = tuple(schedules.listing(PLANNED, NOON))
    return {"empty": empty, "full": cards.home(full, USAGE, facts, "T0LOCAL", "U0ANA", listed)}


def modals() -> Mapping[str, Block]:
    """Every form and window but those of `tests.people.forms`."""
    plan_form = plan_modal(VALUE, run_of(told(*WORKING)))
    assert plan_form is not None
    return {
        "plan": plan_form,
        "no-form": notice_modal(texts_plan.NO_FORM),
        "ask": ask_modal(KEY, "1.1"),
        "schedule": schedule_form(PLANNED[0], NOON),
        "scheduled": done(texts_schedule.kept(PLANNED[0], NOON)),
        "looking": looking(),
        "threads": thread_modal([told(said(QUESTION), started(), finished())]),
    }


def replies(facts: Mapping[str, str]) -> Mapping[str, tuple[str, tuple[Block, ...]]]:
    """What the command answers."""
    shown = tuple(cards.to_read(cards.status(Overview(mine=MINE, waiting=WAITING), MESSAGE_BLOCKS)))
    listed = [texts_schedule.listed(one, NOON) for one in PLANNED]
    return {
        "help": (texts_surface.HELP.format(reaction="robot_face"), ()),
        "status": (texts_surface.HOME_RUNNING, shown),
        "usage": ("Usage", (cards.usage_lines(USAGE),)),
        "settings": (texts_surface.settings_lines(facts), ()),
        "schedules": ("\n\n".join([*listed, texts_schedule.HOW]), ()),
        "fly": (texts_surface.unknown_command("fly"), ()),
        "stop": (texts_surface.STOPPING_NONE, ()),
    }
