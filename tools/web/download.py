"""Downloads one address: resolved once, connected to what was checked, every redirect checked anew, all bounded."""

import asyncio
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urljoin

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from tools.errors import ToolInputError, ToolRefused
from tools.web.addresses import Guard, Target, parsed

MAX_BYTES = 5 * 1024 * 1024
MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
AGENT = "Handrail/0.1 (an agent that fetches single pages for a person)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What came back."""

    target: Target
    """Where it was in the end."""
    status: int
    kind: str
    """The content type without parameters."""
    charset: str
    body: bytes
    is_cut: bool
    """True when there was more than `MAX_BYTES`."""


class Checked(AbstractResolver):
    """Answers with the addresses that were checked, whatever a name server would say by now."""

    def __init__(self, host: str, addresses: tuple[str, ...]) -> None:
        self.host = host
        self.addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The checked addresses of the one host."""
        if host != self.host:
            raise OSError(f"{host} was not checked")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self.addresses
        ]

    async def close(self) -> None:
        """Nothing is held."""


async def download(
    url: str, guard: Guard, *, limit: timedelta, headers: Mapping[str, str] | None = None, data: bytes | None = None
) -> Page:
    """Fetch an address, following redirects only where they stay with the same host.

    Args:
        url: http or https.
        guard: says which addresses may be connected to.
        limit: for all of it.
        headers: further ones; they go to the first host only, as no other is followed.
        data: a body to post; None gets.

    Raises:
        ToolInputError: the address cannot be fetched.
        ToolRefused: it may not be, or it failed.
    """
    target = parsed(url)
    try:
        async with asyncio.timeout(limit.total_seconds()):
            for _ in range(MAX_REDIRECTS + 1):
                page, onward = await once(target, guard, headers or {}, data)
                if not onward:
                    return page
                target = followed(target, onward)
    except TimeoutError as error:
        raise ToolRefused(f"{target.host} did not answer within {limit.total_seconds():g} s.") from error
    raise ToolRefused(f"{target.host} redirects more than {MAX_REDIRECTS} times.")


def followed(before: Target, onward: str) -> Target:
    """Where a redirect leads, as long as it stays with the host that was approved.

    Raises:
        ToolRefused: it leads to another host, which has to be asked for by its own name.
    """
    try:
        target = parsed(urljoin(before.url, onward))
    except ToolInputError as error:
        raise ToolRefused(f"{before.host} redirects to something that cannot be fetched: {error}") from error
    if target.host.removeprefix("www.") != before.host.removeprefix("www."):
        raise ToolRefused(
            f"{before.host} redirects to {target.url}, which is another host. Fetch that address if you need it."
        )
    if before.scheme == "https" and target.scheme == "http":
        raise ToolRefused(f"{before.host} redirects from https to http, which is not followed.")
    return target


async def once(target: Target, guard: Guard, headers: Mapping[str, str], data: bytes | None) -> tuple[Page, str]:
    """One request; the page, and where it redirects to or an empty text.

    Raises:
        ToolRefused: the host may not be connected to, or the request failed.
    """
    addresses = await guard.addresses(target)
    # As it was approved, byte for byte: the library would tidy the path.
    connector = aiohttp.TCPConnector(resolver=Checked(target.host, addresses), use_dns_cache=False, force_close=True)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
    agent = {"User-Agent": AGENT, "Accept": "text/html,text/plain,application/json;q=0.9,*/*;q=0.5", **headers}
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.request(
                "GET" if data is None else "POST",
                URL(target.url, encoded=True),
                headers=agent,
                data=data,
                allow_redirects=False,
            ) as response,
        ):
            if response.status in REDIRECTS and "Location" in response.headers:
                return page_of(target, response, b"", is_cut=False), response.headers["Location"]
            body = await bounded(response)
            return page_of(target, response, body[:MAX_BYTES], is_cut=len(body) > MAX_BYTES), ""
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise ToolRefused(f"{target.host} could not be fetched ({type(error).__name__}).") from error


async def bounded(response: aiohttp.ClientResponse) -> bytes:
    """The body, unpacked, up to one byte more than is kept: a packed bomb is never unpacked whole."""
    pieces: list[bytes] = []
    size = 0
    async for piece in response.content.iter_chunked(64 * 1024):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            break
    return b"".join(pieces)[: MAX_BYTES + 1]


def page_of(target: Target, response: aiohttp.ClientResponse, body: bytes, *, is_cut: bool) -> Page:
    """The answer as a value."""
    return Page(
        target=target,
        status=response.status,
        kind=response.content_type.lower(),
        charset=response.charset or "utf-8",
        body=body,
        is_cut=is_cut,
    )
