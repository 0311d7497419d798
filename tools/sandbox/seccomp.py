"""The system call filter as bytes: classic BPF, built by hand so that nothing needs compiling or installing.

The launcher installs it just before the program starts. It refuses sockets of every family (stream pairs stay),
new namespaces, mounts, tracing, kernel keys, io_uring (which would go around the filter) and the calls by which a
process could change another one of the same user. Numbers are those of linux/arch/*/unistd for x86_64 and aarch64.
"""

import errno
import struct
from collections.abc import Iterable
from typing import Literal

Machine = Literal["x86_64", "aarch64"]

AUDIT_ARCH: dict[Machine, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# name: (x86_64, aarch64); None where the machine has no such call.
CALLS: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chmod": (90, None),
    "chown": (92, None),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchownat": (260, 54),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "futimesat": (261, None),
    "init_module": (175, 105),
    "inotify_add_watch": (254, 27),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, None),
    "iopl": (172, None),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "lchown": (94, None),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semget": (64, 190),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "truncate": (76, 45),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
    "vhangup": (153, 58),
}

REFUSED = (
    "socket ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp "
    "move_pages migrate_pages keyctl add_key request_key bpf perf_event_open userfaultfd io_uring_setup "
    "io_uring_enter io_uring_register unshare setns chroot mount umount2 pivot_root move_mount open_tree fsopen "
    "fsconfig fsmount fspick mount_setattr open_by_handle_at name_to_handle_at quotactl quotactl_fd acct swapon "
    "swapoff reboot kexec_load kexec_file_load init_module finit_module delete_module syslog settimeofday "
    "clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm vhangup fanotify_init "
    "modify_ldt ioprio_set"
).split()
"""Answered EPERM in every back-end."""

SHARED_IPC = "shmget semget msgget mq_open inotify_add_watch".split()
"""Reach other programs of the host where there is no private IPC and mount namespace."""

SIGNALS = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal".split()
"""Refused where Landlock cannot keep signals inside (before ABI 6)."""

ATTRIBUTES = (
    "chmod fchmodat fchmodat2 chown lchown fchownat utime utimes futimesat setxattr lsetxattr setxattrat "
    "removexattr lremovexattr removexattrat"
).split()
"""Change a file by its path, which Landlock does not control: answered with success and no effect."""

OTHERS_ONLY = (
    ("prlimit64", 0),
    ("sched_setaffinity", 0),
    ("sched_setattr", 0),
    ("sched_setparam", 0),
    ("sched_setscheduler", 0),
    ("setpriority", 1),
)
"""Calls whose argument at this position names a process: only 0, the caller itself, is let through."""

CLONE_NEW_NAMESPACES = 0x7E020000
TIOCSTI = 0x5412
AF_INET = 2
X32_BIT = 0x40000000

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
KILL_PROCESS = 0x80000000

LOAD = 0x20
JUMP_EQUAL = 0x15
JUMP_GREATER_EQUAL = 0x35
JUMP_ANY_BIT = 0x45
RETURN = 0x06


def build(
    machine: Machine,
    *,
    shared_host: bool,
    same_user: bool = False,
    old_landlock: int = 99,
    own_network: bool = False,
) -> bytes:
    """The filter for `machine` as an array of `struct sock_filter`.

    `shared_host`: IPC and file names are those of the host (Landlock). `same_user`: the code runs as the user that
    owns this process, so file attributes must not be changed by path. `old_landlock`: the Landlock ABI, for what it
    cannot contain itself. `own_network`: the network is a namespace of its own, so that sockets of IPv4 are harmless.
    """
    column = 0 if machine == "x86_64" else 1
    program = [
        instruction(LOAD, 4),
        instruction(JUMP_EQUAL, AUDIT_ARCH[machine], true=1),
        instruction(RETURN, KILL_PROCESS),
        instruction(LOAD, 0),
    ]
    if machine == "x86_64":
        program += [instruction(JUMP_GREATER_EQUAL, X32_BIT, false=1), instruction(RETURN, ERRNO | errno.EPERM)]
    refused = list(REFUSED)
    if shared_host:
        refused += SHARED_IPC
    if shared_host and old_landlock < 6:
        refused += SIGNALS
    if shared_host and old_landlock < 3:
        refused.append("truncate")
    if own_network:
        refused.remove("socket")
        program += unless_argument_is(numbers_of(["socket"], column), 0, AF_INET)
    program += answer(numbers_of(refused, column), errno.EPERM)
    if same_user:
        program += answer(numbers_of(ATTRIBUTES, column), 0)
        program += unless_argument_is_zero(numbers_of(["utimensat"], column), 1, 0)
    # glibc and musl fall back to clone, whose flags a filter can read.
    program += answer(numbers_of(["clone3"], column), errno.ENOSYS)
    program += argument_test(numbers_of(["clone"], column), 0, JUMP_ANY_BIT, CLONE_NEW_NAMESPACES)
    program += argument_test(numbers_of(["ioctl"], column), 1, JUMP_EQUAL, TIOCSTI)
    # Only AF_UNIX pairs, and no datagram ones: those could still send to a socket of the host by its path.
    program += argument_test(numbers_of(["socketpair"], column), 0, JUMP_GREATER_EQUAL, 2)
    program += argument_test(numbers_of(["socketpair"], column), 1, JUMP_ANY_BIT, 2)
    program += argument_test(numbers_of(["setpriority"], column), 0, JUMP_GREATER_EQUAL, 1)
    for name, position in OTHERS_ONLY:
        program += unless_argument_is_zero(numbers_of([name], column), position, errno.EPERM)
    program.append(instruction(RETURN, ALLOW))
    return b"".join(program)


def instruction(code: int, value: int, *, true: int = 0, false: int = 0) -> bytes:
    """One `struct sock_filter`; `true` and `false` say how many instructions a jump skips."""
    return struct.pack("=HBBI", code, true, false, value)


def numbers_of(names: Iterable[str], column: int) -> list[int]:
    """The numbers of these calls where the machine has them."""
    found = (CALLS[name][column] for name in names)
    return [number for number in found if number is not None]


def answer(numbers: list[int], code: int) -> list[bytes]:
    """Answer these calls with an error, or with success and no effect where `code` is 0."""
    program: list[bytes] = []
    for number in numbers:
        program += [instruction(JUMP_EQUAL, number, false=1), instruction(RETURN, ERRNO | code)]
    return program


def argument_test(numbers: list[int], position: int, test: int, value: int) -> list[bytes]:
    """EPERM when the low half of the argument passes `test`; the call number is loaded again afterwards."""
    program: list[bytes] = []
    for number in numbers:
        program += [
            instruction(JUMP_EQUAL, number, false=4),
            instruction(LOAD, 16 + 8 * position),
            instruction(test, value, false=1),
            instruction(RETURN, ERRNO | errno.EPERM),
            instruction(LOAD, 0),
        ]
    return program


def unless_argument_is(numbers: list[int], position: int, value: int) -> list[bytes]:
    """EPERM unless the low half of the argument is `value`; the call number is loaded again afterwards."""
    program: list[bytes] = []
    for number in numbers:
        program += [
            instruction(JUMP_EQUAL, number, false=4),
            instruction(LOAD, 16 + 8 * position),
            instruction(JUMP_EQUAL, value, true=1),
            instruction(RETURN, ERRNO | errno.EPERM),
            instruction(LOAD, 0),
        ]
    return program


def unless_argument_is_zero(numbers: list[int], position: int, code: int) -> list[bytes]:
    """`code` unless both halves are zero: a pointer may have an empty low half."""
    program: list[bytes] = []
    for number in numbers:
        program += [
            instruction(JUMP_EQUAL, number, false=6),
            instruction(LOAD, 16 + 8 * position),
            instruction(JUMP_EQUAL, 0, false=3),
            instruction(LOAD, 20 + 8 * position),
            instruction(JUMP_EQUAL, 0, false=1),
            instruction(RETURN, ALLOW),
            instruction(RETURN, ERRNO | code),
        ]
    return program
