"""Runs inside, as `python -I -S -c <this text> SPEC ARGV...`: takes away rights, then becomes the program.

It is a text handed to the prepared interpreter, not an import, so it needs nothing but the standard library and no
path of this project to be readable inside. SPEC is a JSON object:
`chdir`; `seeds` [[file, copy]], written before anything is taken away; `limits` [[resource, soft, hard]];
`landlock` null or {attr, rules [[path, directory mask, file mask]]}; `seccomp` a BPF program in hex or empty;
`control` a descriptor, -1 or `BY_INPUT`; `scratch` a directory to remove when nobody else can any more, or empty;
`gate` where to send a socket that listens on the loopback port `gate_port`, or -1; `groups` the open lists of processes
of control groups to move into; `input` how many bytes of standard input are the program's, with `BY_INPUT`.

With a control descriptor it stays behind as a supervisor: every orphan becomes its child, and when the program ends or
the other end of the descriptor closes, whatever is left is stopped and killed before it reports the exit code.
"""

import _socket
import ctypes
import json
import os
import resource
import select
import signal
import struct
import sys
from contextlib import suppress
from typing import TypedDict

PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
LANDLOCK_RULE_PATH_BENEATH = 1
NOT_EXECUTABLE = 126
NOT_FOUND = 127
SIGNALLED = 128
"""Added to the number of the signal that ended the program, as shells do."""
BY_INPUT = -2
"""Supervise until standard input ends, which is whoever holds the other end of a container's."""


class Landlock(TypedDict):
    """The rule set: its attributes in hex and one entry per reachable path."""

    attr: str
    rules: list[tuple[str, int, int]]


class Spec(TypedDict):
    """What the launcher is told; see above."""

    chdir: str
    seeds: list[tuple[str, str]]
    limits: list[tuple[str, int, int]]
    landlock: Landlock | None
    seccomp: str
    control: int
    scratch: str
    gate: int
    gate_port: int
    groups: list[int]
    input: int


def main() -> int:
    """Contain and run; returns only in the supervisor or when the program cannot be started."""
    spec: Spec = json.loads(sys.argv[1])
    argv = sys.argv[2:]
    for group in spec["groups"]:
        os.write(group, b"0")
        os.close(group)
    if spec["control"] == BY_INPUT:
        for name in ("HOSTNAME", "TERM", "container"):
            os.environ.pop(name, None)  # noqa: TID251 - set by engines, and nothing that the bot gave
        spec["control"] = take_input(spec["input"])
    return supervise(spec, argv) if spec["control"] >= 0 else become(spec, argv)


def take_input(size: int) -> int:
    """Set the program's part of standard input aside for it; the descriptor of the rest, which only ends."""
    control, aside = os.dup(0), os.memfd_create("input")
    while size > 0 and (piece := os.read(control, min(size, 65_536))):
        os.write(aside, piece)
        size -= len(piece)
    os.lseek(aside, 0, os.SEEK_SET)
    os.dup2(aside, 0)
    return control


def become(spec: Spec, argv: list[str]) -> int:
    """Turn this process into the program; the return value is the exit code when that fails."""
    try:
        for source, copy in spec["seeds"]:
            sow(source, copy)
        if spec["gate"] >= 0:
            open_gate(spec["gate"], spec["gate_port"])
        os.chdir(spec["chdir"])
        contain(spec)
        os.execvp(argv[0], argv)
    except FileNotFoundError as error:
        return complain(f"{error.filename or argv[0]}: not found", NOT_FOUND)
    except OSError as error:
        return complain(f"{argv[0]}: {error.strerror}", NOT_EXECUTABLE)


def open_gate(gate: int, port: int) -> None:
    """Listen inside and hand the socket out: whoever holds the other end serves it."""
    listening = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listening.bind(("127.0.0.1", port))
    listening.listen(64)
    out = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, gate)
    out.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listening.fileno()))])
    out.close()


def complain(sentence: str, code: int) -> int:
    """Say why on standard error and hand the code on."""
    os.write(2, f"{sentence}\n".encode(errors="replace"))
    return code


def sow(source: str, copy: str) -> None:
    """Copy one small file to where the program may write it: a cache it can also do without."""
    try:
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(source, "rb") as reader, open(copy, "wb") as writer:
            writer.write(reader.read())
    except OSError:
        return


def contain(spec: Spec) -> None:
    """Limits first, then files, then system calls: each step needs what the next one takes away."""
    for name, soft, hard in spec["limits"]:
        set_limit(name, soft, hard)
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if spec["landlock"] or spec["seccomp"]:
        checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    if spec["landlock"]:
        restrict_files(libc, spec["landlock"])
    if spec["seccomp"]:
        filter_calls(libc, bytes.fromhex(spec["seccomp"]))


def set_limit(name: str, soft: int, hard: int) -> None:
    """Lower one resource limit; a limit the machine already has stays when it is lower."""
    number = getattr(resource, name, None)
    if number is None:
        return
    ceiling = resource.getrlimit(number)[1]
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(number, (soft, hard))


def checked(result: int) -> int:
    """The result of a C call, or the error it left behind."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"the sandbox could not be set up ({os.strerror(number)})")
    return result


def restrict_files(libc: ctypes.CDLL, landlock: Landlock) -> None:
    """Leave only the listed paths reachable."""
    attr = bytes.fromhex(landlock["attr"])
    size = ctypes.c_size_t(len(attr))
    ruleset = checked(libc.syscall(LANDLOCK_CREATE_RULESET, attr, size, 0))
    for path, directory_mask, file_mask in landlock["rules"]:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = directory_mask if os.path.isdir(path) else file_mask
        rule = struct.pack("=Qi", rights, place)
        checked(libc.syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0))
        os.close(place)
    checked(libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def filter_calls(libc: ctypes.CDLL, program: bytes) -> None:
    """Install the system call filter; it stays for every descendant."""
    text = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(text))
    checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0))


def supervise(spec: Spec, argv: list[str]) -> int:
    """Run the program as a child, outlive it, and leave no descendant."""
    control = spec["control"]
    if sys.platform.startswith("linux"):
        libc = ctypes.CDLL(None, use_errno=True)
        checked(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    child = os.fork()
    if child == 0:
        os.close(control)
        os.setpgid(0, 0)
        os._exit(become(spec, argv))
    let_go_of_streams()
    status = wait_for(child, control)
    remove_descendants(child)
    if status is None:
        remove(spec["scratch"])
        return SIGNALLED + signal.SIGKILL
    code = os.waitstatus_to_exitcode(status)
    return SIGNALLED - code if code < 0 else code


def let_go_of_streams() -> None:
    """Only the program may hold its streams, or their readers would wait for this process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def wait_for(child: int, control: int) -> "int | None":
    """The wait status of the program, or None when the other end of `control` closed first."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == child:
            return status
        if pid:
            continue
        ready = select.select([control, woken], [], [])[0]
        if control in ready:
            return None
        os.read(woken, 4096)


def remove_descendants(child: int) -> None:
    """Stop all first, so that their number can only fall, then kill."""
    signal.set_wakeup_fd(-1)
    if not os.path.isdir("/proc/self"):
        signalled(-child, signal.SIGKILL)
        return
    stopped: set[int] = set()
    while fresh := descendants(os.getpid()) - stopped:
        for pid in fresh:
            signalled(pid, signal.SIGSTOP)
        stopped |= fresh
    while True:
        for pid in descendants(os.getpid()):
            signalled(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def remove(directory: str) -> None:
    """Remove a directory with all it holds, as far as that is possible; links are not followed."""
    for folder, folders, files in os.walk(directory, topdown=False):
        for name in files + folders:
            path = os.path.join(folder, name)
            try:
                os.rmdir(path) if name in folders and not os.path.islink(path) else os.unlink(path)
            except OSError:
                continue
    with suppress(OSError):
        os.rmdir(directory)


def signalled(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def descendants(root: int) -> "set[int]":
    """Every process below `root`, by the parent each one names."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                parent = int(stat.read().rpartition(b")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(name))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting += below
    return found


if __name__ == "__main__":
    # No interpreter shutdown: its hooks have nothing to do here and cost milliseconds.
    os._exit(main())
