"""What an agent works with during one lease."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from runtime.alerts import Operators
from runtime.budget.account import Account
from runtime.llm.port import ChatModel
from runtime.llm.prices import Prices
from runtime.llm.tokens import estimated
from runtime.policy.directory import NO_DIRECTORY, Directory
from runtime.policy.engine import Policy
from runtime.session.writer import SessionWriter
from runtime.settings import Settings
from tools.collection import ToolCollection
from tools.context import Conversations
from tools.patience import Patience
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContext:
    """Everything outside the agent's own logic; the composition root fills it."""

    session: SessionWriter
    model: ChatModel
    """The main profile."""
    prices: Prices
    tools: ToolCollection
    policy: Policy
    settings: Settings
    workspace: Workspace
    sandbox: Sandbox
    redact: Callable[[str], str]
    """Takes secrets out of what is stored or shown."""
    present_tools: Callable[[], ToolCollection] | None = None
    """The tools as they are now; None where they stay what they are."""
    unusable: Mapping[str, str] = field(default_factory=dict[str, str])
    """Mounts that the session has no copy of, and why."""
    foreign_words: str = ""
    """What MCP servers say about themselves, accepted by the operator, already marked as data."""
    patience: Patience = field(default_factory=Patience)
    """The clock of the step under way; it stands still while a call waits for a person."""
    directory: Directory = NO_DIRECTORY
    """Who belongs to which group, as the place where the session is seen knows it."""
    conversations: Callable[[str, str], Conversations] | None = None
    """What people wrote elsewhere, by the session that asks and the person; None where there is no such place."""
    count: Callable[[str], int] = estimated
    """Tokens of a text as the main model counts them; an estimate that errs on the safe side where that is unknown."""
    account: Account | None = None
    """The session's part of the ledger; None where only the run's own limits count."""
    operators: Operators | None = None
    summariser: ChatModel | None = None
    """Writes summaries of a long memory; None: the main model does."""
    planner: ChatModel | None = None
    """Makes the plans of a flow; None: the main model does."""
    verifier: ChatModel | None = None
    """Judges proposed answers beside the rules; None: only the rules do, and the main model for criteria in words."""
    vision: ChatModel | None = None
    """Tells in words what images show, where the main model takes none."""
