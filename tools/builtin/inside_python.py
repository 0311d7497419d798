"""Runs inside the sandbox: one piece of code from standard input, as a cell of a notebook.

The value of a last expression is shown, an error is told with the code's own lines, and `input()` finds the end of the
input. The working directory and changed environment variables stay for the next call, in the directory that the first
argument names; the second is the workspace, and the last two are what the module `charts` is made of. Only the standard
library, and nothing newer than Python 3.9, since the interpreter inside is not the bot's.
"""

import ast
import json
import linecache
import os
import sys
import traceback
import types

NAME = "code.py"
MAX_STATE_CHARS = 200_000


def offer(name: str, source: str, page: str) -> None:
    """A module that the code can import although no file holds it."""
    module = types.ModuleType(name)
    exec(compile(source, name + ".py", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - our own text
    module.__dict__["PAGE"] = page
    sys.modules[name] = module


def main() -> None:
    """Run the code in the main module where the call before left off, and keep where it ends."""
    source = sys.stdin.buffer.read().decode("utf-8")
    state, root, *charts = sys.argv[1:]
    offer("charts", *charts)
    sys.argv = [NAME]
    given = dict(os.environ)
    go_on(state, root)
    code = 0
    try:
        code = run(source)
    finally:
        keep(state, root, given)
    sys.exit(code)


def run(source: str) -> int:
    """Run it; 1 where it raised."""
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
        return 1
    return 0


def go_on(state: str, root: str) -> None:
    """Directory and variables as the call before left them."""
    try:
        with open(os.path.join(state, "state.json"), encoding="utf-8") as file:
            kept = json.loads(file.read(MAX_STATE_CHARS))
        before, changes = str(kept["directory"]), dict(kept["environment"])
    except (OSError, ValueError, KeyError, TypeError):
        return
    for name, value in changes.items():
        if value is None:
            os.environ.pop(str(name), None)
        else:
            os.environ[str(name)] = str(value)
    try:
        os.chdir(before)
    except OSError:
        print(f"the working directory {before} is gone; starting in {root}", file=sys.stderr)
    else:
        sys.path.append(root)


def keep(state: str, root: str, given: "dict[str, str]") -> None:
    """Record where the code ended, and how many of the processes it started still run."""
    try:
        directory = os.getcwd()
    except OSError:
        directory = root
    now = dict(os.environ)
    changes = {name: now.get(name) for name in {*given, *now} if given.get(name) != now.get(name)}
    text = json.dumps({"directory": directory, "environment": changes})
    if len(text) > MAX_STATE_CHARS:
        text = json.dumps({"directory": directory, "environment": {}})
    try:
        write(state, "state.json", text)
        write(state, "running", running())
    except OSError:
        pass


def write(state: str, name: str, text: str) -> None:
    """Replace a file of the state in one move."""
    os.makedirs(state, exist_ok=True)
    draft = os.path.join(state, name + ".new")
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(draft, os.path.join(state, name))


def running() -> str:
    """How many processes of ours have not ended; "some" where the system says no more than that."""
    found = 0
    try:
        for name in filter(str.isdecimal, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    state, parent = file.read().rpartition(")")[2].split()[:2]
            except FileNotFoundError:
                continue
            found += parent == str(os.getpid()) and state not in "ZX"
    except OSError:
        return "some" if has_children() else "0"
    return str(found)


def has_children() -> bool:
    """Whether any process of ours still runs, told without looking at processes."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


main()
