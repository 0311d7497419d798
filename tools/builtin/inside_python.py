"""Runs inside the sandbox: one piece of code from standard input, as a cell of a notebook.

The value of a last expression is shown, an error is told with the code's own lines, and `input()` finds the end of the
input. Only the standard library, and nothing newer than Python 3.9, since the interpreter inside is not the bot's.
"""

import ast
import linecache
import sys
import traceback

NAME = "code.py"


def main() -> None:
    """Read the code and run it in the main module."""
    source = sys.stdin.buffer.read().decode("utf-8")
    linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
    names = sys.modules["__main__"].__dict__
    try:
        tree = ast.parse(source, NAME)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        # Running code is what this file is for; the sandbox around it is what makes that safe.
        exec(compile(tree, NAME, "exec", dont_inherit=True), names)  # noqa: S102
        if last is not None:
            exec(compile(ast.Interactive([last]), NAME, "single", dont_inherit=True), names)  # noqa: S102
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is its own affair and is told
        frames = error.__traceback__.tb_next if error.__traceback__ else None
        shown = None if isinstance(error, SyntaxError) and error.filename == NAME and frames is None else frames
        traceback.print_exception(type(error), error, shown)
        sys.exit(1)


main()
