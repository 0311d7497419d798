"""Import one file of orders: keep the rows that can be read, name the ones that cannot.

Usage: python import_orders.py data/nightly_2026-11-29.csv
"""

import csv
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

DATE_FORMAT = "%Y-%m-%d"


@dataclass(frozen=True)
class Order:
    """One order as the warehouse wants it."""

    order_id: str
    day: date
    shop: str
    product: str
    quantity: int
    total: Decimal


@dataclass(frozen=True)
class Dropped:
    """A row that was left out, and why."""

    line: int
    order_id: str
    reason: str


def parse_date(text: str) -> date:
    """Read a day; a form nobody knows is an error."""
    return datetime.strptime(text.strip(), DATE_FORMAT).date()


def parse_order(row: dict[str, str]) -> Order:
    """Read one row; anything unreadable is a ValueError."""
    try:
        total = Decimal(row["total"])
    except InvalidOperation:
        raise ValueError(f"no amount: {row['total']!r}") from None
    quantity = int(row["quantity"])
    if quantity < 1:
        raise ValueError(f"quantity below one: {quantity}")
    return Order(row["order_id"], parse_date(row["date"]), row["shop"], row["product"], quantity, total)


def read_orders(lines: Iterable[str]) -> tuple[list[Order], list[Dropped]]:
    """Read a whole file: the orders, and the rows left out."""
    orders: list[Order] = []
    dropped: list[Dropped] = []
    seen: set[str] = set()
    for line, row in enumerate(csv.DictReader(lines), start=2):
        order_id = row["order_id"]
        if order_id in seen:
            dropped.append(Dropped(line, order_id, "order id repeated"))
            continue
        try:
            orders.append(parse_order(row))
        except ValueError as error:
            dropped.append(Dropped(line, order_id, str(error)))
            continue
        seen.add(order_id)
    return orders, dropped


def main(path: Path) -> int:
    """Import one file and report what happened."""
    with path.open(newline="", encoding="utf-8") as lines:
        orders, dropped = read_orders(lines)
    for row in dropped:
        print(f"WARNING line {row.line}: order {row.order_id} dropped: {row.reason}")
    print(f"INFO {path.name}: {len(orders)} kept, {len(dropped)} dropped")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
