"""Back-ends of this machine and a data directory that the sandbox's user can pass."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.machine import data_dir
from tests.sandbox.backends import BACKENDS, made_of
from tools.sandbox import interpreter
from tools.sandbox.interpreter import RECORD, Interpreter
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import ProbeSpace, owner_for, probe_space


@pytest.fixture(scope="session")
def data() -> Iterator[Path]:
    """A data directory with the prepared interpreter's record, where it exists."""
    path = Path(tempfile.mkdtemp(prefix="handrail-sandbox-tests-"))
    path.chmod(0o755)
    record = data_dir() / RECORD
    if record.exists():
        shutil.copy(record, path / RECORD)
        (path / RECORD).chmod(0o644)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def python(data: Path) -> Interpreter:
    """The interpreter for foreign code."""
    found = interpreter.find(data, owner_for("tests"))
    assert found, "no python3 that an unprivileged user can run"
    return found


@pytest.fixture(params=BACKENDS)
def sandbox(request: pytest.FixtureRequest, python: Interpreter) -> Sandbox:
    """Each back-end that this machine has."""
    return made_of(str(request.param), python)


@pytest.fixture
def space(data: Path) -> Iterator[ProbeSpace]:
    """An empty workspace."""
    with probe_space(data) as made:
        yield made
