"""Whether one argument of a call meets a condition. Pure, and careful: what cannot be told for certain is `UNCLEAR`.

An unclear answer never widens anything: a rule that allows treats it as no, a rule that asks or denies as yes.
The tests read the same canonical arguments that are hashed and run.
"""

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import cast
from urllib.parse import urlsplit

from pydantic import JsonValue

from runtime.settings_policy import ArgumentTest

ABSENT = object()
HIDDEN = object()
"""Inside something that is no object, where another reader might still find it."""


class Holds(StrEnum):
    """What can be said of a condition."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


def found(arguments: Mapping[str, JsonValue], name: str) -> object:
    """The argument of this name, through objects by dots; `ABSENT` where there is none."""
    value: JsonValue = dict(arguments)
    for part in name.split("."):
        if not isinstance(value, dict):
            return HIDDEN
        if part not in value:
            return ABSENT
        value = value[part]
    return value


def holds(test: ArgumentTest, arguments: Mapping[str, JsonValue]) -> Holds:
    """Whether the condition holds. Of a list every item is tested: all alike, or it is unclear."""
    value = found(arguments, test.argument)
    if value is ABSENT or value is None:
        return Holds.NO
    if isinstance(value, list) and "equals" not in test.tests:
        each = {one(test, item) for item in cast("list[object]", value)}
        return each.pop() if len(each) == 1 else Holds.UNCLEAR
    return one(test, cast("object", value))


def one(test: ArgumentTest, value: object) -> Holds:
    """The condition on one value."""
    return TESTS[test.tests[0]](test, value)


def told(is_so: bool) -> Holds:
    """A clear answer."""
    return Holds.YES if is_so else Holds.NO


def under(test: ArgumentTest, value: object) -> Holds:
    """A path below a directory. A path that goes up, or whose root is another one, cannot be told by its words."""
    if not isinstance(value, str) or not value or "\0" in value:
        return Holds.UNCLEAR
    base = posixpath.normpath(test.under or ".")
    if ".." in value.split("/") or value.startswith("~") or value.startswith("/") != base.startswith("/"):
        return Holds.UNCLEAR
    path = posixpath.normpath(value)
    return told(base in {".", path} or path.startswith(base.rstrip("/") + "/"))


SEPARATORS = frozenset({";", "&", "&&", "|", "||", "\n", "|&", ";;"})
EXPANDS = re.compile(r"[$`\\{}()<>*?~\[\]!#]")
"""What a shell would turn into something else than it says."""
CARRIERS = frozenset(
    ("env sudo doas command exec eval builtin nohup nice time timeout xargs find bash sh zsh dash ksh busybox ssh "
     "setsid stdbuf source . if then else elif for while until do case coproc function").split()
)  # fmt: skip
"""Words after which comes another command."""
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def commands_in(text: str) -> list[list[str]] | None:
    """The simple commands of a line as words; None where a shell would read more into it than words."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands: list[list[str]] = [[]]
    try:
        for token in lexer:
            if token and set(token) <= set(";&|\n"):
                commands.append([])
            else:
                commands[-1].append(token)
    except ValueError:
        return None
    return [command for command in commands if command]


def prefix(test: ArgumentTest, value: object) -> Holds:
    """A command that begins with certain words, and is that one command and nothing more."""
    if not isinstance(value, str):
        return Holds.UNCLEAR
    words = (test.prefix or "").split()
    commands = commands_in(value)
    if not commands:
        return Holds.UNCLEAR
    plain = not EXPANDS.search(value)
    if len(commands) == 1 and plain and "\n" not in value.strip("\n"):
        return of_command(words, commands[0])
    each = [of_command(words, command) for command in commands]
    # One of several commands: enough for a rule that asks or denies, never for one that allows.
    return Holds.NO if plain and all(answer is Holds.NO for answer in each) else Holds.UNCLEAR


def of_command(words: list[str], command: list[str]) -> Holds:
    """Of one simple command."""
    if command[: len(words)] == words:
        return Holds.YES
    first = posixpath.basename(command[0])
    if first in CARRIERS or ASSIGNMENT.match(command[0]) or (first == words[0] and command[0] != words[0]):
        return Holds.UNCLEAR
    # Options before the words: `git -C elsewhere push`.
    is_hidden = first == words[0] and len(words) > 1 and len(command) > 1 and command[1].startswith("-")
    return Holds.UNCLEAR if is_hidden else Holds.NO


PLAIN_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\\\x00-\x20\x7f]+")


def host(test: ArgumentTest, value: object) -> Holds:
    """A URL's host. User names, backslashes and non-ASCII letters are read differently by different readers."""
    if not isinstance(value, str) or not PLAIN_URL.fullmatch(value) or not value.isascii():
        return Holds.UNCLEAR
    try:
        parts = urlsplit(value)
        name, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return Holds.UNCLEAR
    if not name or "@" in parts.netloc or "%" in parts.netloc:
        return Holds.UNCLEAR
    wanted, _, wanted_port = (test.host or "").partition(":") if "[" not in (test.host or "") else (test.host, "", "")
    if wanted_port and str(port or DEFAULT_PORTS.get(parts.scheme.lower(), "")) != wanted_port:
        return Holds.NO
    wanted = (wanted or "").strip("[]")
    if wanted.startswith("*."):
        return told(name.endswith(wanted[1:]))
    return told(name == wanted)


DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}


def number_of(value: object) -> Decimal | None:
    """A number, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def at_most(test: ArgumentTest, value: object) -> Holds:
    """A number up to a bound; a negative one is no amount."""
    number, bound = number_of(value), test.at_most
    if number is None or bound is None or number < 0:
        return Holds.UNCLEAR
    return told(number <= bound)


def over(test: ArgumentTest, value: object) -> Holds:
    """A number above a bound."""
    number, bound = number_of(value), test.over
    return Holds.UNCLEAR if number is None or bound is None else told(number > bound)


def equals(test: ArgumentTest, value: object) -> Holds:
    """Exactly this value; `true` is not 1."""
    return told(type(value) is type(test.equals) and value == test.equals)


TESTS: Mapping[str, Callable[[ArgumentTest, object], Holds]] = {
    "under": under,
    "prefix": prefix,
    "host": host,
    "at_most": at_most,
    "over": over,
    "equals": equals,
}


def together(answers: Iterable[Holds]) -> Holds:
    """All of several conditions: no if one does not hold, else unclear if one is."""
    seen = set(answers)
    if Holds.NO in seen:
        return Holds.NO
    return Holds.UNCLEAR if Holds.UNCLEAR in seen else Holds.YES
