"""Programs run as a person would expect."""

import json
import signal

from tools.sandbox.checks.bench import Bench, Check, complaint, expect
from tools.sandbox.port import Limits

ODD_WORDS = ("a b", "", "quote'\"", "line\nbreak", "snow \u2603", "$HOME;`id`", "--help")
NAMES = frozenset(
    "GIT_CONFIG_NOSYSTEM HOME LANG LOGNAME MALLOC_ARENA_MAX MPLBACKEND MPLCONFIGDIR OMP_NUM_THREADS "
    "OPENBLAS_NUM_THREADS PATH PWD PYTHONDONTWRITEBYTECODE PYTHONNOUSERSITE PYTHONPATH PYTHONUNBUFFERED "
    "TMPDIR USER LC_CTYPE __CF_USER_TEXT_ENCODING".split()
)
"""Everything that may be in the environment; the last two are set by Python and by macOS."""


async def passes_exit_code(bench: Bench) -> str:
    """A code other than 0 and 1 arrives unchanged."""
    completed = await bench.run("sh", "-c", "exit 7")
    return expect("exit code", 7, completed.exit_code)


async def keeps_streams_apart(bench: Bench) -> str:
    """Each stream holds only its own bytes."""
    completed = await bench.run("sh", "-c", "echo out; echo err >&2")
    return expect("streams", (b"out\n", b"err\n"), (completed.stdout, completed.stderr))


async def keeps_bytes(bench: Bench) -> str:
    """Every byte value survives."""
    completed = await bench.python("import sys; sys.stdout.buffer.write(bytes(range(256)))")
    return expect("bytes", bytes(range(256)), completed.stdout)


async def delivers_stdin(bench: Bench) -> str:
    """A megabyte of standard input arrives whole."""
    completed = await bench.run("wc", "-c", stdin=b"x" * 1_000_000)
    return expect("bytes read", b"1000000", completed.stdout.strip())


async def ignores_unread_stdin(bench: Bench) -> str:
    """A program may end without reading its input."""
    completed = await bench.run("sh", "-c", "exit 0", stdin=b"x" * 1_000_000)
    return expect("exit code", 0, completed.exit_code)


async def closes_stdin(bench: Bench) -> str:
    """Without input, reading ends at once instead of waiting for a person."""
    completed = await bench.python("import sys; print(repr(sys.stdin.read()))")
    return expect("read", b"''\n", completed.stdout)


async def keeps_arguments(bench: Bench) -> str:
    """Spaces, quotes, line breaks and shell characters are not interpreted."""
    completed = await bench.python("import json, sys; print(json.dumps(sys.argv[1:]))", *ODD_WORDS)
    return expect("arguments", list(ODD_WORDS), json.loads(completed.stdout or b"null"))


async def names_missing_program(bench: Bench) -> str:
    """A program that is not there is told as shells do."""
    completed = await bench.run("no-such-program")
    if b"no-such-program" not in completed.stderr:
        return f"not named {complaint(completed)}"
    return expect("exit code", 127, completed.exit_code)


async def tells_signal(bench: Bench) -> str:
    """Death by a signal is told as 128 and its number."""
    completed = await bench.python("import ctypes; ctypes.string_at(0)")
    return expect("exit code", 128 + signal.SIGSEGV, completed.exit_code)


async def clears_environment(bench: Bench) -> str:
    """Nothing of the bot's environment is inside: no token, no key."""
    completed = await bench.python("import json, os; print(json.dumps(sorted(os.environ)))")
    found: list[str] = json.loads(completed.stdout or b'["nothing"]')
    return expect("unexpected variables", [], sorted(set(found) - NAMES))


async def passes_environment(bench: Bench) -> str:
    """What the tool sets is set."""
    completed = await bench.run("sh", "-c", 'echo "$GREETING"', env={"GREETING": "hello"})
    return expect("variable", b"hello\n", completed.stdout)


async def keeps_files(bench: Bench) -> str:
    """The next call and the host see what a call wrote."""
    await bench.run("sh", "-c", "mkdir -p kept && echo one > kept/file.txt")
    completed = await bench.run("cat", "file.txt", cwd="kept")
    on_host = (bench.workspace.root / "kept" / "file.txt").read_bytes()
    return expect("file", (b"one\n", b"one\n"), (completed.stdout, on_host))


async def starts_in_workspace(bench: Bench) -> str:
    """The working directory and HOME are the workspace."""
    completed = await bench.run("sh", "-c", 'pwd; echo "$HOME"')
    home = bench.sandbox.inside(bench.workspace)
    return expect("directories", [home, home], completed.stdout.decode().splitlines())


async def keeps_head_and_tail(bench: Bench) -> str:
    """Of too much output both ends are kept and the rest is counted."""
    code = "import sys; sys.stdout.write('a' * 1000 + 'b' * 3_000_000 + 'c' * 1000)"
    completed = await bench.python(code, limits=Limits(output_bytes=2000))
    found = (completed.stdout, completed.stdout_dropped, completed.exit_code)
    return expect("output", (b"a" * 1000 + b"c" * 1000, 3_000_000, 0), found)


async def takes_a_megabyte(bench: Bench) -> str:
    """A megabyte of output arrives whole."""
    completed = await bench.python("print('x' * 1_000_000)", limits=Limits(output_bytes=2_000_000))
    return expect("bytes", (1_000_001, 0), (len(completed.stdout), completed.stdout_dropped))


async def survives_flood(bench: Bench) -> str:
    """Endless output neither fills memory nor stops the program early."""
    completed = await bench.run("sh", "-c", "yes | head -c 30000000; yes | head -c 30000000 >&2; exit 5")
    found = (completed.exit_code, len(completed.stdout) + completed.stdout_dropped)
    return expect("exit code and bytes", (5, 30_000_000), found)


async def offers_temporary_files(bench: Bench) -> str:
    """Temporary files work and are gone in the next call."""
    first = await bench.run("sh", "-c", 'echo here > "$TMPDIR/left" && cat "$TMPDIR/left"')
    second = await bench.run("sh", "-c", 'cat "$TMPDIR/left" 2>/dev/null; true')
    return expect("temporary file", (b"here\n", b""), (first.stdout, second.stdout))


async def starts_children(bench: Bench) -> str:
    """Pipes, substitutions and subprocesses work."""
    code = "import subprocess; print(subprocess.run('seq 3 | tail -n 1', shell=True, capture_output=True).stdout)"
    completed = await bench.python(code)
    return expect("output", b"b'3\\n'\n", completed.stdout)


async def runs_event_loop(bench: Bench) -> str:
    """An asyncio loop and threads work without sockets."""
    code = "import asyncio; print(asyncio.run(asyncio.to_thread(lambda: 'ran')))"
    completed = await bench.python(code)
    return expect("output", b"ran\n", completed.stdout)


CHECKS = (
    Check(name="exit-code", promise="the exit code arrives", run=passes_exit_code),
    Check(name="streams", promise="stdout and stderr arrive apart", run=keeps_streams_apart),
    Check(name="bytes", promise="output need not be text", run=keeps_bytes),
    Check(name="stdin", promise="input arrives whole", run=delivers_stdin),
    Check(name="stdin-unread", promise="unread input is no error", run=ignores_unread_stdin),
    Check(name="stdin-closed", promise="nobody is waited for", run=closes_stdin),
    Check(name="arguments", promise="arguments are not interpreted", run=keeps_arguments),
    Check(name="missing-program", promise="a missing program is named", run=names_missing_program),
    Check(name="signal", promise="death by a signal is told", run=tells_signal),
    Check(name="environment-cleared", promise="nothing of the bot's environment is inside", run=clears_environment),
    Check(name="environment-passed", promise="variables of the tool are set", run=passes_environment),
    Check(name="files-kept", promise="files in the workspace stay", run=keeps_files),
    Check(name="working-directory", promise="programs start in the workspace", run=starts_in_workspace),
    Check(name="output-capped", promise="head and tail of long output are kept", run=keeps_head_and_tail),
    Check(name="output-megabyte", promise="a megabyte of output is fine", run=takes_a_megabyte),
    Check(name="output-flood", promise="a flood of output does no harm", run=survives_flood),
    Check(name="temporary-files", promise="temporary files work and vanish", run=offers_temporary_files),
    Check(name="children", promise="child processes and pipes work", run=starts_children),
    Check(name="event-loop", promise="asyncio and threads work", run=runs_event_loop),
)
