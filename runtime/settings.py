"""Every setting of `handrail.toml` as frozen models; each has a default, so an empty file is a valid one.

Read by `runtime.settings_file.load_settings`; documented for operators in `handrail.example.toml`.
"""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from runtime.session.verbosity import Verbosity
from runtime.settings_base import (
    MICROS_PER_USD,
    Count,
    Duration,
    Section,
    SettingsError,
    micros_of,
    read_mount_name,
)
from runtime.settings_budget import BudgetSettings, FairSettings, RunBudget, TimeoutSettings
from runtime.settings_models import ModelProfile, ModelSettings
from runtime.settings_policy import PolicyRule, PolicySettings
from tools.sandbox.settings import Backend, HostName

__all__ = [
    "MICROS_PER_USD",
    "ModelSettings",
    "PolicyRule",
    "PolicySettings",
    "RunBudget",
    "Settings",
    "SettingsError",
    "TimeoutSettings",
    "micros_of",
]


class RetentionSettings(Section):
    """How long things are kept after their last change."""

    sessions: Duration = timedelta(days=30)
    audit: Duration = timedelta(days=365)
    journal_events: Annotated[int, Field(ge=0)] = 0
    """Newest events of a thread that stay in its journal under a snapshot; 0: all of them."""


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

    verbosity: Verbosity = "steps"
    verbosity_in: Mapping[str, Verbosity] = Field(default_factory=dict)
    """Another one in some channels, by channel id."""
    follow_ups: bool = True
    """Replies in a session's thread need no mention."""
    reaction: str = "robot_face"
    """A person's reaction that starts a run on the message it stands on; empty: none does."""
    bots: tuple[str, ...] = ()
    """Ids of other bots whose mention of this one starts a run, as a person's does; no other bot is answered."""
    refused_files: tuple[str, ...] = ()
    """Endings of file names that are not fetched, such as "exe"."""
    operators_channel: str = ""
    """Where operators are told of an outage; empty: only the log."""

    def verbosity_of(self, channel: str) -> Verbosity:
        """How much is said in a channel's threads until somebody chooses otherwise in one."""
        return self.verbosity_in.get(channel, self.verbosity)


class McpSettings(Section):
    """Where the ecosystem's own `mcpServers` file is."""

    config: Path | None = None
    elicitation: tuple[str, ...] = ()
    """Names of servers that may ask the person while a call waits, for five minutes at most."""


class WebSettings(Section):
    """What the agent may do on the web; generated code never has a network of its own."""

    enabled: bool = True
    search: tuple[Literal["brave", "tavily", "searxng", "duckduckgo"], ...] = (
        "brave",
        "tavily",
        "searxng",
        "duckduckgo",
    )
    """Search engines in the order they are tried; those without key or address are passed over."""
    searxng: str = ""
    """Address of a SearXNG instance that answers in JSON."""
    private_hosts: tuple[str, ...] = ()
    """Hosts that are not public and may be fetched from all the same, each as `host:port`."""


class SandboxSettings(Section):
    """Where generated code runs."""

    backend: Backend = "auto"
    """Which isolation; `auto` takes the strongest that works here, a container only where it is named."""
    unsafe_local: bool = False
    """Without any isolation available, run on the host and ask a person before every call."""
    network: tuple[HostName, ...] = ()
    """Hosts that generated code may reach through a proxy; empty: no network. Needs bubblewrap."""
    container_image: str = ""
    """An image that the engine has, with a python3 and whatever code should find."""
    container_socket: Path = Path("/var/run/docker.sock")
    """Docker's or Podman's own."""
    container_python: str = "/usr/bin/python3"
    """Where the image has it."""
    python: Path | None = None
    """Interpreter for generated code; absent means the prepared one."""


class AgentSettings(Section):
    """Who does what people ask for, where they do not name an agent."""

    default: Annotated[str, Field(pattern=r"^([a-z][a-z_]*|mcp:\S+)$")] = "manus"
    """By its name, or `mcp:` and an MCP server; whether there is one is checked at start."""
    browser: Annotated[str, Field(min_length=1)] = "playwright"
    """The MCP server whose tools are a browser, for the agent of that name."""
    plan_first: bool = False
    """A person approves a plan before any work begins; "plan first" in a request asks for the same."""


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
    fair: FairSettings = FairSettings()
    timeouts: TimeoutSettings = TimeoutSettings()
    retention: RetentionSettings = RetentionSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    access: AccessSettings = AccessSettings()
    slack: SlackSettings = SlackSettings()
    mcp: McpSettings = McpSettings()
    web: WebSettings = WebSettings()
    sandbox: SandboxSettings = SandboxSettings()
    model: ModelSettings = ModelSettings()
    engine: EngineSettings = EngineSettings()
    agent: AgentSettings = AgentSettings()
    models: tuple[ModelProfile, ...] = ()
    """Further models by name: planner, verifier, summariser, vision, or a fallback's."""
