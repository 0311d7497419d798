"""Runs inside the sandbox: writes the text of a PDF, Word or Excel file to standard output.

Such files are read here and not in the bot, since a hostile one may hang, fill the memory or worse. What is too much
is cut with a mark. Ends with 3 and a sentence on standard error where the file cannot be read.
"""

import csv
import importlib
import io
import sys
from typing import Any

MAX_CHARS = 900_000
MAX_PAGES = 2_000
MAX_ROWS = 20_000
MAX_COLUMNS = 200


class Printed:
    """Counts what was written and stops at the bound."""

    def __init__(self) -> None:
        self.left = MAX_CHARS

    def __call__(self, text: str) -> None:
        """One or more lines."""
        if self.left <= 0:
            return
        shown = text[: self.left]
        self.left -= len(shown) + 1
        sys.stdout.write(shown + "\n")
        if self.left <= 0:
            sys.stdout.write("[... the rest of the file is left out; read parts of it with python_execute]\n")


def read_pdf(path: str, out: Printed) -> None:
    """Page by page."""
    pypdf: Any = importlib.import_module("pypdf")
    reader = pypdf.PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        raise ValueError("it is protected by a password")
    count = len(reader.pages)
    for number in range(min(count, MAX_PAGES)):
        out(f"[page {number + 1} of {count}]")
        out(reader.pages[number].extract_text().strip() or "(no text on this page; it may be an image)")
    if count > MAX_PAGES:
        out(f"[{count - MAX_PAGES} more pages left out]")


def read_docx(path: str, out: Printed) -> None:
    """Paragraphs and tables in their order; headings as Markdown."""
    docx: Any = importlib.import_module("docx")
    for part in docx.Document(path).iter_inner_content():
        if hasattr(part, "rows"):
            for row in part.rows:
                out(" | ".join(cell.text.replace("\n", " ") for cell in row.cells))
            out("")
        else:
            style: str = (part.style.name if part.style is not None else "") or ""
            level = style.rpartition(" ")[2] if style.startswith("Heading ") else ""
            out("#" * int(level) + " " + part.text if level.isdecimal() else part.text)


def read_xlsx(path: str, out: Printed) -> None:
    """Sheet by sheet as CSV: the values last computed, not the formulas."""
    openpyxl: Any = importlib.import_module("openpyxl")
    book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        out(f"[sheet {sheet.title}]")
        for number, row in enumerate(sheet.iter_rows(values_only=True, max_row=MAX_ROWS + 1, max_col=MAX_COLUMNS)):
            if out.left <= 0:
                return
            if number == MAX_ROWS:
                out(f"[rows after {MAX_ROWS} left out]")
                break
            cells = ["" if value is None else str(value).replace("\n", " ") for value in row]
            csv.writer(Line(out), lineterminator="").writerow(trimmed(cells))


class Line:
    """A file for one row of CSV."""

    def __init__(self, out: Printed) -> None:
        self.out = out

    def write(self, text: str) -> None:
        """The row."""
        self.out(text)


def trimmed(cells: "list[str]") -> "list[str]":
    """The row without the empty cells at its end."""
    while cells and not cells[-1]:
        cells.pop()
    return cells


READERS = {"pdf": read_pdf, "docx": read_docx, "xlsx": read_xlsx}


def main() -> None:
    """Read the file named by the second argument as the kind named by the first."""
    kind, path = sys.argv[1:3]
    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="backslashreplace")
    try:
        READERS[kind](path, Printed())
    except ImportError as error:
        sys.exit(failed(f"the sandbox's Python has no {error.name}; `python -m scripts.sandbox_env` installs it"))
    except MemoryError:
        sys.exit(failed("it needs more memory than a call may use"))
    except Exception as error:  # noqa: BLE001 - a broken file may make a library raise anything
        sys.exit(failed(f"it is no readable {kind.upper()} file ({type(error).__name__}: {str(error)[:200]})"))


def failed(reason: str) -> int:
    """Say why."""
    sys.stdout.flush()
    print(reason, file=sys.stderr)
    return 3


main()
