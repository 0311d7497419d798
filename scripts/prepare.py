"""Set everything up for one `make` target and, when told, become the program it is for."""

import sys

from scripts import mcp_servers, node_packages, packages, sandbox_env, system_parts
from scripts.machine import VENV_PYTHON, SetupError, become, say

USAGE = "usage: python -m scripts.prepare demo|test|check|image|lock [-- program arguments...]"


def demo() -> None:
    """Prepare what a running Handrail needs."""
    packages.install_once(packages.RUNTIME_LOCK, "runtime")
    system_parts.install_missing(system_parts.FOR_DEMO)
    sandbox_env.prepare()


def image() -> None:
    """Prepare what a container image needs; its system packages are the Dockerfile's business."""
    packages.install_once(packages.RUNTIME_LOCK, "runtime")
    sandbox_env.prepare()


def check() -> None:
    """Prepare what the checks need."""
    packages.install_once(packages.DEV_LOCK, "development")


def test() -> None:
    """Prepare what the whole suite needs."""
    check()
    system_parts.install_missing(system_parts.FOR_TESTS)
    node_packages.install_types()
    sandbox_env.prepare()
    mcp_servers.prepare()


TARGETS = {"demo": demo, "image": image, "test": test, "check": check, "lock": lambda: None}


def main(arguments: list[str]) -> int:
    """Prepare the named target; return 1 with one clear message when that is not possible."""
    target, rest = (arguments or [""])[0], arguments[2:]
    if target not in TARGETS:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        packages.create_venv()
        TARGETS[target]()
    except SetupError as problem:
        print(f"\nSet-up stopped. {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"\nSet-up stopped. {problem.filename or 'A file'}: {problem.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nSet-up interrupted; the next start goes on where it was.", file=sys.stderr)
        return 130
    say("ready")
    if rest:
        become([VENV_PYTHON, *rest])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
