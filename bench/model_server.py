"""A model without latency, in a process of its own: its answers are made before a run begins.

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


ASKED = b"87654321"
"""Stands in the answers that are made before, in place of the number of tokens asked; as many characters."""
CODE = 'print({number})\nprint("\\n".join(str(10000 + n) for n in range(5000)))'
"""What prints 30 kB."""


class Script:
    """So many calls of one tool, then `terminate`. Every answer is made before the run begins."""

    def __init__(self) -> None:
        self.whole: list[bytes] = []
        self.streams: list[bytes] = []
        self.bodies: list[bytes] = []

    def reset(self, body: bytes) -> bytes:
        """Begin anew."""
        wanted = json.loads(body)
        calls, tool = int(wanted["calls"]), str(wanted["tool"])
        turns = [(number, tool, arguments_of(tool, number)) for number in range(1, calls + 1)]
        turns.append((calls + 1, "terminate", '{"status":"success","answer":"Done."}'))
        self.whole = [answered(*turn) for turn in turns]
        self.streams = [streamed(reply) for reply in self.whole]
        self.bodies = []
        return b"{}"

    def answer(self, body: bytes) -> bytes:
        """The next turn, as a whole HTTP answer; of a run that goes on too long, the last one again."""
        self.bodies.append(body)
        streams = b'"stream":true' in body
        replies = self.streams if streams else self.whole
        reply = replies[min(len(self.bodies), len(replies)) - 1].replace(ASKED, b"%8d" % (len(body) // 4), 1)
        return (STREAM if streams else HEAD) % (len(reply), reply)

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


def arguments_of(tool: str, number: int) -> str:
    """What a call says; each one is another."""
    return json.dumps({"code": CODE.format(number=number)} if tool == "python_execute" else {"n": number})


def answered(number: int, tool: str, arguments: str) -> bytes:
    """One answer in one piece, with one call."""
    function = {"name": tool, "arguments": arguments}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    usage = {"prompt_tokens": int(ASKED), "completion_tokens": 10}
    whole: dict[str, Any] = {"id": f"c{number}", "object": "chat.completion", "created": 1, "model": "bench"}
    return json.dumps({**whole, "choices": [choice], "usage": usage}).encode()


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
            if path.startswith(b"/chat"):
                writer.write(script.answer(body))
            else:
                reply = script.reset(body) if path == b"/reset" else script.stats()
                writer.write(HEAD % (len(reply), reply))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
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

    at_work: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(script, reader, writer))
        at_work.add(task)
        task.add_done_callback(at_work.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**24)
    address: Any = server.sockets[0].getsockname()
    sys.stdout.write(f"{address[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    server.close()
    for task in at_work:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
