"""Runs inside the sandbox, as the module `charts`: a chart as a PNG and as one interactive HTML file.

The page needs nothing from the network: hovering shows values, a click on a name in the legend hides its series.
Nothing newer than Python 3.9, since the interpreter inside is not the bot's; matplotlib is loaded only for a chart.
"""

from __future__ import annotations

import importlib
import json
import math
from datetime import date
from html import escape
from pathlib import Path
from typing import Iterable, List, NamedTuple, Optional, Protocol, Sequence, Tuple, Union  # noqa: UP035 - 3.9 inside

PAGE = ""
"""The page with its data left out; set by whoever offers the module."""
SIZE = (10.0, 5.6)
"""Inches."""
DOTS = 140
MOST_POINTS = 20_000
KINDS = ("line", "bar", "scatter")

Value = Union[float, str, None]  # noqa: UP007 - 3.9 inside
Series = Tuple[str, List[Optional[float]]]  # noqa: UP006, UP045 - 3.9 inside


class Table(Protocol):
    """A pandas DataFrame, as far as it is needed."""

    columns: Iterable[object]
    index: Iterable[object]

    def select_dtypes(self, include: str) -> Table:
        """The columns of a kind."""
        ...

    def __getitem__(self, column: object) -> Iterable[object]:
        """One column."""
        ...


class Labels(NamedTuple):
    """What stands at a chart."""

    title: str
    x: str
    y: str


def save_chart(
    frame: Table,
    name: str,
    *,
    kind: str = "line",
    x: str | None = None,
    y: str | Sequence[str] | None = None,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
) -> None:
    """Write NAME.png and NAME.html from a table.

    Args:
        frame: a pandas DataFrame.
        name: of the files, without ending.
        kind: line, bar or scatter.
        x: the column for the x axis; None: the index.
        y: one column or several; None: every column of numbers.
        title: above the chart.
        x_label: with its unit.
        y_label: with its unit.

    Raises:
        ValueError: the kind is unknown, or there is nothing to draw.
    """
    if kind not in KINDS:
        raise ValueError(f"kind is one of {', '.join(KINDS)}, not {kind!r}")
    numbers = [column for column in frame.select_dtypes("number").columns if column != x]
    names: list[object] = [y] if isinstance(y, str) else [*(y or numbers)]
    xs = [place(value) for value in (frame[x] if x else frame.index)][:MOST_POINTS]
    if not names or not xs:
        raise ValueError("there is nothing to draw: no column of numbers, or no row")
    series: list[Series] = [(str(column), [number(value) for value in frame[column]][:MOST_POINTS]) for column in names]
    labels = Labels(title or name, x_label or str(x or ""), y_label)
    draw(name, kind, xs, series, labels)
    data = {"kind": kind, "x": xs, "series": series, "labels": labels}
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    page = PAGE.replace("TITLE", escape(labels.title), 1).replace("DATA", text, 1)
    Path(f"{name}.html").write_text(page, encoding="utf-8")
    print(f"{name}.png and {name}.html: {len(xs)} points of {', '.join(map(str, names))}")


def number(value: object) -> float | None:
    """A value as JSON knows numbers; a gap as None."""
    try:
        found = float(str(value))
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def place(value: object) -> Value:
    """A place on the x axis: a number where it is one, else its words."""
    if isinstance(value, date):
        return value.isoformat()[:19].replace("T00:00:00", "")
    found = number(value)
    return str(value) if found is None else found


def draw(name: str, kind: str, xs: Sequence[Value], series: Sequence[Series], labels: Labels) -> None:
    """The PNG."""
    importlib.import_module("matplotlib").use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=SIZE)
    numeric = kind != "bar" and all(isinstance(value, float) for value in xs)
    places = [*xs] if numeric else [*range(len(xs))]
    width = 0.8 / len(series)
    for index, (label, values) in enumerate(series):
        ys = [math.nan if value is None else value for value in values]
        if kind == "bar":
            offset = (index - (len(series) - 1) / 2) * width
            axes.bar([spot + offset for spot in range(len(xs))], ys, width, label=label)
        elif kind == "scatter":
            axes.scatter(places, ys, label=label, s=14)
        else:
            axes.plot(places, ys, label=label)
    if not numeric:
        every = max(1, len(xs) // 12)
        axes.set_xticks([*range(0, len(xs), every)], [str(value) for value in xs[::every]], rotation=30, ha="right")
    axes.set_title(labels.title)
    axes.set_xlabel(labels.x)
    axes.set_ylabel(labels.y)
    axes.grid(visible=True, alpha=0.3)
    if len(series) > 1:
        axes.legend()
    figure.savefig(f"{name}.png", dpi=DOTS, bbox_inches="tight")
    pyplot.close(figure)
