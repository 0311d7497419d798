"""Every execution ends, uses no more than its limits, and leaves no process behind."""

import asyncio
import json
import os
from datetime import timedelta
from pathlib import Path

from tools.sandbox.checks.bench import Bench, Check, complaint, expect, has_writer
from tools.sandbox.port import MIB, Limits

SHORT = Limits(wall=timedelta(seconds=2))
HOLD = "exec 9<>{fifo}; {command}"
STUBBORN = "trap '' TERM INT HUP; echo before; while :; do sleep 1; done"
FORKS = """
import os, sys, time
made = 0
try:
    for _ in range(int(sys.argv[1])):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError:
    pass
print(made)
"""
BOMB = """
import os
print("started", flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
CROWD = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(100 * 1024 * 1024)
        for place in range(0, len(held), 4096):
            held[place] = 1
        time.sleep(60)
time.sleep(60)
"""
GROW = """
data = b"x" * (1024 * 1024)
for number in range(1000):
    with open(f"grown-{number}", "wb") as grown:
        grown.write(data)
import time
time.sleep(60)
"""
MANY = """
import os, time
os.makedirs("many", exist_ok=True)
for number in range(10_000):
    open(f"many/{number}", "w").close()
time.sleep(60)
"""
OPEN = """
held = []
try:
    while len(held) < 10_000:
        held.append(open("/dev/null"))
except OSError:
    pass
print(len(held))
"""


def pipe_in(bench: Bench, name: str) -> Path:
    """A named pipe in the workspace; who holds it is still alive."""
    fifo = bench.workspace.root / name
    os.mkfifo(fifo, 0o666)
    if bench.workspace.owner:
        os.chown(fifo, *bench.workspace.owner)
    return fifo


async def leaves_none(bench: Bench, name: str, command: str, limits: Limits = SHORT) -> str:
    """Run a shell command whose processes hold a pipe; a finding when one of them outlives the call."""
    fifo = pipe_in(bench, name)
    await bench.run("sh", "-c", HOLD.format(fifo=name, command=command), limits=limits)
    alive = has_writer(fifo)
    fifo.unlink()
    return "a process outlived the call" if alive else ""


async def ends_in_time(bench: Bench) -> str:
    """A program that ignores signals is killed, and what it printed before is kept."""
    completed = await bench.run("sh", "-c", STUBBORN, limits=SHORT)
    if not completed.stdout:
        # A machine so busy that the program had not even begun says nothing of what is kept.
        completed = await bench.run("sh", "-c", STUBBORN, limits=Limits(wall=timedelta(seconds=30)))
    found = (completed.timed_out, completed.exit_code, completed.stdout)
    return expect("end", (True, None, b"before\n"), found)


async def kills_group(bench: Bench) -> str:
    """Children of a program that ran too long end with it."""
    return await leaves_none(bench, "group", "sleep 60 & sleep 60 & wait")


async def kills_background(bench: Bench) -> str:
    """A background job ends with its call, which does not wait for it."""
    return await leaves_none(bench, "background", "sleep 60 & exit 0")


async def kills_double_fork(bench: Bench) -> str:
    """A process that left its session and its parent ends with the call."""
    return await leaves_none(bench, "daemon", "(setsid sleep 60 &) ; exit 0")


async def kills_stubborn_daemon(bench: Bench) -> str:
    """The same after a time limit and with signals ignored."""
    command = "trap '' TERM HUP; (setsid sh -c 'trap \"\" TERM HUP; sleep 60; sleep 60' &) ; sleep 60"
    return await leaves_none(bench, "stubborn", command)


async def kills_when_cancelled(bench: Bench) -> str:
    """Stopping the run kills the program before anything else happens."""
    fifo = pipe_in(bench, "cancelled")
    command = HOLD.format(fifo="cancelled", command="(setsid sleep 60 &) ; echo started > mark; sleep 60")
    task = asyncio.create_task(bench.run("sh", "-c", command))
    while not (bench.workspace.root / "mark").exists():
        if task.done():
            return f"ended early {complaint(task.result())}"
        await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait({task})
    alive = has_writer(fifo)
    fifo.unlink()
    return "a process outlived the cancellation" if alive or not task.cancelled() else ""


async def limits_processes(bench: Bench) -> str:
    """No more processes than allowed can exist."""
    completed = await bench.python(FORKS, 500, limits=Limits(processes=20))
    made = int(completed.stdout.split()[-1]) if completed.stdout else -1
    return "" if 0 < made <= 20 else f"{made} processes {complaint(completed)}"


async def survives_fork_bomb(bench: Bench) -> str:
    """A fork bomb stays within its limit, ends with its time, and leaves nothing."""
    if os.geteuid() == 0 and bench.workspace.owner is None:
        return "not tried: limits on processes do not bind root"
    (bench.workspace.root / "bomb.py").write_text(BOMB, encoding="ascii")
    (bench.workspace.root / "bomb.py").chmod(0o644)
    python = " ".join(bench.sandbox.python)
    limits = Limits(processes=20, wall=timedelta(seconds=2))
    return await leaves_none(bench, "bomb", f"{python} bomb.py", limits)


async def limits_memory(bench: Bench) -> str:
    """One process cannot take more memory than allowed."""
    code = "try:\n    bytearray(2 * 1024**3)\nexcept MemoryError:\n    print('refused')"
    completed = await bench.python(code)
    return expect("allocation", b"refused\n", completed.stdout)


async def limits_memory_together(bench: Bench) -> str:
    """Many processes cannot take together more than allowed."""
    limits = Limits(memory_bytes=256 * MIB)
    completed = await bench.python(CROWD, limits=limits)
    return "" if "memory" in completed.killed else f"not killed for memory {complaint(completed)}"


async def limits_file_size(bench: Bench) -> str:
    """One file cannot grow larger than allowed."""
    code = "open('large', 'wb').write(b'x' * 20_000_000)"
    await bench.python(code, limits=Limits(file_bytes=10 * MIB))
    size = (bench.workspace.root / "large").stat().st_size
    (bench.workspace.root / "large").unlink()
    return "" if size <= 10 * MIB else f"{size} bytes"


async def limits_processor_time(bench: Bench) -> str:
    """A busy loop ends when its processor time is used up."""
    completed = await bench.python("while True: pass", limits=Limits(cpu_seconds=1))
    return "" if "processor" in completed.killed else f"not killed for it {complaint(completed)}"


async def limits_open_files(bench: Bench) -> str:
    """No more files can be open than allowed."""
    completed = await bench.python(OPEN, limits=Limits(open_files=64))
    held = int(completed.stdout or b"0")
    return "" if 0 < held < 64 else f"{held} files {complaint(completed)}"


async def limits_workspace(bench: Bench) -> str:
    """Filling the disk ends the program, and the workspace can be tidied afterwards."""
    limits = Limits(workspace_bytes=20 * MIB)
    completed = await bench.python(GROW, limits=limits)
    tidied = await bench.run("sh", "-c", "rm -f grown-*", limits=limits)
    if "workspace" not in completed.killed:
        return f"not killed for it {complaint(completed)}"
    return expect("tidying", (0, ""), (tidied.exit_code, tidied.killed))


async def limits_number_of_files(bench: Bench) -> str:
    """Ten thousand files end the program."""
    limits = Limits(workspace_files=1000)
    completed = await bench.python(MANY, limits=limits)
    await bench.run("rm", "-rf", "many")
    return "" if "files" in completed.killed else f"not killed for it {complaint(completed)}"


async def writes_no_core(bench: Bench) -> str:
    """A crash leaves no memory image in the workspace."""
    await bench.python("import os; os.abort()")
    return expect("images", [], [path.name for path in bench.workspace.root.glob("core*")])


async def imports_packages(bench: Bench) -> str:
    """The prepared packages work within the limits, and draw."""
    code = (
        "import json, numpy, pandas, openpyxl, matplotlib.pyplot as plot; plot.plot([1, 2]); plot.savefig('chart.png')"
    )
    completed = await bench.python(f"{code}; print(json.dumps(int(numpy.arange(4).sum())))")
    drawn = (bench.workspace.root / "chart.png").exists()
    found = (json.loads(completed.stdout or b"null"), drawn, completed.stderr.decode()[-300:])
    return expect("sum, chart, complaints", (6, True, ""), found)


CHECKS = (
    Check(name="wall-time", promise="every program ends in time", run=ends_in_time),
    Check(name="group", promise="children end with it", run=kills_group),
    Check(name="background", promise="background jobs end with it", run=kills_background),
    Check(name="double-fork", promise="daemons end with it", run=kills_double_fork),
    Check(name="stubborn-daemon", promise="stubborn daemons, too", run=kills_stubborn_daemon),
    Check(name="cancellation", promise="stopping kills first", run=kills_when_cancelled),
    Check(name="processes", promise="the number of processes is bounded", run=limits_processes, alone=True),
    Check(name="fork-bomb", promise="a fork bomb is contained", run=survives_fork_bomb, alone=True),
    Check(name="memory", promise="memory is bounded", run=limits_memory),
    Check(name="memory-together", promise="memory of all together is bounded", run=limits_memory_together),
    Check(name="file-size", promise="file size is bounded", run=limits_file_size),
    Check(name="processor-time", promise="processor time is bounded", run=limits_processor_time),
    Check(name="open-files", promise="open files are bounded", run=limits_open_files),
    Check(name="workspace-size", promise="the workspace's size is bounded", run=limits_workspace),
    Check(name="workspace-files", promise="its number of files is bounded", run=limits_number_of_files),
    Check(name="core", promise="no memory images", run=writes_no_core),
)
PACKAGES = Check(name="packages", promise="numpy, pandas, openpyxl and matplotlib work", run=imports_packages)
