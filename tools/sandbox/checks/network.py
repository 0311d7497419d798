"""Nothing inside reaches the network or a socket of the host."""

import socket

from tools.sandbox.checks.bench import Bench, Check

TCP = "import socket; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)"
UDP = """
import socket
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.sendto(b"out", ("127.0.0.1", int(sys.argv[1])))
"""
STREAM = """
import socket
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1].replace("@", chr(0)))
"""
DATAGRAM = """
import socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"out", sys.argv[1])
"""
PAIR = """
import socket
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.sendto(b"out", sys.argv[1])
"""
FAMILY = "import socket; socket.socket(int(sys.argv[1]), int(sys.argv[2]))"
METADATA = "169.254.169.254"


def port_of(one: socket.socket) -> int:
    """The port a socket is bound to."""
    return int(one.getsockname()[1])


def arrived(one: socket.socket) -> bool:
    """Whether a datagram waits."""
    try:
        return bool(one.recv(100))
    except BlockingIOError:
        return False


async def no_tcp(bench: Bench) -> str:
    """A port of the host's loopback."""
    return await bench.refuses(TCP, "127.0.0.1", port_of(bench.host.tcp))


async def no_tcp6(bench: Bench) -> str:
    """The same over IPv6."""
    return await bench.refuses(TCP, "::1", port_of(bench.host.tcp6) if bench.host.tcp6 else 9)


async def no_udp(bench: Bench) -> str:
    """A datagram must not even leave silently."""
    await bench.refuses(UDP, port_of(bench.host.udp))
    return "a datagram arrived" if arrived(bench.host.udp) else ""


async def no_metadata(bench: Bench) -> str:
    """The address where clouds hand out credentials."""
    return await bench.refuses(TCP, METADATA, 80)


async def no_names(bench: Bench) -> str:
    """Resolving a name is network, too: data can leave in it."""
    return await bench.refuses("import socket; socket.getaddrinfo('exfiltrate.example.com', 80)")


async def no_unix_stream(bench: Bench) -> str:
    """A socket of the host by its path, such as that of a database or of Docker."""
    return await bench.refuses(STREAM, bench.host.directory / "stream.sock")


async def no_unix_datagram(bench: Bench) -> str:
    """A datagram socket of the host, such as the system log."""
    await bench.refuses(DATAGRAM, bench.host.directory / "datagram.sock")
    return "a datagram arrived" if arrived(bench.host.datagram) else ""


async def no_datagram_by_pair(bench: Bench) -> str:
    """A socket pair must not serve as a way to make one."""
    await bench.refuses(PAIR, bench.host.directory / "datagram.sock")
    return "a datagram arrived" if arrived(bench.host.datagram) else ""


async def no_unix_in_mount(bench: Bench) -> str:
    """A socket that lies in a read-only mount is not connected to."""
    path = f"{bench.sandbox.mount_path('host', bench.host.directory)}/stream.sock"
    code = f"import socket; socket.socket(socket.AF_UNIX).connect({path!r})"
    completed = await bench.python(code, read_only={"host": bench.host.directory})
    return "connected" if completed.exit_code == 0 else ""


async def no_abstract(bench: Bench) -> str:
    """A socket of the host without a path."""
    return await bench.refuses(STREAM, f"@handrail-{bench.host.secret}")


async def no_packet_socket(bench: Bench) -> str:
    """Raw frames."""
    return await bench.refuses(FAMILY, 17, 3)


async def no_netlink(bench: Bench) -> str:
    """The kernel's configuration."""
    return await bench.refuses(FAMILY, 16, 3)


async def no_vsock(bench: Bench) -> str:
    """The way from a virtual machine to its host."""
    return await bench.refuses(FAMILY, 40, 1)


CHECKS = (
    Check(name="tcp", promise="no TCP", run=no_tcp, contained_only=True),
    Check(name="tcp6", promise="no TCP over IPv6", run=no_tcp6, contained_only=True),
    Check(name="udp", promise="no UDP", run=no_udp, contained_only=True),
    Check(name="metadata", promise="no cloud credentials", run=no_metadata, contained_only=True),
    Check(name="names", promise="no name resolution", run=no_names, contained_only=True),
    Check(name="unix-stream", promise="no UNIX sockets of the host", run=no_unix_stream, contained_only=True),
    Check(name="unix-datagram", promise="no datagrams to the host", run=no_unix_datagram, contained_only=True),
    Check(name="unix-pair", promise="no datagrams by a socket pair", run=no_datagram_by_pair, contained_only=True),
    Check(name="unix-mount", promise="no sockets in a mount", run=no_unix_in_mount, contained_only=True),
    Check(name="unix-abstract", promise="no abstract sockets of the host", run=no_abstract, contained_only=True),
    Check(name="packet", promise="no raw frames", run=no_packet_socket, contained_only=True),
    Check(name="netlink", promise="no netlink", run=no_netlink, contained_only=True),
    Check(name="vsock", promise="no VM sockets", run=no_vsock, contained_only=True),
)
