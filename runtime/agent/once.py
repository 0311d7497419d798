"""Calls whose approval covers more than themselves for the rest of the thread: a page of a host, after one of it.

Only where the shipped default asks. A rule of `handrail.toml` that asks does so each time, unless a person allows the
tool for the thread; that allowance too covers only the same host. Where nothing contains foreign code, every call asks.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from runtime.agent.context import AgentContext
from runtime.policy.engine import Verdict, VerdictKind
from tools.collection import Parsed
from tools.errors import ToolInputError

RUNS_LOOKED_AT = 8


def narrowed(context: AgentContext, parsed: Parsed, verdict: Verdict) -> Verdict:
    """The verdict as it is for what the call is about: allowed where a person approved the same before."""
    about = about_of(parsed)
    if not about:
        return verdict
    is_spared = verdict.kind is VerdictKind.ASK and verdict.rule == "default" and context.policy.contains
    if is_spared and about in approved_before(context, parsed.tool.name):
        return replace(verdict, kind=VerdictKind.ALLOW)
    return replace(verdict, rule_hash=hashlib.sha256(f"{verdict.rule_hash}\0{about}".encode()).hexdigest())


def about_of(parsed: Parsed) -> str:
    """What the call is about, as its tool tells it; empty where it says nothing or the arguments cannot work."""
    try:
        return parsed.tool.asks_once_for(parsed.params)
    except ToolInputError:
        return ""


def approved_before(context: AgentContext, tool: str) -> Iterator[str]:
    """What earlier approved calls of a tool in this thread were about."""
    for run in context.session.latest.runs[-RUNS_LOOKED_AT:]:
        for approval in run.approvals.values():
            if approval.decided is None or approval.decided.verdict != "approved":
                continue
            requested = approval.requested
            for call in (requested, *requested.also):
                if call.tool == tool:
                    yield read_again(context, call.tool, call.arguments)


def read_again(context: AgentContext, tool: str, arguments: str) -> str:
    """What recorded arguments were about."""
    try:
        return about_of(context.tools.parse(tool, arguments))
    except ToolInputError:
        return ""
