"""What the runtime hands to a tool for one call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from pydantic import JsonValue

from tools.plan import Plan
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Everything a call may use. Nothing here grants authority; policy has already decided."""

    session_id: str
    run_id: str
    call_id: str
    """Stable over retries of the same call: an idempotency key for services that take one."""
    workspace: Workspace
    sandbox: Sandbox
    timeout: timedelta
    """How long this call may take; the runtime cancels it a little later."""
    plan: Plan | None = None
    """The plan as it stands, for the planning tool."""
    binding: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What `prepare` returned when the call was judged."""
