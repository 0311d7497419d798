"""Where a model can make us connect to."""

import ipaddress

import pytest

from tools.errors import ToolInputError, ToolRefused
from tools.web.addresses import Guard, is_public, parsed

INWARD = (
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]:6379/",
    "http://127.0.0.1/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://0/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://172.31.255.255/",
    "http://100.64.0.1/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[::]/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
)
NO_PAGES = (
    "file:///etc/passwd",
    "gopher://example.com/",
    "redis://127.0.0.1:6379/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "data:text/html,hi",
    "//example.com/",
    "http:///path",
    "http://user:secret@example.com/",
    "http://example.com@127.0.0.1/",
    "http://example.com\\@127.0.0.1/",
    "http://exam\tple.com/",
    "http://example.com/\r\nHost: other",
    "http://example.com:99999/",
    "http://[::1/",
    "http://exa%6dple.com/",
    "http://example.com/\u202egpj",
)


@pytest.mark.parametrize("url", INWARD)
async def test_no_spelling_of_an_inner_address_gets_through(url: str) -> None:
    """Loopback, private, link-local, metadata and embedded addresses are refused in every spelling."""
    with pytest.raises(ToolRefused):
        await Guard().addresses(parsed(url))


@pytest.mark.parametrize("url", NO_PAGES)
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    """Other schemes, user names, hidden characters and broken hosts are not even resolved."""
    with pytest.raises(ToolInputError):
        parsed(url)


@pytest.mark.parametrize("text", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "2a00:1450:4001:830::200e"])
def test_the_public_internet_is_open(text: str) -> None:
    """Ordinary addresses are not in the way of anything."""
    assert is_public(ipaddress.ip_address(text))


async def test_an_operator_may_open_one_port_of_one_host() -> None:
    """What is opened is exactly that pair."""
    guard = Guard(frozenset({"127.0.0.1:8080"}))
    assert await guard.addresses(parsed("http://127.0.0.1:8080/x")) == ("127.0.0.1",)
    with pytest.raises(ToolRefused):
        await guard.addresses(parsed("http://127.0.0.1:8081/x"))
