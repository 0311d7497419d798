"""Reads the journal for a model that wants to look back. Implements `tools.context.Records`."""

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from runtime.session.events import (
    AnyEvent,
    CallFinished,
    ImagesDescribed,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    ModelReplied,
    QuestionAnswered,
    load_event,
)
from runtime.store.redis_store import SessionStore
from tools.context import Found

AROUND = 120
"""Characters shown on each side of what was found."""
PER_RECORD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecords:
    """One session's past, word for word, also what the model's memory holds as a summary only."""

    store: SessionStore
    session_id: str
    written: Callable[[], Awaitable[None]]
    """Waits for what is still on its way into the journal."""

    async def output(self, call_id: str) -> str | None:
        """The whole output of a call."""
        found: str | None = None
        for event in await self.events():
            if isinstance(event, CallFinished) and event.call_id == call_id:
                found = event.output
        return found

    async def search(self, words: str, limit: int) -> Sequence[Found]:
        """The newest places that hold all the words, newest first."""
        wanted = [re.escape(word) for word in words.split()]
        found: list[Found] = []
        for event in reversed(without_looking_back(await self.events())):
            for source, text in spoken(event):
                if all(re.search(word, text, re.IGNORECASE) for word in wanted):
                    found.extend(Found(source=source, text=part) for part in around(text, wanted[0]))
            if len(found) >= limit:
                break
        return found[:limit]

    async def events(self) -> list[AnyEvent]:
        """Everything that happened."""
        await self.written()
        return [load_event(record.event) for record in await self.store.read_log(self.session_id)]


def without_looking_back(events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """The events without earlier searches, which would only find themselves."""
    kept: list[AnyEvent] = []
    own: set[str] = set()
    for event in events:
        if isinstance(event, ModelReplied):
            own.update(call.call_id for call in event.calls if call.tool == "recall")
            kept.append(event.model_copy(update={"calls": tuple(c for c in event.calls if c.tool != "recall")}))
        elif not (isinstance(event, CallFinished) and event.call_id in own):
            kept.append(event)
    return kept


def spoken(event: AnyEvent) -> Iterator[tuple[str, str]]:
    """What people, the model and tools said, with the name of the place."""
    match event:
        case ModelReplied():
            if event.text:
                yield f"you, step {event.step}", event.text
            for call in event.calls:
                yield f"your call {call.call_id} ({call.tool})", readable(call.arguments)
        case CallFinished():
            yield f"result of call {event.call_id}", event.output
        case ImagesDescribed():
            yield f"images {', '.join(event.paths)} in words", told_in(event.message)
        case _:
            yield from said_by_people(event)


def said_by_people(event: AnyEvent) -> Iterator[tuple[str, str]]:
    """A message as it came, as it was changed or taken back, or an answer; with the name of the place."""
    match event:
        case MessageReceived():
            for quoted in reversed(event.context):
                yield f"earlier message of {quoted.speaker}", quoted.text
            yield f"message of {event.speaker}", event.text
        case MessageEdited():
            yield f"changed message of {event.speaker}", event.text
        case MessageDeleted():
            yield f"deleted message of {event.speaker}", event.text
        case QuestionAnswered() if event.how != "expired":
            yield f"answer of {event.by or 'nobody'}", event.answer
        case _:
            pass


def told_in(message: str) -> str:
    """The text of a serialised message."""
    return str(cast("dict[str, object]", json.loads(message)).get("content") or "")


def readable(arguments: str) -> str:
    """Arguments with their line breaks as line breaks."""
    try:
        value = cast("object", json.loads(arguments))
    except ValueError:
        return arguments
    if not isinstance(value, dict):
        return arguments
    return "\n".join(f"{key}: {part}" for key, part in cast("dict[str, object]", value).items())


def around(text: str, pattern: str) -> Iterator[str]:
    """The first few places of a pattern, each with what stands around it."""
    last = -1
    for number, match in enumerate(re.finditer(pattern, text, re.IGNORECASE)):
        if number >= PER_RECORD:
            return
        if match.start() < last:
            continue
        start, last = max(0, match.start() - AROUND), match.end() + AROUND
        yield f"[at {match.start()}] {text[start:last]}"
