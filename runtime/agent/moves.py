"""What may happen to a call now: a sum type that the gate gives and the agent acts on."""

from dataclasses import dataclass

from runtime.policy.engine import Verdict
from runtime.session.approval_events import CallForbidden, GrantUsed
from runtime.session.events import AnyEvent, ApprovalRequested, CallFinished, CallStarted, QuestionAsked
from tools.base import Effect, Risk
from tools.collection import Parsed
from tools.context import ToolContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The call gets this observation and does not run."""

    finished: CallFinished
    forbidden: CallForbidden | None = None
    """Where policy refused it, for the record."""

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """What to commit."""
        return (self.finished,) if self.forbidden is None else (self.forbidden, self.finished)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsApproval:
    """A person decides first."""

    requested: ApprovalRequested
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyCards:
    """People were asked so often lately that another card would only be clicked away: the run ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The call may run, once its intent is journalled, or beside that where it `changes_nothing`."""

    started: CallStarted
    parsed: Parsed
    tool_context: ToolContext
    """With what `prepare` bound to the call."""
    used_approval: str = ""
    """The approval it runs on, where it needed one."""
    granted: GrantUsed | None = None
    """The allowance it runs on, where it needs one."""

    @property
    def intent(self) -> tuple[AnyEvent, ...]:
        """What to commit before it runs."""
        return (self.started,) if self.granted is None else (self.granted, self.started)

    @property
    def changes_nothing(self) -> bool:
        """Whether it only reads, by a tool of ours, and uses up neither approval nor allowance."""
        tool = self.parsed.tool
        only_reads = tool.effect is Effect.PURE and tool.risk is Risk.READ and not tool.origin
        return only_reads and not self.used_approval and self.granted is None


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsWord:
    """The call was begun before a crash; a person says what came of it."""

    asked: QuestionAsked


Move = Refused | NeedsApproval | NeedsWord | TooManyCards | Cleared
