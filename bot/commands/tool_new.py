"""`python -m bot tool new NAME`: the file and the test of a new tool, and the one line that adds it."""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from string import Template

from bot.commands.start import StartProblem

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
ROOT = Path(__file__).resolve().parent.parent.parent
TEMPLATE = Path(__file__).with_name("tool_template.txt")
TEST_TEMPLATE = Path(__file__).with_name("tool_test_template.txt")


def main(arguments: Sequence[str]) -> int:
    """Begin a tool of one's own."""
    parser = argparse.ArgumentParser(prog="python -m bot tool", description="Begin a new tool in this checkout.")
    commands = parser.add_subparsers(dest="command", required=True)
    beginning = commands.add_parser("new", help="write the tool's file and its test, and say which line to add")
    beginning.add_argument("name", help="such as count_words")
    beginning.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    options = parser.parse_args(arguments)
    try:
        for line in begun(options.name, options.root):
            print(line)
    except StartProblem as problem:
        print(f"handrail: {problem}", file=sys.stderr)
        return 1
    return 0


def begun(name: str, root: Path) -> list[str]:
    """Write both files; what remains to be done.

    Raises:
        StartProblem: the name is none, or taken.
    """
    if not NAME.fullmatch(name) or len(name) > 40:
        raise StartProblem(f"{name!r} is no name for a tool: small letters, digits and single underscores, up to 40.")
    tool, test = root / f"tools/builtin/{name}.py", root / f"tests/tools/test_{name}.py"
    taken = next((path for path in (tool, test) if path.exists()), None)
    if taken:
        raise StartProblem(f"{taken} is there already.")
    kind = "".join(part.capitalize() for part in name.split("_"))
    for path, template in ((tool, TEMPLATE), (test, TEST_TEMPLATE)):
        if not path.parent.is_dir():
            raise StartProblem(f"{path.parent} is not there; run this in a checkout of Handrail.")
        path.write_text(
            Template(template.read_text(encoding="utf-8")).substitute(name=name, kind=kind), encoding="utf-8"
        )
    return [
        f"Wrote {tool} and {test}.",
        "Add one line to `builtin_tools` in tools/collection.py, and import it there:",
        f"        {kind}(),",
        "docs/tools.md says what risk, effect and preview mean.",
    ]
