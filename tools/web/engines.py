"""Search engines behind one port. Each answers a query with a few hits, or fails so that the next is tried."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol
from urllib.parse import parse_qs, quote_plus, urlsplit

from bs4 import BeautifulSoup
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from tools.errors import ToolRefused
from tools.text import visible
from tools.web.addresses import Guard
from tools.web.download import Page, download

MAX_TITLE = 200
MAX_SNIPPET = 400


class Hit(BaseModel):
    """One result."""

    model_config = ConfigDict(frozen=True)

    title: str
    url: str
    snippet: str = ""


class Engine(Protocol):
    """A search engine."""

    @property
    def name(self) -> str:
        """How it is called in settings and results."""
        ...

    async def search(self, query: str, count: int, limit: timedelta) -> Sequence[Hit]:
        """At most `count` hits.

        Raises:
            ToolRefused: it did not answer as it should.
        """
        ...


def clean(title: object, url: object, snippet: object = "") -> Hit | None:
    """A hit with nothing hidden in it; None for one without a web address."""
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    name = " ".join(str(title or url).split())
    text = " ".join(str(snippet or "").split())
    return Hit(title=visible(name)[:MAX_TITLE], url=visible(url)[:2000], snippet=visible(text)[:MAX_SNIPPET])


def must_be_fine(page: Page, engine: str) -> Page:
    """The page.

    Raises:
        ToolRefused: it is an error.
    """
    if page.status != 200:
        raise ToolRefused(f"{engine} answers {page.status}.")
    return page


JSON: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def objects(page: Page, engine: str, *keys: str) -> list[dict[str, Any]]:
    """A list of objects inside a JSON answer.

    Raises:
        ToolRefused: it is not there.
    """
    try:
        found: Any = JSON.validate_json(must_be_fine(page, engine).body)
        for key in keys:
            found = found[key]
        return TypeAdapter(list[dict[str, Any]]).validate_python(found)
    except (ValidationError, KeyError, TypeError) as error:
        raise ToolRefused(f"{engine} answers in a form that is not known.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckDuckGo:
    """Needs no key: the page for browsers without scripts."""

    guard: Guard
    base: str = "https://html.duckduckgo.com"
    name: str = "duckduckgo"

    async def search(self, query: str, count: int, limit: timedelta) -> Sequence[Hit]:
        """Read the results off the page."""
        page = await download(f"{self.base}/html/?q={quote_plus(query)}", self.guard, limit=limit)
        soup = BeautifulSoup(must_be_fine(page, self.name).body, "html.parser")
        hits: list[Hit] = []
        for result in soup.select(".result:not(.result--ad)"):
            link, snippet = result.select_one("a.result__a"), result.select_one(".result__snippet")
            if link is not None:
                hit = clean(link.get_text(), direct(str(link.get("href", ""))), snippet.get_text() if snippet else "")
                hits += [hit] if hit else []
        if not hits and soup.select_one(".no-results") is None:
            raise ToolRefused(f"{self.name} shows no results page; it may have asked for a proof of being human.")
        return hits[:count]


def direct(link: str) -> str:
    """The address behind a link that leads through the engine."""
    link = f"https:{link}" if link.startswith("//") else link
    return parse_qs(urlsplit(link).query).get("uddg", [link])[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearXNG:
    """An instance of one's own; needs no key, only its address."""

    guard: Guard
    base: str
    name: str = "searxng"

    async def search(self, query: str, count: int, limit: timedelta) -> Sequence[Hit]:
        """Ask for JSON, which the instance has to allow."""
        url = f"{self.base.rstrip('/')}/search?format=json&q={quote_plus(query)}"
        found = objects(await download(url, self.guard, limit=limit), self.name, "results")
        hits = [clean(one.get("title"), one.get("url"), one.get("content")) for one in found]
        return [hit for hit in hits if hit][:count]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brave:
    """Brave's API, with a key."""

    guard: Guard
    key: str
    base: str = "https://api.search.brave.com"
    name: str = "brave"

    async def search(self, query: str, count: int, limit: timedelta) -> Sequence[Hit]:
        """Ask the API."""
        url = f"{self.base}/res/v1/web/search?count={count}&q={quote_plus(query)}"
        headers = {"X-Subscription-Token": self.key, "Accept": "application/json"}
        found = objects(await download(url, self.guard, limit=limit, headers=headers), self.name, "web", "results")
        hits = [clean(one.get("title"), one.get("url"), one.get("description")) for one in found]
        return [hit for hit in hits if hit][:count]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tavily:
    """Tavily's API, with a key."""

    guard: Guard
    key: str
    base: str = "https://api.tavily.com"
    name: str = "tavily"

    async def search(self, query: str, count: int, limit: timedelta) -> Sequence[Hit]:
        """Ask the API."""
        body = json.dumps({"query": query, "max_results": count}).encode()
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        page = await download(f"{self.base}/search", self.guard, limit=limit, headers=headers, data=body)
        hits = [
            clean(one.get("title"), one.get("url"), one.get("content")) for one in objects(page, self.name, "results")
        ]
        return [hit for hit in hits if hit][:count]
