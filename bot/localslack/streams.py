"""Streamed messages: what was appended, how it looks as blocks, and when the server seals them."""

from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from bot.localslack import limits
from bot.localslack.block_rules import TASK_STATUS
from bot.localslack.element_rules import URL_SOURCE
from bot.localslack.schema import Check, anything, array, one_of, shape, string, tagged
from bot.localslack.store import Store
from bot.localslack.values import JsonObject, as_list, as_objects, as_text, epoch, new_word

State = Literal["open", "stopped", "stopped_by_user"]
CHUNKS: Final[dict[str, Check]] = {
    "markdown_text": shape({"text": anything}),
    "plan_update": shape({"title": string(limits.CHUNK_FIELD)}),
    "task_update": shape(
        {"id": string(limits.CHUNK_FIELD), "title": string(limits.CHUNK_FIELD), "status": one_of(*TASK_STATUS)},
        {
            "details": string(limits.CHUNK_FIELD, least=0),
            "output": string(limits.CHUNK_FIELD, least=0),
            "sources": array(URL_SOURCE, 50, least=0),
        },
    ),
    "blocks": shape({"blocks": anything}),
}
CHUNK: Final = tagged(CHUNKS, "chunk type")


def chunk_problems(chunks: list[Any]) -> list[str]:
    """What is wrong with the chunks of a call."""
    return [text for index, chunk in enumerate(chunks) for text in CHUNK(chunk, f"/chunks/{index}")]


@dataclass(slots=True, kw_only=True)
class Stream:
    """One streamed message. `parts` are text runs, task ids and blocks in the order of their first appearance."""

    channel: str
    ts: str
    thread_ts: str
    mode: str
    started_at: float
    state: State = "open"
    title: str = ""
    parts: list[JsonObject] = field(default_factory=list[JsonObject])
    tasks: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])

    def add(self, chunk: JsonObject) -> None:
        """Take in one checked chunk."""
        kind = chunk["type"]
        if kind == "markdown_text":
            self._add_text(as_text(chunk["text"]))
        elif kind == "plan_update":
            self.title = as_text(chunk["title"])
        elif kind == "task_update":
            self._add_task(chunk)
        else:
            self.parts.append({"kind": "blocks", "blocks": as_objects(chunk["blocks"])})

    def _add_text(self, text: str) -> None:
        if self.parts and self.parts[-1]["kind"] == "text":
            self.parts[-1]["text"] += text
        elif text:
            self.parts.append({"kind": "text", "text": text, "block_id": new_word()})

    def _add_task(self, chunk: JsonObject) -> None:
        identity = as_text(chunk["id"])
        if identity not in self.tasks:
            self.parts.append({"kind": "task", "id": identity})
        known = self.tasks.get(identity, {"details": "", "output": "", "sources": []})
        # Title and status replace what was there; details are appended (measured).
        self.tasks[identity] = {
            "title": chunk["title"],
            "status": chunk["status"],
            "details": known["details"] + as_text(chunk.get("details")),
            "output": as_text(chunk.get("output")) or known["output"],
            "sources": [*known["sources"], *as_list(chunk.get("sources"))],
        }

    def text(self) -> str:
        """All markdown of the stream."""
        return "".join(as_text(part.get("text")) for part in self.parts)

    def blocks(self) -> list[JsonObject]:
        """The stream as blocks: a plan (or a task card each), markdown, and appended blocks."""
        result: list[JsonObject] = []
        if self.title and (self.mode == "plan" or not self.tasks):
            result.append(self._plan())
        for part in self.parts:
            if part["kind"] == "text":
                result.append({"type": "markdown", "block_id": part["block_id"], "text": part["text"]})
            elif part["kind"] == "blocks":
                result += part["blocks"]
            elif self.mode != "plan":
                result.append(self._card(as_text(part["id"])))
            elif not any(block["type"] == "plan" for block in result):
                result.append(self._plan())
        return result

    def _plan(self) -> JsonObject:
        cards = [self._card(identity) for identity in self.tasks]
        return {"type": "plan", "block_id": f"plan-{self.ts}", "title": self.title or "Plan", "tasks": cards}

    def _card(self, identity: str) -> JsonObject:
        task = self.tasks[identity]
        card: JsonObject = {"type": "task_card", "task_id": identity, "title": task["title"], "status": task["status"]}
        for name in ("details", "output"):
            if task[name]:
                card[name] = _rich(as_text(task[name]))
        return {**card, "sources": task["sources"]} if task["sources"] else card


def _rich(text: str) -> JsonObject:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


class Streams:
    """All streams by channel and `ts`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.by_message: dict[tuple[str, str], Stream] = {}
        for _, body in store.all("stream"):
            stream = Stream(**body)
            self.by_message[stream.channel, stream.ts] = stream

    def start(self, stream: Stream) -> None:
        """Register a new stream."""
        self.by_message[stream.channel, stream.ts] = stream
        self.save(stream)

    def save(self, stream: Stream) -> None:
        """Keep the state of a stream; a finished one is forgotten by the store."""
        key = f"{stream.channel}:{stream.ts}"
        if stream.state == "open":
            self.store.put("stream", key, asdict(stream))
        else:
            self.store.drop("stream", key)

    def get(self, channel: str, ts: str) -> Stream | None:
        """The stream of a message, whatever its state."""
        return self.by_message.get((channel, ts))

    def is_open(self, stream: Stream | None, lifetime: float) -> bool:
        """Whether the stream can still be appended to; it is sealed a fixed time after its start."""
        return stream is not None and stream.state == "open" and epoch() - stream.started_at < lifetime

    def open_in(self, channel: str, thread_ts: str, lifetime: float) -> list[Stream]:
        """The open streams of a thread."""
        return [
            stream
            for stream in self.by_message.values()
            if stream.channel == channel and stream.thread_ts == thread_ts and self.is_open(stream, lifetime)
        ]
