"""What a program asks a proxy for: the head of one HTTP request, read strictly."""

import asyncio
from typing import NamedTuple

HEAD_BYTES = 16_384
HEAD_SECONDS = 15.0
HOP = frozenset({"connection", "proxy-connection", "proxy-authorization", "keep-alive", "host", "te", "upgrade"})
"""Headers that are not passed on."""


class Refusal(Exception):
    """The request is not carried out; the program reads the status and why."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status

    @property
    def answer(self) -> bytes:
        """The whole response."""
        body = f"{self}\n".encode()
        head = f"HTTP/1.1 {self.status} Refused\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
        return f"{head}Connection: close\r\n\r\n".encode() + body


class Wanted(NamedTuple):
    """Where to, and what is to be sent first."""

    url: str
    tunnel: bool
    """True: everything after the head is passed on as it is."""
    head: bytes


async def read_request(reader: asyncio.StreamReader) -> Wanted:
    """Read the head.

    Raises:
        Refusal: it is none that a proxy can carry out.
    """
    try:
        async with asyncio.timeout(HEAD_SECONDS):
            raw = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError) as error:
        raise Refusal(400, "no readable request") from error
    lines = raw.decode("latin-1").split("\r\n")[:-2]
    method, _, rest = lines[0].partition(" ")
    target, _, version = rest.rpartition(" ")
    if version not in {"HTTP/1.1", "HTTP/1.0"} or not method.isalpha():
        raise Refusal(400, "no readable request")
    if method == "CONNECT":
        return Wanted(url=f"https://{target}", tunnel=True, head=b"")
    if not target.startswith("http://"):
        raise Refusal(400, "only CONNECT and plain http addresses are carried out")
    return Wanted(url=target, tunnel=False, head=passed_on(method, target, lines[1:]))


def passed_on(method: str, target: str, headers: list[str]) -> bytes:
    """The head as the server gets it: its own name as the host, and an end after this one request."""
    host, slash, path = target.removeprefix("http://").partition("/")
    kept = [line for line in headers if line.partition(":")[0].strip().lower() not in HOP]
    lines = [f"{method} {slash or '/'}{path} HTTP/1.1", f"Host: {host}", *kept, "Connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
