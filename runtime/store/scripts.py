"""The atomic moves as typed functions.

Each `lua/*.lua` names its keys and arguments in its first two lines; the loader turns them into Lua locals and checks
every call against them, so a script never counts positions and a wrong call fails here, not on the server.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.resources import files
from typing import Final, cast

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

Argument = str | int | bool | Sequence[str]
Reply = int | bytes | None | list["Reply"]

NAMES: Final = ("push", "claim", "renew", "commit", "release", "sweep", "snapshot", "forget", "look", "waiting")

# Arguments are read in order; a list is its length followed by its items.
TAKE: Final = """\
local argument = 0
local function take() argument = argument + 1; return ARGV[argument] end
local function take_list()
  local n, items = tonumber(take()), {}
  for i = 1, n do items[i] = take() end
  return items
end
"""
READERS: Final = {"str": "take()", "int": "tonumber(take())", "bool": "take() == '1'", "list": "take_list()"}


def of_text(value: Argument) -> Sequence[bytes]:
    """How a text travels. Raises `TypeError` for anything else, as those below do."""
    if not isinstance(value, str):
        raise TypeError
    return (value.encode(),)


def of_int(value: Argument) -> Sequence[bytes]:
    """How a number travels."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return (b"%d" % value,)


def of_bool(value: Argument) -> Sequence[bytes]:
    """How yes or no travels."""
    if not isinstance(value, bool):
        raise TypeError
    return (b"1" if value else b"0",)


def of_list(value: Argument) -> Sequence[bytes]:
    """How a list travels: its length first."""
    if not isinstance(value, (list, tuple)):
        raise TypeError
    return (b"%d" % len(value), *[part.encode() for part in value])


ENCODERS: Final[Mapping[str, Callable[[Argument], Sequence[bytes]]]] = {
    "str": of_text,
    "int": of_int,
    "bool": of_bool,
    "list": of_list,
}


class Script:
    """One script, ready to be called by names."""

    def __init__(self, name: str, source: str, prelude: str) -> None:
        header = source.splitlines()[:2]
        self.name = name
        self.keys = header[0].removeprefix("-- keys:").split()
        declared = [part.partition(":") for part in header[1].removeprefix("-- args:").split()]
        self.args = {arg: kind or "str" for arg, _, kind in declared}
        self.key_names = dict.fromkeys(self.keys).keys()
        key_locals = [f"local {key} = KEYS[{i}]" for i, key in enumerate(self.keys, start=1)]
        arg_locals = [f"local {arg} = {READERS[kind]}" for arg, kind in self.args.items()]
        self.source = "\n".join((*key_locals, TAKE, *arg_locals, prelude, source))
        self.sha = hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()

    def encode(self, keys: Mapping[str, str], args: Mapping[str, Argument]) -> list[bytes]:
        """Keys and arguments in the script's order. Raises `TypeError` where a name or type does not fit.

        As bytes, since the client asks of everything else what it is, which takes longer than sending it.
        """
        if keys.keys() != self.key_names or args.keys() != self.args.keys():
            raise TypeError(f"{self.name} takes keys {self.keys} and arguments {list(self.args)}")
        encoded = [keys[key].encode() for key in self.keys]
        for arg, kind in self.args.items():
            try:
                encoded += ENCODERS[kind](args[arg])
            except TypeError:
                raise TypeError(f"{self.name}: {arg} must be {kind}, not {type(args[arg]).__name__}") from None
        return encoded

    async def __call__(self, client: Redis, *, keys: Mapping[str, str], args: Mapping[str, Argument]) -> Reply:
        """Raises what the client raises; the store translates it."""
        encoded = self.encode(keys, args)
        try:
            reply = client.evalsha(self.sha, len(self.keys), *encoded)
            return await cast("Awaitable[Reply]", reply)
        except NoScriptError:
            # The server restarted or flushed its scripts; nothing ran, so sending the source is not a repetition.
            reply = client.eval(self.source, len(self.keys), *encoded)
            return await cast("Awaitable[Reply]", reply)


def load_scripts() -> Mapping[str, Script]:
    """Reads every script from the package."""
    folder = files("runtime.store") / "lua"
    prelude = (folder / "prelude.lua").read_text("utf-8")
    return {name: Script(name, (folder / f"{name}.lua").read_text("utf-8"), prelude) for name in NAMES}


def text(reply: Reply) -> str:
    """A bulk reply as text. Raises `TypeError` for any other shape."""
    if not isinstance(reply, bytes):
        raise TypeError(f"expected a text reply, got {reply!r}")
    return reply.decode()


def number(reply: Reply) -> int:
    """An integer reply. Raises `TypeError` for any other shape."""
    if not isinstance(reply, int):
        raise TypeError(f"expected an integer reply, got {reply!r}")
    return reply


def items(reply: Reply) -> list[Reply]:
    """An array reply. Raises `TypeError` for any other shape."""
    if not isinstance(reply, list):
        raise TypeError(f"expected an array reply, got {reply!r}")
    return reply
