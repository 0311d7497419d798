"""The data of server-sent events, out of the bytes of an answer."""

import re
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator

LINE_END = re.compile(rb"\r\n|\n|\r")
FIELD = b"data:"


async def event_data(parts: AsyncIterable[bytes]) -> AsyncGenerator[str]:
    """The data of each event as it comes; comments and other fields are passed over.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    waiting: list[bytes] = []
    data: list[bytes] = []
    async for part in parts:
        waiting.append(part)
        if b"\n" not in part and b"\r" not in part:
            continue
        whole = b"".join(waiting)
        # A carriage return at the very end may be the first half of a line's end.
        end = len(whole) - whole.endswith(b"\r")
        *lines, rest = LINE_END.split(whole[:end])
        waiting = [rest + whole[end:]]
        for event in taken(lines, data):
            yield event
    for event in taken([*LINE_END.split(b"".join(waiting)), b""], data):
        yield event


def taken(lines: Iterable[bytes], data: list[bytes]) -> Iterator[str]:
    """The events that these lines complete; what they begin is left in `data`."""
    for line in lines:
        if line.startswith(FIELD):
            data.append(line[len(FIELD) :].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data).decode()
            data.clear()
