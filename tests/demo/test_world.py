"""The sample world is the same everywhere and is as broken as the demonstrations say."""

import subprocess
import sys
from pathlib import Path

from bot.demo.world import build_world


def digest(root: Path) -> dict[str, bytes]:
    """Every file below a directory with its bytes."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def run_tests(etl: Path) -> str:
    """What the sample project's tests print."""
    command = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests"]
    return subprocess.run(command, cwd=etl, capture_output=True, text=True, check=False).stderr


def test_two_builds_are_equal_byte_for_byte(tmp_path: Path) -> None:
    """Nothing in the world depends on time, place or chance."""
    build_world(tmp_path / "a")
    build_world(tmp_path / "b")
    assert digest(tmp_path / "a") == digest(tmp_path / "b")


def test_two_of_eight_tests_fail_before_the_fix(tmp_path: Path) -> None:
    """The sample project is broken in the way the demonstration finds."""
    said = run_tests(build_world(tmp_path).etl)
    assert "Ran 8 tests" in said
    assert "failures=1, errors=1" in said


def test_the_log_says_what_the_script_does(tmp_path: Path) -> None:
    """Each dropped row of both files stands in the log with the script's own reason."""
    etl = build_world(tmp_path).etl
    log = (etl / "logs" / "import.log").read_text()
    for name, dropped in (("nightly", 312), ("hourly", 7)):
        (data,) = (etl / "data").glob(f"{name}_*.csv")
        command = [sys.executable, "-B", "import_orders.py", str(data)]
        said = subprocess.run(command, cwd=etl, capture_output=True, text=True, check=True).stdout
        reasons = [line.removeprefix("WARNING ") for line in said.splitlines() if line.startswith("WARNING")]
        assert len(reasons) == dropped
        assert [line.split(f"[{name}] ")[1] for line in log.splitlines() if f"WARNING [{name}]" in line] == reasons


def test_a_changed_file_is_restored_and_a_strange_one_stays(tmp_path: Path) -> None:
    """Starting the demo again brings the sample back without touching files it does not know."""
    etl = build_world(tmp_path).etl
    before = digest(tmp_path)
    (etl / "import_orders.py").write_text("changed")
    (etl / "mine.txt").write_text("kept")
    build_world(tmp_path)
    assert digest(tmp_path) == before | {"etl/mine.txt": b"kept"}
