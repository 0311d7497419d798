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

from tests.sandbox.backends import CONTAINED, made_of
from tools.sandbox.interpreter import RECORD, Interpreter, reachable
from tools.sandbox.probe import owner_for

ROOT = Path(__file__).parents[2]
PACKAGES = Path(pydantic.__file__).parents[1]
PLAIN = (231_001, 231_001)
BOT = """
import asyncio, json, sys
from pathlib import Path
from tools.sandbox.checks import bounds, files, network, privileges
from tools.sandbox.checks.bench import bench_for
from tools.sandbox.probe import choose
from tools.sandbox.self_check import finding
from tools.sandbox.settings import SandboxSettings

async def main(backend, data):
    sandbox = await choose(SandboxSettings(backend=backend), data=data)
    checks = (*privileges.CHECKS, *files.CHECKS, *network.CHECKS, *bounds.CHECKS[3:7])
    with bench_for(sandbox, data) as bench:
        found = [await finding(check, bench) for check in checks]
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


@pytest.mark.parametrize("backend", CONTAINED)
def test_a_plain_users_bot_keeps_the_promises(backend: str, python: Interpreter, home: Path) -> None:
    """Files, processes and limits of the bot stay out of reach though code runs as the bot's user."""
    made_of(backend, python)
    same = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if Path(python.python).name != same or not all(reachable(path, PLAIN) for path in (ROOT, PACKAGES)):
        pytest.skip("the checkout or its packages cannot be read by a plain user")
    done = subprocess.run(
        [python.python, "-c", BOT, backend, str(home)],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": f"{ROOT}:{PACKAGES}"},
        user=PLAIN[0],
        group=PLAIN[1],
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
        timeout=55,
    )
    level, number, problems = json.loads(done.stdout)
    assert (level, problems) == (backend, {})
    assert number > 40
