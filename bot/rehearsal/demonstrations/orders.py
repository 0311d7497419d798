"""Why the import dropped rows: log, question, chart, fix, tests, and a proposal that somebody else approves."""

import re
from dataclasses import dataclass

from bot.rehearsal.script import (
    Demonstration,
    Ending,
    Result,
    Script,
    Turn,
    ask,
    bash,
    mark,
    plan,
    publish,
    python,
    replace,
)

CHOICES = ("Nightly", "Hourly")
COUNT = """\
count() { grep -c "WARNING .$1." etl/logs/import.log; }
echo "nightly_dropped=$(count nightly) hourly_dropped=$(count hourly)"
tail -n 3 etl/logs/import.log
"""
ANALYSIS = """\
import csv, re, sys
from collections import Counter
from pathlib import Path

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

sys.dont_write_bytecode = True
sys.path.insert(0, "etl")
from import_orders import read_orders

path = sorted(Path("etl/data").glob("NAME_*.csv"))[-1]
lines = path.read_text().splitlines()
_, dropped = read_orders(lines)
rows = list(csv.DictReader(lines))
gone = {row.line for row in dropped}
repeated = sum("repeated" in row.reason for row in dropped)

kept, lost = Counter(), Counter()
for line, row in enumerate(rows, start=2):
    shape = "DD.MM.YYYY" if re.fullmatch(r"[0-9]{2}[.][0-9]{2}[.][0-9]{4}", row["date"]) else (
        "YYYY-MM-DD" if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", row["date"]) else "other")
    (lost if line in gone else kept)[shape] += 1

shapes = sorted({*kept, *lost})
figure, axes = plt.subplots(figsize=(7, 3.8), dpi=120)
axes.bar(shapes, [kept[shape] for shape in shapes], label="kept", color="#2f7f79")
axes.bar(shapes, [lost[shape] for shape in shapes], bottom=[kept[shape] for shape in shapes], label="dropped",
         color="#e0704f")
tallest = max(kept[shape] + lost[shape] for shape in shapes)
for place, shape in enumerate(shapes):
    words = f"{lost[shape]} dropped" if lost[shape] else f"{kept[shape]} kept"
    axes.text(place, kept[shape] + lost[shape] + tallest * 0.02, words, ha="center", va="bottom")
axes.set_ylim(0, tallest * 1.18)
axes.set_title(f"{path.name}: rows by date format")
axes.set_ylabel("rows")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.savefig("dropped_by_date_format.png")
print(f"{len(dropped)} of {len(rows)} rows dropped")
print(f"rows={len(rows)}")
print(f"dropped={len(dropped)}")
print(f"repeated={repeated}")
print(f"day_first={lost['DD.MM.YYYY']}")
print(f"date_formats={len(shapes)}")
"""
OLD_CONSTANT = 'DATE_FORMAT = "%Y-%m-%d"\n'
NEW_CONSTANT = 'DATE_FORMATS = ("%Y-%m-%d", "%d.%m.%Y")\n'
OLD_READ = "    return datetime.strptime(text.strip(), DATE_FORMAT).date()\n"
NEW_READ = """\
    day = text.strip()
    for known in DATE_FORMATS:
        try:
            return datetime.strptime(day, known).date()
        except ValueError:
            continue
    raise ValueError(f"unknown date: {day!r}")
"""
OLD_README = "Dates are written as `2026-11-29`.\n"
NEW_README = "Dates are written as `2026-11-29` or `29.11.2026`.\n"
TESTS = "(cd etl && python3 -B -m unittest discover -s tests) 2>&1"


@dataclass(frozen=True, slots=True)
class Tests:
    """What the test run printed, counted."""

    ran: int
    bad: int

    @property
    def passed(self) -> int:
        """Tests that passed."""
        return self.ran - self.bad


def tests_of(result: Result) -> Tests:
    """Count the tests of a run; a run without a count has none."""
    ran = re.search(r"Ran (\d+) tests?", result.text)
    bad = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", result.text))
    return Tests(int(ran[1]) if ran else 0, bad)


def perform() -> Script:
    """The whole demonstration."""
    yield Turn(
        (
            plan(
                "Why the import dropped rows",
                "Read the import log",
                "Find the cause",
                "Fix the script",
                "Run the tests and propose the change",
            ),
        )
    )
    _, log = yield Turn((mark(0, "in_progress"), bash(COUNT)), "I'll start with the import log.")
    nightly, hourly = log.number("nightly_dropped"), log.number("hourly_dropped")
    yield Turn((mark(0, "completed", f"nightly dropped {nightly} rows, hourly {hourly}"),))
    (answer,) = yield Turn((ask("Which import: nightly or hourly?", CHOICES),))
    name = "hourly" if answer.choice(CHOICES) == "Hourly" else "nightly"
    _, found = yield Turn((mark(1, "in_progress"), python(ANALYSIS.replace("NAME", name))))
    if found.number("day_first") == 0:
        return (yield from nothing_to_fix(name, found))
    return (yield from fix(name, found))


def in_words(number: int) -> str:
    """Small numbers as words."""
    return {1: "one", 2: "two", 3: "three"}.get(number, str(number))


def nothing_to_fix(name: str, found: Result) -> Script:
    """The rows were dropped for a good reason, or none were: say so and change nothing."""
    rows, dropped, repeated = found.number("rows"), found.number("dropped"), found.number("repeated")
    yield Turn(
        (
            mark(1, "completed", f"{dropped} of {rows} rows dropped, {repeated} of them repeated"),
            mark(2, "skipped", "no date was the cause"),
            mark(3, "skipped", "nothing to propose"),
        )
    )
    if dropped == 0:
        return Ending(f"No rows dropped: all {rows} rows of the {name} file are read. Nothing changed.")
    if dropped > repeated:
        return Ending(f"{dropped} of {rows} rows of the {name} file dropped, {dropped - repeated} for other reasons.")
    return Ending(
        f"{dropped} of {rows} rows dropped: every one repeats an order id, so the import was right. "
        "Nothing changed.\n\n"
        f"The chart shows the {name} rows by date format; the dates play no part here."
    )


def fix(name: str, found: Result) -> Script:
    """Teach the script the second date format, test, and propose the change."""
    rows, dropped, day_first = found.number("rows"), found.number("dropped"), found.number("day_first")
    headline = f"{dropped} rows dropped: {in_words(found.number('date_formats'))} date formats"
    edits = yield Turn(
        (
            mark(1, "completed", f"{day_first} dropped rows write the day first"),
            mark(2, "in_progress"),
            replace("etl/import_orders.py", OLD_CONSTANT, NEW_CONSTANT),
            replace("etl/import_orders.py", OLD_READ, NEW_READ),
            replace("etl/README.md", OLD_README, NEW_README),
        ),
        f"{day_first} of the {dropped} dropped rows write the date as 29.11.2026; the script only knows 2026-11-29.",
    )
    refused = [edit for edit in edits[2:] if edit.failed]
    if refused:
        return (yield from give_up(2, f"{headline}. The edit failed", refused[0]))
    _, _, run = yield Turn((mark(2, "completed"), mark(3, "in_progress"), bash(TESTS)))
    tests = tests_of(run)
    if tests.ran == 0 or tests.bad:
        cause = f"{headline}. My fix passes only {tests.passed} of {tests.ran} tests"
        return (yield from give_up(3, cause, run))
    message = f"Read both date formats, so that {day_first} rows are imported again."
    (published,) = yield Turn((publish("etl", message),), f"{tests.passed} of {tests.ran} tests pass on my copy.")
    return (yield from conclude(headline, f"{day_first} of {rows} rows of the {name} file", tests, published))


def give_up(step: int, cause: str, result: Result) -> Script:
    """End with what is known, the original files untouched."""
    rest = tuple(mark(later, "skipped") for later in range(step + 1, 4))
    yield Turn((mark(step, "failed", result.first_line), *rest))
    return Ending(f"{cause}, and nothing was published.\n\n```\n{result.text[-1500:]}\n```", "failure")


def conclude(headline: str, share: str, tests: Tests, published: Result) -> Script:
    """The answer, depending on whether the change was taken."""
    passed = f"{tests.passed} of {tests.ran} tests pass"
    if published.failed:
        yield Turn((mark(3, "failed", published.first_line),))
        return Ending(
            f"{headline}. The fix is ready and {passed} on my copy, "
            f"but it was not published, so `etl/` is unchanged.\n\n> {published.first_line}"
        )
    yield Turn((mark(3, "completed"),))
    return Ending(
        f"{headline}. Fixed; {passed}.\n\n"
        f"- Cause: {share} write the date as `29.11.2026`; the script only read `2026-11-29`.\n"
        "- Change: `import_orders.py` reads both formats, and the README says so.\n"
        "- Next: import the file again to bring the missing rows in."
    )


ORDERS = Demonstration(
    key="orders",
    title="Why did last night's import drop rows?",
    pattern=r"import.*drop|drop.*(rows|import)|dropped rows",
    perform=perform,
    tools=frozenset({"planning", "bash", "ask_human", "python_execute", "str_replace_editor", "publish"}),
)
