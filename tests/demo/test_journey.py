"""The demo as a newcomer starts it: one command, one whole journey, and nothing left when it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.demo.places import Places, alone
from tests.waiting import wait_until_blocking

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "REDIS_"))}


@pytest.mark.timeout(600)
def test_the_check_drives_one_journey_and_prints_its_verdict() -> None:
    """Mention, plan, tools, question, two kills, approval by the second person, published file, answer: each once."""
    command = [sys.executable, "-m", "bot", "demo", "--check"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["verdict"] == "pass"
    assert report["counts"]["kills"] == 2
    assert report["counts"]["slack_errors"] == 0
    assert report["answer"].startswith("312 rows dropped: two date formats. Fixed; 8 of 8 tests pass.")


@pytest.mark.timeout(400)
def test_ctrl_c_ends_every_process(tmp_path: Path) -> None:
    """The address is printed when all is ready; after the interrupt no process holds the data directory."""
    places = Places(data=tmp_path / "data")
    output = tmp_path / "output.txt"
    environment = {**ENVIRONMENT, "HANDRAIL_DATA": str(places.data), "BROWSER": "none"}
    with output.open("w") as out:
        demo = subprocess.Popen([sys.executable, "-m", "bot", "demo"], env=environment, stdout=out, stderr=out)
    try:
        wait_until_blocking("the address", lambda: "\n  http://127.0.0.1:" in output.read_text(), within=180)
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(120)
    said = output.read_text()
    assert demo.returncode == 0, said
    assert all(word in said for word in ("sandbox: ", "model: scripted", "store: "))
    with alone(places):
        pass
