"""An obedient model that fetches whatever it is told to, in a real thread."""

from tests.support.model import call, calls
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, staged
from tests.web.conftest import SmallWeb, small_web

__all__ = ["small_web"]


async def test_one_approval_covers_one_host_of_one_thread(
    slack: LocalSlack, redis_url: str, small_web: SmallWeb
) -> None:
    """The first page of a host asks, the second does not; another host is refused or asked for by itself."""
    first, second = small_web.show("/a", "page a", "text/plain"), small_web.show("/b", "page b", "text/plain")
    host = small_web.base.removeprefix("http://")
    turns = [
        calls(call("web_fetch", url=first)),
        calls(call("web_fetch", url=f"{second}?secret=1"), call("web_fetch", url="http://169.254.169.254/latest/")),
        calls(call("web_fetch", url=f"http://localhost:{host.rpartition(':')[2]}/a")),
    ]
    settings = f'[web]\nprivate_hosts = ["{host}", "localhost:{host.rpartition(":")[2]}"]\n'
    async with staged(slack, redis_url, turns, settings=settings) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} read both pages")
        card = await stage.button(sent, "Approve")
        assert first in card.words
        assert small_web.asked == []
        await stage.ana.click(card, "Approve")
        await stage.model.wait_for_requests(3)
        assert [request.path for request in small_web.asked] == ["/a", "/b"]
        told = str(stage.model.requests[2])
        assert "page b" in told
        assert "not an address of the public internet" in told
        other = await stage.button(sent, "Deny")
        assert "localhost" in other.words
        await stage.ana.send(DATA, "stop", sent.ts)
        await stage.answer(sent)
        assert len(small_web.asked) == 2
