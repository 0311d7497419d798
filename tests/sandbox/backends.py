"""The back-ends that tests run over, by name."""

from functools import cache
from pathlib import Path

import pytest

from tests.parts import requires
from tests.sandbox.engines import find_engine, image, sockets
from tools.sandbox.container import Container
from tools.sandbox.groups import Groups, find_groups
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.landlock import LandlockSandbox, kernel_abi
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import find_bubblewrap
from tools.sandbox.unsafe_local import UnsafeLocal

ON_THE_HOST = ("bubblewrap", "landlock")
CONTAINED = (*ON_THE_HOST, "container")
SYSTEM_PYTHON = "/usr/bin/python3"


@cache
def groups() -> Groups | None:
    """Where control groups can be made here."""
    return find_groups()


def container() -> Container:
    """Containers of this machine's engine."""
    engine, inner = find_engine(), str(Path(SYSTEM_PYTHON).resolve())
    if not Path(inner).exists():
        pytest.skip("no system Python to make an image of")
    return Container(engine=engine, image=image(str(engine.socket), inner), interpreter=Interpreter(python=inner))


BACKENDS = (*ON_THE_HOST, "unsafe_local", *(["container"] if sockets() else []))
"""Those of this machine; that it has no container engine is said once, with the promises."""


def made_of(name: str, python: Interpreter) -> Sandbox:
    """A back-end by name; skips the test where this machine lacks it. `landlock-1` is an old kernel's."""
    if name == "unsafe_local":
        return UnsafeLocal(interpreter=python, groups=groups())
    if name == "container":
        return container()
    if name == "bubblewrap":
        requires("bwrap", "userns")
        found = find_bubblewrap(python, groups())
        assert found
        return found
    newest = kernel_abi()
    if not newest:
        pytest.skip("this kernel has no Landlock")
    return LandlockSandbox(interpreter=python, abi=1 if name == "landlock-1" else newest, groups=groups())
