"""What the import promises. Run: python -m unittest discover -s tests"""

import sys
import unittest
from datetime import date
from decimal import Decimal
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from import_orders import parse_date, parse_order, read_orders  # noqa: E402

HEADER = "order_id,date,shop,product,quantity,total\n"


def row(**changes: str) -> dict[str, str]:
    """A good row with some fields changed."""
    good = {
        "order_id": "100001",
        "date": "2026-11-29",
        "shop": "Pier 1",
        "product": "Espresso",
        "quantity": "2",
        "total": "5.60",
    }
    return {**good, **changes}


class ImportTest(unittest.TestCase):
    """One promise a test."""

    def test_a_row_becomes_an_order(self) -> None:
        order = parse_order(row())
        self.assertEqual((order.order_id, order.quantity, order.total), ("100001", 2, Decimal("5.60")))

    def test_an_iso_date_is_read(self) -> None:
        self.assertEqual(parse_date("2026-11-29"), date(2026, 11, 29))

    def test_a_day_first_date_is_read(self) -> None:
        self.assertEqual(parse_date("29.11.2026"), date(2026, 11, 29))

    def test_an_unknown_date_is_an_error(self) -> None:
        with self.assertRaises(ValueError):
            parse_date("last Sunday")

    def test_a_quantity_below_one_is_an_error(self) -> None:
        with self.assertRaises(ValueError):
            parse_order(row(quantity="0"))

    def test_an_amount_that_is_no_number_is_an_error(self) -> None:
        with self.assertRaises(ValueError):
            parse_order(row(total="free"))

    def test_a_repeated_order_is_kept_once(self) -> None:
        line = "100001,2026-11-29,Pier 1,Espresso,2,5.60\n"
        orders, dropped = read_orders([HEADER, line, line])
        self.assertEqual((len(orders), len(dropped)), (1, 1))

    def test_the_nightly_file_is_imported_whole(self) -> None:
        newest = sorted((PROJECT / "data").glob("nightly_*.csv"))[-1]
        with newest.open(newline="", encoding="utf-8") as lines:
            _, dropped = read_orders(lines)
        self.assertEqual(len(dropped), 0, f"{len(dropped)} rows dropped")


if __name__ == "__main__":
    unittest.main()
