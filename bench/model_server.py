"""A model without latency, in a process of its own: answers each request from a script in a few microseconds.

It speaks just enough HTTP for one client with keep-alive. `POST /reset` begins a script, `GET /stats` tells what was
asked since; everything that costs time is done there, not during a run.
"""

import asyncio
import json
import sys
from itertools import pairwise
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s"


class Script:
    """So many calls of one tool, then `terminate`."""

    def __init__(self) -> None:
        self.calls = 0
        self.tool = "noop"
        self.bodies: list[bytes] = []

    def reset(self, body: bytes) -> bytes:
        """Begin anew."""
        wanted = json.loads(body)
        self.calls, self.tool, self.bodies = int(wanted["calls"]), str(wanted["tool"]), []
        return b"{}"

    def answer(self, body: bytes) -> bytes:
        """The next turn."""
        self.bodies.append(body)
        number = len(self.bodies)
        done = number > self.calls
        name = "terminate" if done else self.tool
        arguments = '{"status":"success","answer":"Done."}' if done else f'{{"n":{number}}}'
        return json.dumps(
            {
                "id": f"c{number}",
                "object": "chat.completion",
                "created": 1,
                "model": "bench",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "tool_calls",
                        "message": {
                            "role": "assistant",
                            "content": None,
                            "tool_calls": [
                                {
                                    "id": f"call_{number}",
                                    "type": "function",
                                    "function": {"name": name, "arguments": arguments},
                                }
                            ],
                        },
                    }
                ],
                "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": 10},
            }
        ).encode()

    def stats(self) -> bytes:
        """Requests, bytes, and how much of each request repeats the one before it."""
        shares = [common(before, after) / len(before) for before, after in pairwise(self.bodies)]
        return json.dumps(
            {
                "requests": len(self.bodies),
                "bytes": sum(len(body) for body in self.bodies),
                "least_identical": min(shares, default=1.0),
                "bodies": [body.decode() for body in self.bodies],
            }
        ).encode()


def streamed(reply: bytes) -> bytes:
    """The same answer as a stream of one piece, the usage after it."""
    whole: dict[str, Any] = json.loads(reply)
    delta = whole["choices"][0]["message"]
    for index, call in enumerate(delta["tool_calls"]):
        call["index"] = index
    usage = whole.pop("usage")
    piece: dict[str, Any] = {**whole, "object": "chat.completion.chunk"}
    piece["choices"] = [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]
    last: dict[str, Any] = {**piece, "choices": [], "usage": usage}
    return b"".join(b"data: " + json.dumps(part).encode() + b"\n\n" for part in (piece, last)) + b"data: [DONE]\n\n"


def common(before: bytes, after: bytes) -> int:
    """Leading bytes of `after` that are those of `before`."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == after[:middle] else (low, middle - 1)
    return low


async def serve(script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            body = await read_body(reader, head.lower())
            if path == b"/reset":
                reply = script.reset(body)
            else:
                reply = script.stats() if path == b"/stats" else script.answer(body)
            if path.startswith(b"/chat") and b'"stream":true' in body:
                reply = streamed(reply)
                writer.write(STREAM % (len(reply), reply))
            else:
                writer.write(HEAD % (len(reply), reply))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def read_body(reader: asyncio.StreamReader, head: bytes) -> bytes:
    """The body by its length, or in chunks."""
    if b"content-length:" in head:
        return await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
    if b"chunked" not in head:
        return b""
    parts: list[bytes] = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(parts)


async def main() -> None:
    """Serve on a free port until standard input closes."""
    script = Script()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await serve(script, reader, writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**24)
    address: Any = server.sockets[0].getsockname()
    sys.stdout.write(f"{address[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
