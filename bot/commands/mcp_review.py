"""What an operator sees of a server's tools before accepting them, and what they say to it."""

import argparse
import sys
from collections.abc import Sequence

from bot.commands.start import StartProblem
from tools.mcp.definition import Definition, changes, readable
from tools.mcp.trust import ServerTrust
from tools.text import visible


def clean(definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """The definitions that can be offered; each other one is named with the reason."""
    names = [one.tool for one in definitions]
    kept: list[Definition] = []
    for one in definitions:
        problem = "it is listed twice" if names.count(one.tool) > 1 else one.problem
        if problem:
            print(f"Left out {visible(one.tool)[:80] or 'a tool'}: {problem}.")
        else:
            kept.append(one)
    return tuple(kept)


def news(offered: Sequence[Definition], before: ServerTrust, instructions: str) -> list[str]:
    """Everything an operator has to see before the word is given: new tools whole, changed ones as differences."""
    lines: list[str] = []
    for one in offered:
        pin = before.tools.get(one.tool)
        if pin is None:
            lines += [f"--- new: {visible(one.tool)}", readable(one.raw)]
        elif Definition(server=one.server, raw=pin.definition).digest != one.digest:
            lines += [f"--- changed: {visible(one.tool)}", changes(pin.definition, one.raw)]
        else:
            lines.append(f"--- as accepted: {visible(one.tool)}")
    present = {one.tool for one in offered}
    lines += [f"--- gone: {visible(tool)}" for tool in before.tools if tool not in present]
    if instructions != before.instructions:
        lines += ["--- its words about itself, shown to the model as data:", visible(instructions)]
    return lines


def said_yes(question: str) -> bool:
    """Whether a person at the terminal agrees; without a terminal nobody does."""
    if not sys.stdin.isatty():
        print("Nobody is at the terminal; run it again with --yes after reading the above.")
        return False
    return input(question).strip().lower() in {"y", "yes"}


def which_read(options: argparse.Namespace, offered: Sequence[Definition], before: ServerTrust) -> frozenset[str]:
    """The tools that the operator lets run without asking. What the servers claim of theirs is only shown.

    Raises:
        StartProblem: a named tool is not there.
    """
    names = [one.tool for one in offered]
    text: str | None = options.reads
    if text is None and not options.yes:
        hinted = ", ".join(one.tool for one in offered if "readOnlyHint" in one.hints)
        print(f"The server says of these that they only read: {visible(hinted) or 'none'}.")
        text = input("Which may run without asking a person? Names with commas; nothing for none: ")
    if text is None:
        unchanged = {one.tool for one in offered if (pin := before.tools.get(one.tool)) and pin.definition == one.raw}
        return frozenset(name for name in unchanged if before.tools[name].reads)
    wanted = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(wanted - set(names))
    if unknown:
        raise StartProblem(f"{unknown[0]!r} is no tool of {options.name}. Its tools: {', '.join(names)}.")
    return frozenset(wanted)
