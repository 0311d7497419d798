"""Where the browser comes back to after a login: a port of this machine."""

import pytest

from bot.commands.mcp_login import waiting
from bot.commands.start import StartProblem


async def test_only_a_port_that_is_taken_is_blamed_on_the_port() -> None:
    """What goes wrong with the login meanwhile keeps its own name."""
    with pytest.raises(ConnectionResetError, match="the server hung up"):
        async with waiting(0):
            raise ConnectionResetError("the server hung up")
    async with waiting(0) as first:
        port = int(first.address.rpartition(":")[2].partition("/")[0])
        with pytest.raises(StartProblem, match=f"Port {port} of this machine cannot be used"):
            async with waiting(port):
                pass
