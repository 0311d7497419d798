"""Which addresses a model may make us connect to: public ones, judged by the number that is really connected to.

An allow-list, not a list of what is bad: of IPv6 only global unicast, of IPv4 everything that is not reserved. Numbers
that carry another inside (mapped, 6to4, NAT64, Teredo) are refused, since what they reach depends on the network.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from tools.errors import ToolInputError, ToolRefused
from tools.text import visible

MAX_URL = 4_096
GLOBAL_V6 = ipaddress.ip_network("2000::/3")
RESERVED = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 "
            "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 "
            "2001::/23 2001:db8::/32 2002::/16 3fff::/20"
        ).split(),
    )
)
PORTS = {"http": 80, "https": 443}

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An address on the web, taken apart once; what is judged is what is used."""

    scheme: str
    host: str
    """In small letters, without a final dot; a number stays as it was written."""
    port: int
    path: str
    """With the query."""

    @property
    def url(self) -> str:
        """The address in its one spelling."""
        port = "" if PORTS[self.scheme] == self.port else f":{self.port}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{port}{self.path}"


def parsed(url: str) -> Target:
    """The address taken apart.

    Raises:
        ToolInputError: it is none that can be fetched: another scheme, user names, hidden characters.
    """
    if len(url) > MAX_URL or visible(url) != url or any(mark in url for mark in " \\\n\t\r"):
        raise ToolInputError("The URL is too long or holds spaces, backslashes or characters that cannot be seen.")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise ToolInputError(f"The URL cannot be read: {error}.") from error
    if parts.scheme not in PORTS:
        raise ToolInputError("Only http and https addresses can be fetched.")
    if not host or "@" in parts.netloc or "%" in host:
        raise ToolInputError("The URL needs a plain host name, without user name or password.")
    try:
        host = host if ":" in host else host.encode("idna").decode("ascii").lower()
    except UnicodeError as error:
        raise ToolInputError("The host name is not valid.") from error
    path = urlunsplit(("", "", parts.path or "/", parts.query, ""))
    return Target(scheme=parts.scheme, host=host, port=port or PORTS[parts.scheme], path=path)


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet."""
    if isinstance(address, ipaddress.IPv6Address) and address not in GLOBAL_V6:
        return False
    return not any(address in network for network in RESERVED if network.version == address.version)


@dataclass(frozen=True, slots=True)
class Guard:
    """Resolves a host once and says where to connect. `private` lists `host:port` pairs the operator opened."""

    private: Collection[str] = ()

    async def addresses(self, target: Target) -> tuple[str, ...]:
        """The checked addresses of a target; connect to these and to nothing else.

        Raises:
            ToolRefused: it cannot be found, or any of its addresses is not public.
        """
        found = await resolved(target)
        if f"{target.host}:{target.port}" not in self.private and not all(is_public(one) for one in found):
            raise ToolRefused(
                f"{target.host} is not an address of the public internet, so it is not fetched. Do not try other "
                "spellings of it; say so, or ask the person."
            )
        return tuple(str(one) for one in found)


async def resolved(target: Target) -> tuple[Address, ...]:
    """All addresses of the host, as the system's resolver gives them.

    Raises:
        ToolRefused: there are none.
    """
    loop = asyncio.get_running_loop()
    try:
        infos = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise ToolRefused(f"The host {target.host} cannot be found.") from error
    found = {ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in infos}
    if not found:
        raise ToolRefused(f"The host {target.host} cannot be found.")
    return tuple(sorted(found, key=lambda one: (one.version, int(one))))
