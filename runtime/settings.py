"""Every setting of `handrail.toml` as frozen models; each has a default, so an empty file is a valid one.

Read by `runtime.settings_file.load_settings`; documented for operators in `handrail.example.toml`.
"""

import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from runtime.durations import read_duration

MICROS_PER_USD = 1_000_000
APPROVER = re.compile(r"requester|[UW][A-Z0-9]{2,}|@[\w.-]+")
MOUNT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")


class SettingsError(Exception):
    """Settings or environment cannot be used. The operator reacts; each problem is a sentence that says how."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read_approver(text: str) -> str:
    """Who may decide, in one of its three spellings.

    Raises:
        ValueError: it is none of them.
    """
    if not APPROVER.fullmatch(text):
        raise ValueError('must be "requester", a user id such as "U0123ABCD" or a user group such as "@oncall"')
    return text


def read_mount_name(text: str) -> str:
    """A name that can stand in a path.

    Raises:
        ValueError: it cannot.
    """
    if not MOUNT_NAME.fullmatch(text):
        raise ValueError("must be 1 to 63 letters, digits, dashes or underscores")
    return text


def micros_of(usd: Decimal) -> int:
    """Whole micro-dollars."""
    return int(usd * MICROS_PER_USD)


Duration = Annotated[timedelta, BeforeValidator(read_duration)]
Count = Annotated[int, Field(ge=1)]
Usd = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
Approver = Annotated[str, AfterValidator(read_approver)]


class Section(BaseModel):
    """Base of all sections: what is not known is refused, and nothing is converted silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PolicyRule(Section):
    """One rule. Exactly one of `tool` and `tool_glob` says which calls it speaks of."""

    tool: str = Field(default="", max_length=128)
    """A tool's exact name."""
    tool_glob: str = Field(default="", max_length=128)
    """A pattern of names: `*`, `?` and `[...]`."""
    verdict: Literal["allow", "ask", "deny"]
    approvers: tuple[Approver, ...] = ("requester",)
    """"requester", user ids, user groups ("@oncall"); an empty list means nobody."""
    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    """How many different people must approve."""
    expires: Duration | None = None
    """How long the request stays open; absent means `timeouts.approval`."""

    @model_validator(mode="after")
    def must_name_one(self) -> Self:
        """A rule about everything has to say so with a pattern."""
        if bool(self.tool) == bool(self.tool_glob):
            raise ValueError("needs exactly one of tool (an exact name) and tool_glob (a pattern)")
        return self

    @model_validator(mode="after")
    def exact_name_must_not_look_like_a_pattern(self) -> Self:
        """`tool = "mcp_*"` would match nothing, silently."""
        if any(mark in self.tool for mark in "*?["):
            raise ValueError(f"has a pattern in tool; write tool_glob = {self.tool!r} if it is meant as one")
        return self


class PolicySettings(Section):
    """Ordered rules; the first match decides, shipped defaults come after them."""

    rules: tuple[PolicyRule, ...] = ()


class RunBudget(Section):
    """What one run may use before it ends with what it has."""

    steps: Count = 50
    wall: Duration = timedelta(minutes=30)
    """Working time; waiting for people does not count."""
    tokens: Count = 2_000_000
    usd: Usd = Decimal("2.50")

    @property
    def micros(self) -> int:
        """Micro-dollars."""
        return micros_of(self.usd)


class ThreadBudget(Section):
    """What all runs of one thread may use together; absent means no bound of its own."""

    tokens: Count | None = None
    usd: Usd | None = None


class DayBudget(Section):
    """What one person, channel or workspace may use per day; absent means no bound of its own."""

    per_day_tokens: Count | None = None
    per_day_usd: Usd | None = None


class PersonBudget(DayBudget):
    """What one person may use per day; a file that names only tokens keeps the bound in money."""

    per_day_usd: Usd | None = Decimal(10)


class WorkspaceBudget(DayBudget):
    """What everybody of a workspace may use together per day."""

    per_day_usd: Usd | None = Decimal(50)


class BudgetSettings(Section):
    """Limits by scope."""

    run: RunBudget = RunBudget()
    thread: ThreadBudget = ThreadBudget()
    person: PersonBudget = PersonBudget()
    channel: DayBudget = DayBudget()
    workspace: WorkspaceBudget = WorkspaceBudget()


class TimeoutSettings(Section):
    """How long each thing may take."""

    model_silence: Duration = timedelta(seconds=120)
    """No byte from the model for so long."""
    model: Duration = timedelta(seconds=600)
    """One model request in all, retries included."""
    tool: Duration = timedelta(seconds=120)
    tool_max: Duration = timedelta(seconds=600)
    """What a call may ask for at most."""
    question: Duration = timedelta(hours=72)
    approval: Duration = timedelta(hours=24)
    reminder: Duration = timedelta(minutes=30)

    @model_validator(mode="after")
    def tool_fits(self) -> Self:
        """The usual timeout cannot exceed the greatest."""
        if self.tool > self.tool_max:
            raise ValueError("has tool longer than tool_max; raise tool_max or lower tool")
        return self


class RetentionSettings(Section):
    """How long things are kept after their last change."""

    sessions: Duration = timedelta(days=30)
    audit: Duration = timedelta(days=365)


class Mount(Section):
    """A directory of the host, shown read-only; the agent edits a copy and proposes the difference."""

    name: Annotated[str, AfterValidator(read_mount_name)]
    path: Path


class WorkspaceSettings(Section):
    """What the agent may see of the host."""

    mounts: tuple[Mount, ...] = ()

    @model_validator(mode="after")
    def names_must_differ(self) -> Self:
        """Two mounts of one name could not be told apart."""
        names = [mount.name for mount in self.mounts]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"has two mounts called {twice[0]!r}; rename one")
        return self


class AccessSettings(Section):
    """Who may start runs, and where."""

    members: bool = True
    guests: bool = False
    external: bool = False
    users: tuple[str, ...] = ()
    channels: tuple[str, ...] | None = None
    """None means every channel the bot is in; an empty list means none."""


class SlackSettings(Section):
    """How much is said in a thread."""

    verbosity: Literal["all", "steps", "quiet"] = "steps"
    follow_ups: bool = True
    """Replies in a session's thread need no mention."""


class McpSettings(Section):
    """Where the ecosystem's own `mcpServers` file is."""

    config: Path | None = None


class SandboxSettings(Section):
    """Where generated code runs."""

    unsafe_local: bool = False
    """Without any isolation available, run on the host and ask a person before every call."""
    python: Path | None = None
    """Interpreter for generated code; absent means the prepared one."""


class ModelSettings(Section):
    """What the runtime has to know of the main model; its name and address are in the environment."""

    context_window: Annotated[int, Field(ge=4_000)] = 128_000
    """Tokens the model can read at once."""
    max_output_tokens: Count | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    tries: Annotated[int, Field(ge=1, le=10)] = 4
    """Requests in all where a failure is of the passing kind."""
    usd_per_million_input: Usd | None = None
    """Overrides the price known for the model; so do the next two."""
    usd_per_million_cached: Usd | None = None
    usd_per_million_output: Usd | None = None

    @model_validator(mode="after")
    def prices_come_together(self) -> Self:
        """Half a price would hide the other half."""
        if (self.usd_per_million_input is None) != (self.usd_per_million_output is None):
            raise ValueError("needs usd_per_million_input and usd_per_million_output together")
        return self


class EngineSettings(Section):
    """How sessions are worked on."""

    concurrency: Annotated[int, Field(ge=1, le=1000)] = 8
    """Sessions one process works on at a time."""
    lease: Duration = timedelta(seconds=30)
    """How long a session stays with a process that went silent."""
    snapshot_every: Count = 200
    """Events between two snapshots."""
    park_after: Duration = timedelta(hours=24)
    """After so long a silence a run goes on only when a person says so."""


class Settings(Section):
    """The whole file."""

    data_dir: Path = Path(".handrail")
    """Workspaces and the embedded server's files; relative to the file, or to the working directory without one."""
    policy: PolicySettings = PolicySettings()
    budget: BudgetSettings = BudgetSettings()
    timeouts: TimeoutSettings = TimeoutSettings()
    retention: RetentionSettings = RetentionSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    access: AccessSettings = AccessSettings()
    slack: SlackSettings = SlackSettings()
    mcp: McpSettings = McpSettings()
    sandbox: SandboxSettings = SandboxSettings()
    model: ModelSettings = ModelSettings()
    engine: EngineSettings = EngineSettings()
