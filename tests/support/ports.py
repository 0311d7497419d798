"""Ports for servers that are started later, or a second time at the same address."""

import secrets
import socket

FIRST, LAST = 10_000, 30_000
"""Below the range from which systems give ports to whoever names none: nobody else gets one of these meanwhile."""


def free_port() -> int:
    """A port of the loopback interface that nobody uses now."""
    while True:
        port = FIRST + secrets.randbelow(LAST - FIRST)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
