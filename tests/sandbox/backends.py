"""The back-ends that tests run over, by name."""

import pytest

from tests.parts import requires
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.landlock import LandlockSandbox, kernel_abi
from tools.sandbox.port import Sandbox
from tools.sandbox.probe import find_bubblewrap
from tools.sandbox.unsafe_local import UnsafeLocal

CONTAINED = ("bubblewrap", "landlock")
BACKENDS = (*CONTAINED, "unsafe_local")


def made_of(name: str, python: Interpreter) -> Sandbox:
    """A back-end by name; skips the test where this machine lacks it. `landlock-1` is an old kernel's."""
    if name == "unsafe_local":
        return UnsafeLocal(interpreter=python)
    if name == "bubblewrap":
        requires("bwrap", "userns")
        found = find_bubblewrap(python)
        assert found
        return found
    newest = kernel_abi()
    if not newest:
        pytest.skip("this kernel has no Landlock")
    return LandlockSandbox(interpreter=python, abi=1 if name == "landlock-1" else newest)
