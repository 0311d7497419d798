"""The program has no rights to begin with and cannot get any."""

import os
import sys
from collections.abc import Sequence

from tools.sandbox import seccomp
from tools.sandbox.checks.bench import Bench, Check, complaint, expect
from tools.sandbox.launch import machine

CAPABILITIES = """
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
data = ctypes.create_string_buffer(24)
assert libc.capget(header, data) == 0
effective0, permitted0, _, effective1, permitted1, _ = struct.unpack("=6I", data.raw)
print(effective0 | permitted0 | effective1 | permitted1)
"""
NO_NEW_PRIVILEGES = "import ctypes; print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))"
CALL = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
refused = (errno.EPERM, errno.ENOSYS)
for number in sys.argv[1:]:
    if libc.syscall(int(number), *[ctypes.c_long(0)] * 6) != -1 or ctypes.get_errno() not in refused:
        print(number, ctypes.get_errno())
"""
NEW_NAMESPACE = """
import ctypes, os
if ctypes.CDLL(None, use_errno=True).unshare(0x10000000):
    raise OSError(ctypes.get_errno(), "refused")
"""
TERMINAL = """
import errno, fcntl
try:
    fcntl.ioctl(open("/dev/null"), 0x5412, b"x")
except OSError as error:
    print(error.errno == errno.EPERM)
"""
"""Without the filter the kernel says that it is no terminal."""
LIMIT_OF_BOT = """
import resource
bot, kind = int(sys.argv[1]), resource.RLIMIT_NOFILE
resource.prlimit(bot, kind, resource.prlimit(bot, kind))
"""
SIGNAL_BOT = "import os; os.kill(int(sys.argv[1]), 0)"
TRACE = "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp perf_event_open".split()
MOUNTS = "mount umount2 pivot_root chroot move_mount open_tree fsopen fsmount mount_setattr".split()
KEYS = "keyctl add_key request_key".split()
RINGS = "io_uring_setup io_uring_enter io_uring_register".split()
KERNEL = "bpf userfaultfd init_module finit_module delete_module kexec_load reboot swapon settimeofday acct".split()


async def is_not_root(bench: Bench) -> str:
    """The user is the workspace's, in all its forms."""
    completed = await bench.python("import os; print(*os.getresuid(), *os.getresgid())")
    uid, gid = bench.workspace.owner or (os.getuid(), os.getgid())
    wanted = f"{uid} {uid} {uid} {gid} {gid} {gid}"
    return expect("ids", wanted, completed.stdout.decode().strip())


async def has_no_groups(bench: Bench) -> str:
    """No further group of this process is kept; where it is not root it cannot drop its own."""
    if bench.workspace.owner is None:
        return ""
    completed = await bench.python("import os; print(sorted(set(os.getgroups()) - {os.getgid()}))")
    return expect("groups", b"[]\n", completed.stdout)


async def has_no_capabilities(bench: Bench) -> str:
    """Effective and permitted sets are empty."""
    if not linux():
        return ""
    completed = await bench.python(CAPABILITIES)
    return expect("capabilities", b"0\n", completed.stdout) and f"capabilities {complaint(completed)}"


async def gains_no_privileges(bench: Bench) -> str:
    """Set-user-id programs stay harmless."""
    completed = await bench.python(NO_NEW_PRIVILEGES)
    return expect("no_new_privs", b"1\n", completed.stdout) if linux() else ""


async def refused_calls(bench: Bench, names: Sequence[str]) -> str:
    """Every one of these system calls answers EPERM, or is unknown to the kernel."""
    if not linux():
        return ""
    column = 0 if machine() == "x86_64" else 1
    numbers = {number: name for name in names if (number := seccomp.CALLS[name][column]) is not None}
    completed = await bench.python(f"import sys\n{CALL}", *numbers)
    return f"answered: {completed.stdout.decode()} {complaint(completed)}" if completed.stdout else ""


async def no_tracing(bench: Bench) -> str:
    """Looking into other processes."""
    return await refused_calls(bench, TRACE)


async def no_mounting(bench: Bench) -> str:
    """Changing the file system."""
    return await refused_calls(bench, MOUNTS)


async def no_keys(bench: Bench) -> str:
    """Keys that the kernel holds for users."""
    return await refused_calls(bench, KEYS)


async def no_rings(bench: Bench) -> str:
    """io_uring, which goes around the filter."""
    return await refused_calls(bench, RINGS)


async def no_kernel_calls(bench: Bench) -> str:
    """Calls that change or extend the kernel."""
    return await refused_calls(bench, KERNEL)


async def no_namespaces(bench: Bench) -> str:
    """A new user namespace would give all capabilities over itself."""
    return await bench.refuses(NEW_NAMESPACE) if linux() else ""


async def no_typing(bench: Bench) -> str:
    """Putting characters into a terminal's input."""
    return expect("filtered", b"True\n", (await bench.python(TERMINAL)).stdout) if linux() else ""


async def no_signals_to_bot(bench: Bench) -> str:
    """The bot's process cannot be signalled."""
    return await bench.refuses(SIGNAL_BOT, os.getpid())


async def no_limits_on_bot(bench: Bench) -> str:
    """The bot's resource limits cannot be changed, even by the same user."""
    return await bench.refuses(LIMIT_OF_BOT, os.getpid()) if linux() else ""


def linux() -> bool:
    """Some promises are about Linux only."""
    return sys.platform.startswith("linux")


CHECKS = (
    Check(name="user", promise="the user is not root", run=is_not_root),
    Check(name="groups", promise="no further groups", run=has_no_groups),
    Check(name="capabilities", promise="no capabilities", run=has_no_capabilities),
    Check(name="no-new-privileges", promise="none can be gained", run=gains_no_privileges, contained_only=True),
    Check(name="tracing", promise="no tracing", run=no_tracing, contained_only=True),
    Check(name="mounting", promise="no mounts", run=no_mounting, contained_only=True),
    Check(name="keys", promise="no kernel keys", run=no_keys, contained_only=True),
    Check(name="rings", promise="no io_uring", run=no_rings, contained_only=True),
    Check(name="kernel", promise="no changes to the kernel", run=no_kernel_calls, contained_only=True),
    Check(name="namespaces", promise="no new namespaces", run=no_namespaces, contained_only=True),
    Check(name="terminal", promise="no typing into terminals", run=no_typing, contained_only=True),
    Check(name="signals", promise="no signals to the bot", run=no_signals_to_bot, contained_only=True),
    Check(name="foreign-limits", promise="no limits set on the bot", run=no_limits_on_bot, contained_only=True),
)
