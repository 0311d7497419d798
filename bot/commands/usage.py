"""`python -m bot usage`: what was used, by scope and day, as a table, CSV or JSON."""

import argparse
import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.assembly import open_store
from bot.commands.start import Start, run_command
from bot.render.amounts import money
from runtime.budget.ledger import Ledger
from runtime.budget.values import Used

KINDS = ("run", "thread", "person", "channel", "workspace")
COLUMNS: Sequence[str] = (
    "day",
    "scope",
    "name",
    "requests",
    "calls",
    "failed",
    "input",
    "cached",
    "output",
    "reasoning",
    "micros",
)
Row = dict[str, str | int]


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot usage", description="What was used, by scope and day.")
    parser.add_argument("--days", type=int, default=7, help="how many days back from today")
    parser.add_argument("--scope", choices=KINDS, action="append", help="only these; may be given several times")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    options = parser.parse_args(arguments)
    return run_command(lambda start: show(start, options.days, options.scope or KINDS, options.format))


async def show(start: Start, days: int, kinds: Sequence[str], form: str) -> int:
    """Print it."""
    today = datetime.now(ZoneInfo(start.settings.budget.timezone)).date()
    wanted = [(today - timedelta(days=back)).isoformat() for back in reversed(range(days))]
    async with open_store(start) as store:
        rows = [row for day in wanted for row in await rows_of(Ledger.beside(store), day, kinds)]
    print({"table": as_table, "csv": as_csv, "json": as_json}[form](rows), end="")
    return 0


async def rows_of(ledger: Ledger, day: str, kinds: Sequence[str]) -> list[Row]:
    """One day's scopes. Runs and threads stand on each day they were used on, with their whole use."""
    names = [name for name in await ledger.scopes_of(day) if name.partition("/")[0] in kinds]
    return [row(day, await ledger.used(name)) for name in names]


def row(day: str, used: Used) -> Row:
    """One line."""
    kind, _, rest = used.name.partition("/")
    values: Row = {"day": day, "scope": kind, "name": rest.removesuffix(f"/{day}")}
    counts = asdict(used)
    return values | {column: int(counts[column]) for column in COLUMNS[3:]}


def as_table(rows: Sequence[Row]) -> str:
    """For people: aligned columns, money in dollars."""
    if not rows:
        return "Nothing was used in these days.\n"
    head = (*COLUMNS[:-1], "money")
    lines = [head, *((*(str(line[column]) for column in COLUMNS[:-1]), money(int(line["micros"]))) for line in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    aligned = (
        "  ".join(
            aligned_cell(cell, width, place) for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    return "".join(f"{line.rstrip()}\n" for line in aligned)


def aligned_cell(cell: str, width: int, place: int) -> str:
    """Names to the left, numbers to the right."""
    return cell.ljust(width) if place < 3 else cell.rjust(width)


def as_csv(rows: Sequence[Row]) -> str:
    """For spreadsheets: money in micro-dollars."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(rows: Sequence[Row]) -> str:
    """For programs: money in micro-dollars, and when it was read."""
    body = {"read_at": datetime.now(UTC).isoformat(timespec="seconds"), "rows": list(rows)}
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
