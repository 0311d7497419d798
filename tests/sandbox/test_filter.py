"""The system call filter, run instruction by instruction for both machines."""

import errno
from collections.abc import Sequence

import pytest

from tests.sandbox.bpf import Call, verdict
from tools.sandbox.seccomp import (
    ALLOW,
    ATTRIBUTES,
    AUDIT_ARCH,
    CALLS,
    ERRNO,
    KILL_PROCESS,
    REFUSED,
    SHARED_IPC,
    SIGNALS,
    Machine,
    build,
)

MACHINES: tuple[Machine, ...] = ("x86_64", "aarch64")
EPERM = ERRNO | errno.EPERM
ENOSYS = ERRNO | errno.ENOSYS
PRETEND = ERRNO | 0


def having(names: Sequence[str]) -> list[tuple[Machine, str]]:
    """Each machine with each call that it has."""
    return [(machine, name) for n, machine in enumerate(MACHINES) for name in names if CALLS[name][n] is not None]


def call(machine: Machine, name: str, *arguments: int) -> Call:
    """A call by name."""
    number = CALLS[name][MACHINES.index(machine)]
    assert number is not None
    return Call(number, AUDIT_ARCH[machine], arguments)


@pytest.mark.parametrize(("machine", "name"), having(REFUSED))
def test_a_dangerous_call_is_refused(machine: Machine, name: str) -> None:
    """Every back-end's filter answers EPERM, whatever the arguments."""
    assert verdict(build(machine, shared_host=False), call(machine, name, 1, 1)) == EPERM


@pytest.mark.parametrize(("machine", "name"), having(SHARED_IPC))
def test_ipc_of_the_host_is_refused_only_where_it_is_shared(machine: Machine, name: str) -> None:
    """Bubblewrap has IPC of its own; Landlock does not."""
    assert verdict(build(machine, shared_host=True), call(machine, name)) == EPERM
    assert verdict(build(machine, shared_host=False), call(machine, name)) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("abi", "expected"), [(5, EPERM), (6, ALLOW)])
def test_signals_are_refused_where_landlock_cannot_scope_them(machine: Machine, abi: int, expected: int) -> None:
    """Before ABI 6 a program could signal the bot, so it can signal nobody."""
    program = build(machine, shared_host=True, old_landlock=abi)
    assert [verdict(program, call(machine, name, 1234, 9)) for name in SIGNALS] == [expected] * len(SIGNALS)


@pytest.mark.parametrize(("machine", "name"), having(ATTRIBUTES))
def test_file_attributes_stay_where_the_bots_user_runs_the_code(machine: Machine, name: str) -> None:
    """Landlock does not control them, so the call is answered with success and has no effect."""
    assert verdict(build(machine, shared_host=True, same_user=True), call(machine, name)) == PRETEND
    assert verdict(build(machine, shared_host=True), call(machine, name)) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_times_of_an_open_file_may_be_set_but_not_by_path(machine: Machine) -> None:
    """A path whose address has an empty low half is still a path."""
    program = build(machine, shared_host=True, same_user=True)
    found = [verdict(program, call(machine, "utimensat", 3, path)) for path in (0, 0x7F00, 0x1_0000_0000)]
    assert found == [ALLOW, PRETEND, PRETEND]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("flag", [0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
def test_clone_makes_no_namespace(machine: Machine, flag: int) -> None:
    """Threads and processes are fine, each kind of namespace is not, and clone3 sends libraries back to clone."""
    program = build(machine, shared_host=False)
    assert verdict(program, call(machine, "clone", 0x003D0F00)) == ALLOW
    assert verdict(program, call(machine, "clone", 0x11 | flag)) == EPERM
    assert verdict(program, call(machine, "clone3")) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("family", "kind", "expected"),
    [
        (1, 1, ALLOW),
        (1, 1 | 0x80800, ALLOW),
        (1, 5, ALLOW),
        (1, 2, EPERM),
        (1, 3, EPERM),
        (2, 1, EPERM),
        (30, 1, EPERM),
    ],
)
def test_only_connected_pairs_of_unix_sockets_are_made(machine: Machine, family: int, kind: int, expected: int) -> None:
    """A datagram pair could send to any socket of the host."""
    assert verdict(build(machine, shared_host=False), call(machine, "socketpair", family, kind)) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_limits_and_priorities_change_only_for_the_caller(machine: Machine) -> None:
    """A process may change its own, and nobody's by number, group or user."""
    program = build(machine, shared_host=True, same_user=True)
    own = [call(machine, "prlimit64", 0, 7), call(machine, "setpriority", 0, 0), call(machine, "sched_setaffinity", 0)]
    others = [
        call(machine, "prlimit64", 42, 7),
        call(machine, "setpriority", 0, 42),
        call(machine, "setpriority", 2, 0),
        call(machine, "sched_setaffinity", 42),
    ]
    assert [verdict(program, one) for one in own] == [ALLOW] * len(own)
    assert [verdict(program, one) for one in others] == [EPERM] * len(others)


@pytest.mark.parametrize("machine", MACHINES)
def test_typing_into_a_terminal_is_refused(machine: Machine) -> None:
    """TIOCSTI is; other requests are not."""
    program = build(machine, shared_host=False)
    assert verdict(program, call(machine, "ioctl", 0, 0x5412)) == EPERM
    assert verdict(program, call(machine, "ioctl", 0, 0x5413)) == ALLOW


def test_calls_of_another_machine_end_the_process() -> None:
    """32-bit calls have other numbers, so the filter would not recognise them."""
    assert verdict(build("x86_64", shared_host=False), Call(102, 0x40000003)) == KILL_PROCESS
    assert verdict(build("aarch64", shared_host=False), Call(198, AUDIT_ARCH["x86_64"])) == KILL_PROCESS


def test_the_x32_numbers_are_refused() -> None:
    """The same calls with another bit in their number."""
    assert verdict(build("x86_64", shared_host=False), Call(0x40000000 | 41, AUDIT_ARCH["x86_64"])) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_ordinary_calls_pass(machine: Machine) -> None:
    """Numbers that the filter does not know are let through."""
    program = build(machine, shared_host=True, same_user=True, old_landlock=1)
    known = {numbers[MACHINES.index(machine)] for numbers in CALLS.values()}
    assert all(verdict(program, Call(n, AUDIT_ARCH[machine])) == ALLOW for n in range(470) if n not in known)
