"""A name server that changes its mind."""

from datetime import timedelta

import pytest

from tests.web.conftest import SmallWeb
from tools.errors import ToolRefused
from tools.web.download import Checked, download


async def test_a_name_that_answers_otherwise_the_second_time_is_not_asked_a_second_time(small_web: SmallWeb) -> None:
    """The connection goes to the address that was checked: the library's own resolver never sees the name."""
    port = int(small_web.base.rpartition(":")[2])
    small_web.show("/", "inner page", "text/plain")
    resolver = Checked("rebind.example", ("93.184.216.34",))
    found = await resolver.resolve("rebind.example", port)
    assert [one["host"] for one in found] == ["93.184.216.34"]
    with pytest.raises(OSError, match="was not checked"):
        await resolver.resolve("localhost", port)


async def test_every_hop_is_resolved_and_judged_anew(small_web: SmallWeb) -> None:
    """A guard that opened one port judges the redirect to another port of the same host by itself."""
    url = small_web.redirect("/go", "http://127.0.0.1:1/")
    with pytest.raises(ToolRefused, match="not an address of the public internet"):
        await download(url, small_web.guard, limit=timedelta(seconds=60))
