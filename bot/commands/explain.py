"""`python -m bot doctor --explain 'TOOL {"argument": "value"}'`: which rule decides a call, and why."""

import argparse
import json
from collections.abc import Mapping

from pydantic import JsonValue

from bot.assembly import check_policy, own_tools
from bot.commands.start import Start, StartProblem
from bot.sandbox import wanted_sandbox
from runtime.policy.engine import Policy, Subject
from runtime.policy.explain import explained
from runtime.settings_file import settings_lines
from tools.arguments import read_arguments
from tools.base import Risk
from tools.builtin.schedule import NoDesk
from tools.collection import AnyTool, ToolCollection
from tools.errors import ToolInputError
from tools.sandbox.port import Level
from tools.sandbox.probe import choose


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that describe a call."""
    parser.add_argument("--explain", metavar="CALL", help="""a call, such as 'bash {"command": "ls"}'""")
    parser.add_argument("--person", default="", metavar="ID", help="with --explain: who asked for the run")
    parser.add_argument("--groups", default="", metavar="@A,@B", help="with --explain: that person's user groups")
    parser.add_argument("--channel", default="", metavar="ID", help="with --explain: where")
    parser.add_argument("--workspace", default="", metavar="ID", help="with --explain: of which workspace")
    parser.add_argument("--origin", default="", metavar="NAME", help="with --explain: the tool's MCP server")


async def explain(start: Start, options: argparse.Namespace) -> int:
    """Print the rules until one decides, then the verdict.

    Raises:
        StartProblem: the call cannot be read.
    """
    tools = own_tools(start, NoDesk())
    check_policy(start, tools)
    name, _, raw = str(options.explain).strip().partition(" ")
    arguments, tool = read_call(tools, name, raw, is_foreign=bool(options.origin))
    sandbox = await choose(wanted_sandbox(start), data=start.data / "workspaces")
    policy = Policy.of(
        start.settings.policy,
        contains=sandbox.level not in {Level.UNSAFE_LOCAL, Level.NONE},
        expires=start.settings.timeouts.approval,
    )
    subject = Subject(
        tool=name,
        # What a foreign tool says of its own risk is not believed, so it does not matter which one stands here.
        risk=tool.risk if tool else Risk.OUTSIDE if options.origin else None,
        is_builtin=tool is not None,
        arguments=arguments,
        origin=options.origin,
        person=options.person,
        groups=frozenset(filter(None, options.groups.split(","))),
        channel=options.channel,
        workspace=options.workspace,
    )
    for line in explained(policy, subject, settings_lines(start.environment.config)):
        print(line)
    return 0


def read_call(
    tools: ToolCollection, name: str, raw: str, *, is_foreign: bool
) -> tuple[Mapping[str, JsonValue], AnyTool | None]:
    """The arguments as they would be judged, and the tool where it is one of ours.

    Raises:
        StartProblem: they cannot be read, or do not fit.
    """
    try:
        if name not in tools or is_foreign:
            return read_arguments(raw), None
        parsed = tools.parse(name, raw)
    except ToolInputError as error:
        raise StartProblem(f"--explain: {error}") from error
    return json.loads(parsed.canonical), parsed.tool
