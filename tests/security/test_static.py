"""What the source itself rules out."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.machine import ROOT

PACKAGES = ("bot", "runtime", "tools")
RUNS_DATA = frozenset(
    {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle", "joblib", "code", "codeop"}
)
CALLS = frozenset({"eval", "exec", "__import__"})
CALLED = frozenset(
    {"os.system", "os.popen", "asyncio.create_subprocess_shell", "yaml.load", "yaml.unsafe_load", "yaml.full_load"}
)
INSIDE = frozenset({"inside_python.py"})
"""Runs in the sandbox, where running code is its purpose."""
KNOW_SERVERS = frozenset({"bot/mcp.py", "bot/commands/mcp.py"})


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """Every module of the product."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if "node_modules" not in file.parts and "sample" not in file.parts:
                yield file, ast.parse(file.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    """The full names that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dangerous(tree: ast.Module) -> Iterator[str]:
    """Calls that run text as code, or give a string to a shell."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in CALLS:
            yield node.func.id
        if any(word.arg == "shell" and not (isinstance(word.value, ast.Constant) and word.value.value is False)
               for word in node.keywords):  # fmt: skip
            yield "shell"
        if ast.unparse(node.func) in CALLED:
            yield ast.unparse(node.func)


def test_no_stored_data_is_ever_run() -> None:
    """Nothing unpickles, evaluates, or builds a shell string: what is stored stays data."""
    found = [
        f"{file.relative_to(ROOT)}: {what}"
        for file, tree in sources()
        if file.name not in INSIDE
        for what in (*dangerous(tree), *(name for name in imported(tree) if name.partition(".")[0] in RUNS_DATA))
    ]
    assert not found


def test_only_the_operators_commands_read_or_write_what_a_server_is() -> None:
    """No listener, agent or tool can make a server: its file is read at start and written by one command."""
    found = {
        str(file.relative_to(ROOT))
        for file, tree in sources()
        if any(name in {"tools.mcp.config.load_servers", "tools.mcp.config.read_entries"} for name in imported(tree))
    }
    assert found == KNOW_SERVERS


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "import dill as d",
        "from shelve import open",
        "import marshal",
        "eval(text)",
        "exec(text)",
        "__import__(name)",
        "subprocess.run(text, shell=True)",
        "subprocess.Popen(text, shell=wanted)",
        "os.system(text)",
        "os.popen(text)",
        "await asyncio.create_subprocess_shell(text)",
        "yaml.load(text)",
        "yaml.unsafe_load(text)",
    ],
)
def test_code_that_runs_data_is_found(code: str) -> None:
    """Each way to run what was stored would be seen, so that the check above means something."""
    tree = ast.parse(f"async def f():\n    {code}")
    assert [*dangerous(tree), *(name for name in imported(tree) if name.partition(".")[0] in RUNS_DATA)]
