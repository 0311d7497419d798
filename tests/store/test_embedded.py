"""The private server of a data directory: one per directory, however its users come and go."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

import pytest
from redis import Redis

from runtime.store.binaries import find_binary
from runtime.store.embedded import is_free, start_embedded
from runtime.store.errors import EmbeddedUnavailable
from tests.waiting import BOUND, wait_until_blocking

ROOT = Path(__file__).parents[2]

User = subprocess.Popen[str]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory; whatever server still runs in it afterwards is ended."""
    path = Path(tempfile.mkdtemp(prefix="handrail-data-"))
    yield path
    if not is_free(path / "running"):
        os.kill(server_pid(path), signal.SIGKILL)
        wait_until_blocking("the server is gone", lambda: is_free(path / "running"))
    shutil.rmtree(path)


@contextmanager
def user(folder: Path) -> "Generator[User]":
    """Another process that uses the directory's server; it leaves cleanly at the end, if it still can."""
    command = [sys.executable, "-m", "tests.store.embedded_user", str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    with process:
        yield process


def told(process: User) -> dict[str, object]:
    """What the process said it got."""
    assert process.stdout is not None
    return cast("dict[str, object]", json.loads(process.stdout.readline()))


def leave(process: User) -> None:
    """End a process cleanly."""
    process.communicate(timeout=BOUND)


def server_pid(folder: Path) -> int:
    """The process of the directory's server."""
    return int((folder / "server.pid").read_text(encoding="utf-8"))


def put(url: str, key: str, value: str) -> None:
    """Write one key."""
    with closing(Redis(unix_socket_path=url.removeprefix("unix://"))) as client:
        client.set(key, value)


def got(url: str, key: str) -> bytes | None:
    """Read one key."""
    with closing(Redis(unix_socket_path=url.removeprefix("unix://"))) as client:
        return cast("bytes | None", client.get(key))


def test_four_starts_at_once_share_one_server_and_the_last_to_leave_stops_it(folder: Path) -> None:
    """One starts it and three adopt it; three leave and it stays; the fourth leaves and it is gone."""
    with user(folder) as one, user(folder) as two, user(folder) as three, user(folder) as four:
        users = [one, two, three, four]
        answers = [told(process) for process in users]
        assert sorted(answer["adopted"] is True for answer in answers) == [False, True, True, True]
        assert len({answer["url"] for answer in answers}) == 1
        for process in users[:3]:
            leave(process)
        put(str(answers[3]["url"]), "kept", "yes")
        assert not is_free(folder / "running")
        leave(four)
    assert is_free(folder / "running")
    with closing(start_embedded(folder)) as again:
        assert not again.adopted
        assert got(again.url, "kept") == b"yes"


def test_the_server_of_a_killed_process_is_adopted_with_its_data(folder: Path) -> None:
    """SIGKILL of its only user leaves the server running; the next user takes it over and, leaving, stops it."""
    with user(folder) as killed:
        put(str(told(killed)["url"]), "kept", "yes")
        killed.kill()
    pid = server_pid(folder)
    server = start_embedded(folder)
    with closing(server):
        assert server.adopted
        assert server_pid(folder) == pid
        assert got(server.url, "kept") == b"yes"
    assert is_free(folder / "running")


def test_a_user_that_was_killed_does_not_keep_the_server_alive(folder: Path) -> None:
    """Of two users one is killed; when the other leaves, it was the last."""
    with user(folder) as killed, user(folder) as other:
        told(killed)
        told(other)
        killed.kill()
        killed.wait()
        leave(other)
    assert is_free(folder / "running")


def test_a_killed_server_is_started_again_with_its_data(folder: Path) -> None:
    """What was acknowledged is in the append-only file before the reply."""
    with closing(start_embedded(folder)) as first:
        put(first.url, "kept", "yes")
        os.kill(server_pid(folder), signal.SIGKILL)
        wait_until_blocking("the server is gone", lambda: is_free(folder / "running"))
        with closing(start_embedded(folder)) as second:
            assert not second.adopted
            assert got(second.url, "kept") == b"yes"


@pytest.mark.parametrize(
    ("product", "version"), [("redis", "99.0.0"), ("valkey", "99.0.0"), ("keydb", "6.3.4")], ids=str
)
def test_a_directory_another_program_wrote_is_refused_with_a_way_out(folder: Path, product: str, version: str) -> None:
    """An older or different server would refuse or misread the file; the sentence says who wrote it and what to do."""
    note = {"product": product, "version": version, "socket": str(folder / "server.sock")}
    (folder / "server.json").write_text(json.dumps(note), encoding="utf-8")
    with pytest.raises(EmbeddedUnavailable, match="was written by") as refused:
        start_embedded(folder)
    sentence = str(refused.value)
    assert f"{product.capitalize()} {version}" in sentence
    assert "REDIS_URL" in sentence
    assert is_free(folder / "users")


def test_data_of_unknown_origin_is_not_touched(folder: Path) -> None:
    """A directory with a server's data but no note of who wrote it is refused."""
    (folder / "appendonlydir").mkdir()
    with pytest.raises(EmbeddedUnavailable, match="not the note of who wrote it"):
        start_embedded(folder)


def test_a_directory_whose_name_is_too_long_for_a_socket_still_works(folder: Path) -> None:
    """Sockets have names of a hundred characters at most; home directories do not."""
    deep = folder / ("a" * 90) / ("b" * 60)
    with closing(start_embedded(deep)) as server:
        assert len(server.url) < 110
        put(server.url, "kept", "yes")
        with closing(start_embedded(deep)) as other:
            assert other.adopted
            assert got(other.url, "kept") == b"yes"


def test_a_server_that_cannot_start_says_why(folder: Path) -> None:
    """The end of its log is part of the sentence."""
    (folder / "appendonlydir").write_text("a file where a folder must be", encoding="utf-8")
    note = {"product": find_binary().product, "version": "0.0.0", "socket": str(folder / "server.sock")}
    (folder / "server.json").write_text(json.dumps(note), encoding="utf-8")
    with pytest.raises(EmbeddedUnavailable, match=r"stopped at once: .*[Aa]ppend"):
        start_embedded(folder)
    assert is_free(folder / "users")


def test_a_directory_that_cannot_be_made_is_one_sentence(folder: Path) -> None:
    """No traceback: the folder and the way out are named."""
    (folder / "file").write_text("", encoding="utf-8")
    with pytest.raises(EmbeddedUnavailable, match=r"file/data cannot be used: .* or set REDIS_URL"):
        start_embedded(folder / "file" / "data")
