"""`python -m bot COMMAND`: one module per command, loaded only when it is asked for."""

import importlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command lives and what it does."""

    module: str
    summary: str
    entry: str = "main"
    """The function that takes the arguments."""


COMMANDS: Mapping[str, Command] = {
    "demo": Command(
        "bot.demo.supervisor", "a local Slack in the browser with the bot in it; --check drives one journey"
    ),
    "serve": Command("bot.commands.serve", "the bot, worker included"),
    "worker": Command("bot.commands.worker", "a further worker only"),
    "run": Command("bot.commands.run", "one task in this terminal, with plan, questions and approvals at the prompt"),
    "usage": Command("bot.commands.usage", "what was used, by scope and day: a table, CSV or JSON"),
    "doctor": Command(
        "bot.commands.doctor", "checks tokens, scopes, Redis, model and sandbox, and says how to fix each"
    ),
    "sessions": Command("bot.commands.sessions", "lists threads: --waiting, --failed, --running"),
    "show": Command("bot.commands.sessions", "what is known of one thread", "show_main"),
    "pause": Command("bot.commands.switch", "stops all work at once, everywhere or in one channel"),
    "resume": Command("bot.commands.switch", "goes on with what was paused", "resume_main"),
    "forget": Command("bot.commands.forget", "deletes the data of a thread, or of a person"),
    "audit": Command("bot.commands.audit", "verify or export the log of requests and decisions"),
    "tools": Command("bot.commands.tools", "every tool, with risk, effect, origin and schema"),
    "tool": Command("bot.commands.tool_new", "`tool new NAME` begins a tool of your own"),
    "mcp": Command("bot.commands.mcp", "MCP servers: add, list, accept what they offer, remove"),
    "init": Command("bot.commands.init", "prepares a real workspace: manifest, tokens, .env, a test message"),
}


def usage() -> str:
    """The list of commands."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(("usage: python -m bot COMMAND [options]", "", *lines))


def main(arguments: Sequence[str]) -> int:
    """Run a command; its exit code."""
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(usage())
        return 0
    command = COMMANDS.get(arguments[0])
    if command is None:
        print(f"There is no command {arguments[0]!r}.\n\n{usage()}", file=sys.stderr)
        return 2
    return int(getattr(importlib.import_module(command.module), command.entry)(arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
