"""A person at the page: the same JSON requests that the browser makes. Wire module: answers are plain objects."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import ClientSession, ClientTimeout

PATIENCE = ClientTimeout(total=60)
POLL_SECONDS = 0.05

Object = dict[str, Any]
T = TypeVar("T")


class PageError(Exception):
    """The page refused, or something that should have appeared did not. Whoever runs the check reads it."""


async def ask_page(page: str, name: str, **query: str) -> Object:
    """One `GET` of the page's API."""
    async with (
        ClientSession(timeout=PATIENCE) as session,
        session.get(f"{page}/_local/api/{name}", params=query) as response,
    ):
        return await response.json()


async def ask_test(page: str, name: str, **query: str) -> Object:
    """One `GET` of the local Slack's test API."""
    async with (
        ClientSession(timeout=PATIENCE) as session,
        session.get(f"{page}/_local/test/{name}", params=query) as response,
    ):
        return await response.json()


async def tell_test(page: str, name: str, **body: Any) -> None:
    """One `POST` of the local Slack's test API."""
    async with (
        ClientSession(timeout=PATIENCE) as session,
        session.post(f"{page}/_local/test/{name}", json=body) as response,
    ):
        response.raise_for_status()


async def tell_page(page: str, name: str, **body: Any) -> Object:
    """One `POST` of the page's API.

    Raises:
        PageError: it was refused.
    """
    async with (
        ClientSession(timeout=PATIENCE) as session,
        session.post(f"{page}/_local/api/{name}", json=body) as response,
    ):
        answer: Object = await response.json()
    if answer.get("ok") is False:
        raise PageError(f"{name}: {answer.get('error')}")
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button that can be clicked now."""

    message_ts: str
    element: Object

    @property
    def label(self) -> str:
        """What stands on it."""
        return str(self.element.get("text", {}).get("text", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody at the page, in one channel."""

    page: str
    user: str
    channel: str

    async def say(self, text: str, thread_ts: str | None = None) -> str:
        """Send a message; returns its timestamp."""
        thread = {} if thread_ts is None else {"thread_ts": thread_ts}
        sent = await tell_page(self.page, "send", user=self.user, channel=self.channel, text=text, **thread)
        return str(sent["ts"])

    async def thread(self, ts: str) -> list[Object]:
        """Every message of a thread that this person sees."""
        answer = await ask_page(self.page, "messages", user=self.user, channel=self.channel, thread_ts=ts)
        return list(answer["messages"])

    async def click(self, button: Button) -> None:
        """Click a button."""
        await tell_page(
            self.page,
            "action",
            user=self.user,
            channel=self.channel,
            message_ts=button.message_ts,
            action=button.element,
        )

    async def find(self, what: str, ts: str, look: Callable[[list[Object]], T | None], *, seconds: float) -> T:
        """Wait until `look` finds something in the thread.

        Raises:
            PageError: it does not come; the text holds what the thread shows instead.
        """
        messages: list[Object] = []
        try:
            async with asyncio.timeout(seconds):
                while True:
                    messages = await self.thread(ts)
                    if found := look(messages):
                        return found
                    await asyncio.sleep(POLL_SECONDS)
        except TimeoutError:
            last = " | ".join(words(message)[:160] for message in messages[-3:])
            raise PageError(f"{what} did not come within {seconds:g} s; the thread ends with: {last}") from None


def words(message: Object) -> str:
    """All text of a message, from its blocks as well."""
    return " ".join((str(message.get("text", "")), *texts_in(message.get("blocks", []))))


def texts_in(part: Any) -> Iterator[str]:
    """Every string under a `text`, `title` or `elements` of blocks."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, list):
        for item in part:  # pyright: ignore[reportUnknownVariableType] - JSON of any shape
            yield from texts_in(item)
    elif isinstance(part, dict):
        for key, value in part.items():  # pyright: ignore[reportUnknownVariableType] - JSON of any shape
            if key not in {"type", "action_id", "block_id", "value", "url", "style"}:
                yield from texts_in(value)


def button_in(messages: list[Object], action_id: str, label: str = "") -> Button | None:
    """The newest button whose action id begins so and whose text is the label, if one is given."""
    for message in reversed(messages):
        for block in message.get("blocks", []):
            for element in block.get("elements", []) if block.get("type") == "actions" else ():
                if not str(element.get("action_id", "")).startswith(action_id):
                    continue
                button = Button(
                    message_ts=str(message["ts"]), element={**element, "block_id": str(block.get("block_id", ""))}
                )
                if label in {"", button.label}:
                    return button
    return None
