"""A bot that is not root runs code as its own user; only the sandbox then keeps them apart."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pydantic
import pytest

from tests.sandbox.backends import ON_THE_HOST, made_of
from tools.sandbox.interpreter import RECORD, Interpreter
from tools.sandbox.probe import owner_for

ROOT = Path(__file__).parents[2]
PACKAGES = Path(pydantic.__file__).parents[1]
NEEDED = ("annotated_types", "pydantic", "pydantic_core", "typing_extensions.py", "typing_inspection")
"""What the sandbox imports beside itself."""
PLAIN = (231_001, 231_001)
BOT = """
import asyncio, json, sys
from pathlib import Path
from tools.sandbox.checks import bounds, files, network, privileges
from tools.sandbox.probe import choose
from tools.sandbox.self_check import findings
from tools.sandbox.settings import SandboxSettings

async def main(backend, data):
    sandbox = await choose(SandboxSettings(backend=backend), data=data)
    checks = (*privileges.CHECKS, *files.CHECKS, *network.CHECKS, *bounds.CHECKS[3:7])
    found = [one async for one in findings(sandbox, checks, data=data)]
    print(json.dumps([sandbox.level, len(found), {one.name: one.problem for one in found if not one.kept}]))

asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
"""


@pytest.fixture
def home(data: Path) -> Iterator[Path]:
    """A data directory of a plain user."""
    if owner_for("tests") is None:
        pytest.skip("every other test runs as a plain user already")
    path = Path(tempfile.mkdtemp(prefix="handrail-plain-user-"))
    if (data / RECORD).exists():
        shutil.copy(data / RECORD, path / RECORD)
    for entry in (path, *path.iterdir()):
        shutil.chown(entry, *PLAIN)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def code() -> Iterator[Path]:
    """The sandbox and what it imports where a plain user can read it: a checkout is often private."""
    path = Path(tempfile.mkdtemp(prefix="handrail-plain-code-"))
    shutil.copytree(ROOT / "tools", path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in NEEDED:
        copy = shutil.copytree if (PACKAGES / name).is_dir() else shutil.copy
        copy(PACKAGES / name, path / name)
    for entry in (path, *path.rglob("*")):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("backend", ON_THE_HOST)
def test_a_plain_users_bot_keeps_the_promises(backend: str, python: Interpreter, home: Path, code: Path) -> None:
    """Files, processes and limits of the bot stay out of reach though code runs as the bot's user."""
    made_of(backend, python)
    same = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if Path(python.python).name != same:
        pytest.skip(f"the sandbox's Python is not {same}, so that it cannot read this one's packages")
    done = subprocess.run(
        [python.python, "-c", BOT, backend, str(home)],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(code)},
        user=PLAIN[0],
        group=PLAIN[1],
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
        timeout=350,
    )
    level, number, problems = json.loads(done.stdout)
    assert (level, problems) == (backend, {})
    assert number > 40
