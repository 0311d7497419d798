"""The tools of Handrail that are made from settings."""

from collections.abc import Callable, Mapping

from bot.commands.start import Start
from tools.builtin.web_fetch import WebFetch
from tools.builtin.web_search import WebSearch
from tools.collection import AnyTool
from tools.web.addresses import Guard
from tools.web.engines import Brave, DuckDuckGo, Engine, SearXNG, Tavily


def web_tools(start: Start) -> tuple[AnyTool, ...]:
    """The tools for the web, unless it is switched off."""
    web = start.settings.web
    if not web.enabled:
        return ()
    guard = Guard(frozenset(web.private_hosts))
    engines = [ENGINES[name](start, guard) for name in web.search]
    ready = [engine for engine in engines if engine is not None]
    search = (WebSearch(ready),) if ready else ()
    return (*search, WebFetch(guard))


def brave(start: Start, guard: Guard) -> Engine | None:
    """Where its key is set."""
    key = start.variables.get("BRAVE_API_KEY", "")
    return Brave(guard=guard, key=key) if key else None


def tavily(start: Start, guard: Guard) -> Engine | None:
    """Where its key is set."""
    key = start.variables.get("TAVILY_API_KEY", "")
    return Tavily(guard=guard, key=key) if key else None


def searxng(start: Start, guard: Guard) -> Engine | None:
    """Where its address is set."""
    base = start.settings.web.searxng
    return SearXNG(guard=guard, base=base) if base else None


def duckduckgo(_start: Start, guard: Guard) -> Engine | None:
    """Always: it needs no key."""
    return DuckDuckGo(guard=guard)


ENGINES: Mapping[str, Callable[[Start, Guard], Engine | None]] = {
    "brave": brave,
    "tavily": tavily,
    "searxng": searxng,
    "duckduckgo": duckduckgo,
}
