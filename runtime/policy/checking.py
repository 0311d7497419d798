"""Rules against the tools there are: a rule that names what does not exist would silently decide nothing."""

import difflib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from pydantic import JsonValue

from runtime.settings_base import SettingsError
from runtime.settings_policy import PolicyRule, PolicySettings
from tools.collection import ToolCollection


def problems(settings: PolicySettings, tools: ToolCollection) -> Iterator[tuple[str, str]]:
    """Each mistake with the setting it stands in (`policy.rules[0].tool`) and a sentence that follows its name."""
    for index, rule in enumerate(settings.rules):
        name = f"policy.rules[{index}]"
        yield from of_tool(name, rule, tools)
        yield from of_arguments(name, rule, tools)


def check(settings: PolicySettings, tools: ToolCollection, file: str, lines: Mapping[str, int]) -> None:
    """Refuse to start with rules that cannot mean what they say.

    Raises:
        SettingsError: with each mistake and its line.
    """
    found = [f"{place(file, name, lines)}: {name} {text}" for name, text in problems(settings, tools)]
    if found:
        raise SettingsError(*found)


def place(file: str, name: str, lines: Mapping[str, int]) -> str:
    """The file and, where it is known, the line of a setting or of what it stands in."""
    while name and name not in lines:
        name = name[: max(name.rfind("."), name.rfind("["), 0)]
    return f"{file} line {lines[name]}" if name else file


def of_tool(name: str, rule: PolicyRule, tools: ToolCollection) -> Iterator[tuple[str, str]]:
    """A tool of ours that is misspelt. Tools of MCP servers are not known at start, so their names are not judged."""
    if not rule.tool or rule.tool in tools or rule.tool.startswith("mcp_") or (rule.origin or "").startswith("mcp"):
        return
    if rule.tool in KNOWN_ELSEWHERE or rule.tool in LIMITS:
        return
    near = difflib.get_close_matches(rule.tool, tools.names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"the tools are {', '.join(tools.names)}."
    yield f"{name}.tool", f"names {rule.tool!r}, which is no tool; {hint}"


KNOWN_ELSEWHERE = frozenset({"publish", "web_search", "web_fetch", "chart"})
"""Tools of ours that are there only with certain settings."""


LIMITS = frozenset({"budget.run", "budget.thread", "budget.person", "budget.channel", "budget.workspace"})
"""Not tools: rules about who may add to a limit that was reached."""


def of_arguments(name: str, rule: PolicyRule, tools: ToolCollection) -> Iterator[tuple[str, str]]:
    """A condition on an argument that no tool the rule speaks of has."""
    spoken_of = [tool for tool in tools.names if tool == rule.tool or (rule.tool_glob and fits(tool, rule))]
    if not spoken_of or (rule.tool_glob and rule.origin != "local"):
        return
    known = sorted({argument for tool in spoken_of for argument in properties(tools.schema(tool))})
    for index, test in enumerate(rule.when):
        if test.argument.partition(".")[0] not in known:
            takes = f"{', '.join(spoken_of)} takes {', '.join(known) or 'no arguments'}"
            yield f"{name}.when[{index}].argument", f"is {test.argument!r}, but {takes}"


def fits(tool: str, rule: PolicyRule) -> bool:
    """Whether a pattern fits."""
    return fnmatchcase(tool, rule.tool_glob)


def properties(schema: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The names of a tool's arguments."""
    found = schema.get("properties")
    return tuple(found) if isinstance(found, dict) else ()
