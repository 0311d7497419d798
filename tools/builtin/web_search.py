"""Searches the web through the first engine that answers."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolRefused, ToolResult
from tools.context import ToolContext
from tools.web.engines import Engine, Hit


class WebSearchParams(Params):
    """What to look for."""

    query: str = Field(min_length=1, max_length=400)
    count: int = Field(default=8, ge=1, le=20)


class WebSearch(BaseTool[WebSearchParams]):
    """Counts as a read: the words go to a search engine that the operator chose, and to nobody a model could name."""

    name: ClassVar[str] = "web_search"
    description: ClassVar[str] = "Search the web for addresses and short extracts; read a page with web_fetch."
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = WebSearchParams

    def __init__(self, engines: Sequence[Engine]) -> None:
        """Ask these engines in this order."""
        self.engines = tuple(engines)

    async def prepare(self, params: WebSearchParams, context: ToolContext) -> PreparedCall:
        """Show the words."""
        return PreparedCall(preview=CallPreview(title="Search the web", body=params.query, language="text"))

    async def run(self, params: WebSearchParams, context: ToolContext) -> ToolResult:
        """The hits of the first engine that works; each failure is named."""
        failures: list[str] = []
        share = context.timeout / len(self.engines)
        for engine in self.engines:
            try:
                hits = await engine.search(params.query, params.count, share)
            except ToolRefused as error:
                failures.append(f"{engine.name}: {error}")
                continue
            return ToolResult(output=listed(engine.name, hits, failures), brief=f"{len(hits)} results")
        raise ToolRefused("No search engine answered. " + " ".join(failures))


def listed(engine: str, hits: Sequence[Hit], failures: Sequence[str]) -> str:
    """The hits, numbered, after who was asked in vain."""
    lines = [f"[{failure}]" for failure in failures]
    lines.append(f"Results of {engine}:" if hits else f"{engine} found nothing.")
    for number, hit in enumerate(hits, start=1):
        lines += [f"{number}. {hit.title}", f"   {hit.url}", *([f"   {hit.snippet}"] if hit.snippet else [])]
    return "\n".join(lines)
