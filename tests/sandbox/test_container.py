"""How the container back-end speaks to its engine; that containers contain is shown by the promises, on a real one."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.sandbox.fake_engine import ID, FakeEngine, fake_engine
from tests.waiting import wait_until
from tools.sandbox.container import Container
from tools.sandbox.engine import BOT, Engine, labels
from tools.sandbox.interpreter import Interpreter
from tools.sandbox.port import ENGINE_GONE, MIB, Execution, Level, Limits, SandboxUnavailable
from tools.sandbox.probe import ProbeSpace, choose
from tools.sandbox.settings import SandboxSettings


def by(socket: Path) -> Container:
    """The back-end with an engine."""
    return Container(engine=Engine(socket=socket), image="image:1", interpreter=Interpreter(python="/usr/bin/python3"))


async def test_a_container_gets_nothing_but_its_workspace(space: ProbeSpace, tmp_path: Path) -> None:
    """No network, no rights, nothing writable but the workspace and a small /tmp, and the execution's own limits."""
    engine = FakeEngine(frames=((1, b"out"), (2, b"err"), (1, b"put")), code=3)
    async with fake_engine(engine, tmp_path) as socket:
        limits = Limits(memory_bytes=100 * MIB, processes=10)
        execution = Execution(argv=("true",), stdin=b"in", env={"A": "b"}, limits=limits)
        done = await by(socket).run(space, execution, read_only={"etl": tmp_path})
    assert (done.exit_code, done.stdout, done.stderr, done.killed) == (3, b"output", b"err", "")
    made, host = engine.created, engine.created["HostConfig"]
    assert (made["Image"], made["NetworkDisabled"], host["NetworkMode"]) == ("image:1", True, "none")
    assert (host["CapDrop"], host["SecurityOpt"], host["ReadonlyRootfs"]) == (["ALL"], ["no-new-privileges"], True)
    assert "Privileged" not in host
    assert not made["User"].startswith("0:")
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (228 * MIB, 228 * MIB, 18)
    assert host["Mounts"] == [
        {"Type": "bind", "Source": str(space.root), "Target": "/workspace"},
        {"Type": "bind", "Source": str(tmp_path), "Target": "/mnt/etl", "ReadOnly": True},
    ]
    assert made["Labels"] == labels()
    assert "A=b" in made["Env"]
    assert not [one for one in made["Env"] if "SLACK" in one]
    assert made["Cmd"][-1] == "true"
    looked = [call for call in engine.calls if call != "GET stats"]  # As often as it lasted long enough.
    assert looked == ["POST create", "POST attach", "POST start", "POST wait", "GET json", f"DELETE {ID}"]


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (FakeEngine(ends=False), "ran longer than 0.5 s"),
        (FakeEngine(ends=False, memory=2 * 1024 * MIB), "more than 1,024 MB of memory together"),
        (FakeEngine(code=137, ran_out=True), "more than 1,024 MB of memory together"),
        (FakeEngine(code=128 + 24), "processor time"),
    ],
)
async def test_what_exceeds_its_limits_is_removed_and_says_why(
    engine: FakeEngine, reason: str, space: ProbeSpace, tmp_path: Path
) -> None:
    """Time, memory by what the engine measures, memory by what the kernel did, and processor time."""
    engine.killed = asyncio.Event()
    wall = timedelta(seconds=0.5 if reason.startswith("ran longer") else 90)
    async with fake_engine(engine, tmp_path) as socket:
        done = await by(socket).run(space, Execution(argv=("true",), limits=Limits(wall=wall)))
    assert reason in done.killed
    assert done.exit_code is None
    assert engine.calls[-1] == f"DELETE {ID}"
    assert ("POST kill" in engine.calls) is not engine.ends


async def test_a_stop_removes_the_container_first(space: ProbeSpace, tmp_path: Path) -> None:
    """Cancelling does not leave it behind."""
    engine = FakeEngine(ends=False)
    async with fake_engine(engine, tmp_path) as socket:
        run = asyncio.create_task(by(socket).run(space, Execution(argv=("true",))))
        await wait_until("it runs", lambda: "POST wait" in engine.calls)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert engine.calls[-1] == f"DELETE {ID}"


async def test_an_engine_that_refuses_or_is_not_there_runs_nothing(space: ProbeSpace, tmp_path: Path) -> None:
    """The reason is the engine's own."""
    async with fake_engine(FakeEngine(missing="No such image: image:1"), tmp_path) as socket:
        with pytest.raises(SandboxUnavailable, match="No such image"):
            await by(socket).run(space, Execution(argv=("true",)))
    async with fake_engine(FakeEngine(barred="error setting rlimit"), tmp_path) as socket:
        with pytest.raises(SandboxUnavailable, match="the container engine refuses: error setting rlimit"):
            await by(socket).run(space, Execution(argv=("true",)))
    with pytest.raises(SandboxUnavailable, match="no container engine at"):
        await by(tmp_path / "nowhere").run(space, Execution(argv=("true",)))


@pytest.mark.parametrize(
    ("lost", "code", "killed"),
    [("POST start", None, ENGINE_GONE), ("POST wait", None, ENGINE_GONE), ("GET json", 3, "")],
)
async def test_an_engine_that_dies_after_the_start_is_no_refusal(
    lost: str, code: int | None, killed: str, space: ProbeSpace, tmp_path: Path
) -> None:
    """The program may have run, so what came of it is told; never that nothing was run."""
    engine = FakeEngine(frames=((1, b"half"),), code=3, lost=lost)
    async with fake_engine(engine, tmp_path) as socket:
        done = await by(socket).run(space, Execution(argv=("true",)))
    assert (done.exit_code, done.killed, done.stdout) == (code, killed, b"half")


async def test_only_containers_of_dead_bots_are_swept(tmp_path: Path) -> None:
    """Another bot at the same engine keeps what it has not read yet; of an unknown one only what is old goes."""
    mine = labels()
    dead = {BOT: f"{str(mine[BOT]).rpartition(':')[0]}:{2**22 + 1}.5"}
    now = datetime.now(UTC).timestamp()
    foreign = {BOT: "elsewhere:1.5"}
    left = [
        {"Id": "mine", "Created": now, "Labels": mine},
        {"Id": "dead", "Created": now, "Labels": dead},
        {"Id": "foreign", "Created": now, "Labels": foreign},
        {"Id": "old", "Created": now - 100_000, "Labels": foreign},
    ]
    engine = FakeEngine(left=tuple(left))
    async with fake_engine(engine, tmp_path) as socket:
        await Engine(socket=socket).sweep()
    assert engine.calls[1:] == ["DELETE dead", "DELETE old"]


async def test_a_container_is_used_only_where_the_operator_says_so(data: Path, tmp_path: Path) -> None:
    """`auto` never takes it; named without an image, or without an engine, nothing runs and the reason is told."""
    assert (await choose(SandboxSettings(container_image="image:1"), data=data)).level is not Level.CONTAINER
    without = await choose(SandboxSettings(backend="container"), data=data)
    assert "container_image is not set" in without.describe()
    nowhere = SandboxSettings(backend="container", container_image="image:1", container_socket=tmp_path / "no")
    assert "no container engine" in (await choose(nowhere, data=data)).describe()
