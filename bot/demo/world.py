"""The sample world of the demo: files of a small coffee company, partly kept here, partly computed.

Computed files come out the same on every machine: the numbers are drawn from a fixed seed.
"""

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent / "sample"
NIGHT = date(2026, 11, 29)
NIGHTLY_ROWS = 2000
NIGHTLY_DAY_FIRST = 312
HOURLY_ROWS = 180
HOURLY_REPEATED = 7
PRODUCTS = {"Espresso": 280, "Flat white": 420, "Filter of the day": 340, "Cold brew": 460, "Iced tea": 390}
"""Prices in cents."""
SHOPS = ("Pier 1", "Old Dock", "Ferry Hall", "Lighthouse")
ORDER_HEADER = "order_id,date,shop,product,quantity,total"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Where the sample directories stand."""

    etl: Path
    shop: Path


def build_world(root: Path) -> World:
    """Write every sample file below `root`, leaving alone what already has the right bytes.

    Files of the same names that were changed (by an earlier demo, say) are restored; other files stay.
    """
    world = World(etl=root / "etl", shop=root / "shop")
    for source in sorted(path for path in SAMPLE.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        put(root / source.relative_to(SAMPLE), source.read_bytes())
    nightly, hourly = nightly_orders(), hourly_orders()
    put_lines(world.etl / "data" / f"nightly_{NIGHT}.csv", nightly)
    put_lines(world.etl / "data" / f"hourly_{NIGHT + timedelta(days=1)}T09.csv", hourly)
    put_lines(world.etl / "logs" / "import.log", import_log(nightly, hourly))
    put_lines(world.shop / "sales.csv", sales())
    put_lines(world.shop / "server.log", server_log())
    return world


def remove_world(root: Path) -> None:
    """Take the sample directories away again."""
    shutil.rmtree(root, ignore_errors=True)


def put(path: Path, content: bytes) -> None:
    """Write a file unless it already holds these bytes."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def put_lines(path: Path, lines: list[str]) -> None:
    """Write lines, each ended."""
    put(path, "".join(f"{line}\n" for line in lines).encode())


def order(draw: random.Random, number: int, day: str) -> str:
    """One row of an order file."""
    product = draw.choice(list(PRODUCTS))
    quantity = draw.choice((1, 1, 1, 2, 2, 3))
    cents = PRODUCTS[product] * quantity
    return f"{number},{day},{draw.choice(SHOPS)},{product},{quantity},{cents // 100}.{cents % 100:02d}"


def nightly_orders() -> list[str]:
    """The file of the night: some tills write the day first."""
    draw = random.Random(29)  # noqa: S311 - sample data, not a secret
    day_first = set(draw.sample(range(NIGHTLY_ROWS), NIGHTLY_DAY_FIRST))
    rows = [
        order(draw, 100_001 + index, f"{NIGHT:%d.%m.%Y}" if index in day_first else f"{NIGHT:%Y-%m-%d}")
        for index in range(NIGHTLY_ROWS)
    ]
    return [ORDER_HEADER, *rows]


def hourly_orders() -> list[str]:
    """The file of an hour: the web shop sent a few rows twice."""
    draw = random.Random(9)  # noqa: S311
    fresh = HOURLY_ROWS - HOURLY_REPEATED
    rows = [order(draw, 200_001 + index, f"{NIGHT + timedelta(days=1)}") for index in range(fresh)]
    for place in sorted(draw.sample(range(40, fresh), HOURLY_REPEATED), reverse=True):
        rows.insert(place, rows[place - draw.randint(1, 30)])
    return [ORDER_HEADER, *rows]


def import_log(nightly: list[str], hourly: list[str]) -> list[str]:
    """What the script wrote when it imported the two files."""
    return [
        *logged("nightly", f"nightly_{NIGHT}.csv", nightly, datetime.fromisoformat("2026-11-30T02:00:00")),
        *logged(
            "hourly",
            f"hourly_{NIGHT + timedelta(days=1)}T09.csv",
            hourly,
            datetime.fromisoformat("2026-11-30T10:00:00"),
        ),
    ]


def logged(name: str, file_name: str, lines: list[str], start: datetime) -> Iterator[str]:
    """The log of one import."""
    yield f"{start} INFO [{name}] reading {file_name}"
    seen: set[str] = set()
    dropped = 0
    for number, line in enumerate(lines[1:], start=2):
        order_id, day = line.split(",")[:2]
        at = start + timedelta(seconds=1 + number // 400)
        if order_id in seen:
            dropped += 1
            yield f"{at} WARNING [{name}] line {number}: order {order_id} dropped: order id repeated"
        elif "." in day:
            dropped += 1
            reason = f"time data '{day}' does not match format '%Y-%m-%d'"
            yield f"{at} WARNING [{name}] line {number}: order {order_id} dropped: {reason}"
        seen.add(order_id)
    kept = len(lines) - 1 - dropped
    yield f"{start + timedelta(seconds=8)} INFO [{name}] {file_name}: {kept} kept, {dropped} dropped"


def sales() -> list[str]:
    """Sales of the year: every third day, each shop, one line a product."""
    draw = random.Random(2026)  # noqa: S311
    lines = ["date,shop,product,quantity,revenue"]
    for offset in range(0, 334, 3):
        day = date(2026, 1, 1) + timedelta(days=offset)
        for product, cents in PRODUCTS.items():
            cold = product in {"Cold brew", "Iced tea"}
            summer = 1.6 if cold and 5 <= day.month <= 9 else 0.7 if cold else 1.0
            quantity = round(draw.randint(18, 60) * summer)
            revenue = quantity * cents
            shop = draw.choice(SHOPS)
            lines.append(f"{day},{shop},{product},{quantity},{revenue // 100}.{revenue % 100:02d}")
    return lines


def server_log() -> list[str]:
    """A day of the web shop: mostly well, with one bad hour."""
    draw = random.Random(404)  # noqa: S311
    paths = ("/", "/menu", "/order", "/order/confirm", "/static/site.css", "/api/stock")
    at = datetime.fromisoformat("2026-11-29T06:00:00")
    lines: list[str] = []
    for _ in range(420):
        at += timedelta(seconds=draw.randint(40, 220))
        path = draw.choice(paths)
        bad = at.hour == 14 and path.startswith("/order") and draw.random() < 0.7
        status = 503 if bad else draw.choice((200,) * 18 + (304, 404))
        milliseconds = draw.randint(900, 4000) if bad else draw.randint(4, 160)
        lines.append(f"{at.isoformat()} GET {path} {status} {milliseconds}ms")
    return lines
