"""Searching: the first engine that answers, and what each of them says."""

import json

import pytest

from tests.web.conftest import SmallWeb
from tools.builtin.web_search import WebSearch, WebSearchParams
from tools.context import ToolContext
from tools.errors import ToolRefused
from tools.web.engines import Brave, DuckDuckGo, Engine, SearXNG, Tavily

HITS = [
    {"title": "Tea", "url": "https://tea.example/", "content": "Hot \u202edrink", "description": "Hot \u202edrink"},
    {"title": "Trap", "url": "javascript:alert(1)", "content": "", "description": ""},
]
DUCK = """<div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Ftea.example%2F&amp;x=1">
Tea</a><a class="result__snippet">Hot \u202edrink</a></div>
<div class="result result--ad"><a class="result__a" href="https://ad.example/">Ad</a></div>"""


def engines(small: SmallWeb) -> dict[str, Engine]:
    """All engines, speaking to the small web."""
    return {
        "brave": Brave(guard=small.guard, key="key-of-brave", base=small.base),
        "tavily": Tavily(guard=small.guard, key="key-of-tavily", base=small.base),
        "searxng": SearXNG(guard=small.guard, base=small.base),
        "duckduckgo": DuckDuckGo(guard=small.guard, base=small.base),
    }


def answer(small: SmallWeb, engine: str) -> None:
    """Let one engine answer as its service does."""
    if engine == "brave":
        small.show("/res/v1/web/search", json.dumps({"web": {"results": HITS}}), "application/json")
    elif engine == "duckduckgo":
        small.show("/html/", DUCK)
    else:
        small.show("/search", json.dumps({"results": HITS}), "application/json")


@pytest.mark.parametrize("name", ["brave", "tavily", "searxng", "duckduckgo"])
async def test_each_engine_gives_hits_that_hide_nothing(name: str, small_web: SmallWeb, context: ToolContext) -> None:
    """Title, address and extract; what is no web address and what is an advertisement are left out."""
    answer(small_web, name)
    result = await WebSearch([engines(small_web)[name]]).run(WebSearchParams(query="tea"), context)
    assert result.output == f"Results of {name}:\n1. Tea\n   https://tea.example/\n   Hot ⟨U+202E⟩drink"


async def test_the_next_engine_is_asked_when_one_fails(small_web: SmallWeb, context: ToolContext) -> None:
    """Failures are named, and the first good answer counts."""
    answer(small_web, "duckduckgo")
    result = await WebSearch(list(engines(small_web).values())).run(WebSearchParams(query="tea"), context)
    assert "[brave: brave answers 404.]" in result.output
    assert "Results of duckduckgo:" in result.output


@pytest.mark.parametrize("body", ["", "[]", '{"results": 3}', '{"results": [1]}', "<html>"])
async def test_when_none_answers_the_reasons_are_told(body: str, small_web: SmallWeb, context: ToolContext) -> None:
    """An answer in an unknown form is a failure, never a crash."""
    small_web.show("/search", body, "application/json")
    with pytest.raises(ToolRefused, match=r"No search engine answered\. searxng: "):
        await WebSearch([engines(small_web)["searxng"]]).run(WebSearchParams(query="tea"), context)


async def test_keys_go_to_their_own_engine_only(small_web: SmallWeb, context: ToolContext) -> None:
    """Each request carries its own key and no other."""
    answer(small_web, "brave")
    await WebSearch([engines(small_web)["brave"]]).run(WebSearchParams(query="tea & more"), context)
    request = small_web.asked[0]
    assert request.headers["X-Subscription-Token"] == "key-of-brave"
    assert "key-of-tavily" not in str(request.headers)
    assert request.query["q"] == "tea & more"
