"""The `[policy]` section: ordered rules over calls. A rule that could never do what it says is refused at start."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from runtime.settings_base import Approver, Count, Duration, Section

PERSON = re.compile(r"[UW][A-Z0-9]{2,}|@[\w.-]+")
ORIGIN = re.compile(r"local|mcp|mcp:[A-Za-z0-9_.-]+")
CHANNEL = re.compile(r"[CDG][A-Z0-9]{2,}")
WORKSPACE = re.compile(r"[TE][A-Z0-9]{2,}|local")
HOST = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?|\[[0-9a-f:.]+\](:\d{1,5})?")
GRANT = timedelta(hours=8)


def spelled(pattern: re.Pattern[str], otherwise: str) -> AfterValidator:
    """A validator for a text that has to look a certain way."""

    def read(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(otherwise)
        return text

    return AfterValidator(read)


Person = Annotated[str, spelled(PERSON, 'must be a user id such as "U0123ABCD" or a user group such as "@oncall"')]
Origin = Annotated[str, spelled(ORIGIN, 'must be "local", "mcp" or "mcp:" with a server\'s name')]
Channel = Annotated[str, spelled(CHANNEL, 'must be a channel id such as "C0123ABCD"')]
Workspace = Annotated[str, spelled(WORKSPACE, 'must be a workspace or organisation id such as "T0123ABCD"')]
Host = Annotated[str, spelled(HOST, 'must be a host such as "api.example.com" or "*.example.com", in small letters')]


class ArgumentTest(Section):
    """One condition on one argument of the call. Exactly one of the tests."""

    argument: Annotated[str, Field(min_length=1, max_length=128)]
    """Its name; parts of an object with dots: "options.url"."""
    under: str | None = None
    """A path equal to this one or below it."""
    prefix: str | None = None
    """A single shell command that begins with these words."""
    host: Host | None = None
    """A URL of this host; "*.example.com" is every host below it."""
    at_most: Decimal | None = None
    """A number no greater than this."""
    over: Decimal | None = None
    """A number greater than this."""
    equals: str | bool | int | None = None

    @property
    def tests(self) -> tuple[str, ...]:
        """The names of the tests that are set."""
        names = ("under", "prefix", "host", "at_most", "over", "equals")
        return tuple(name for name in names if getattr(self, name) is not None)

    @model_validator(mode="after")
    def must_test_one_thing(self) -> Self:
        """Two tests in one would leave open which of them counts."""
        if len(self.tests) != 1:
            raise ValueError("needs exactly one of under, prefix, host, at_most, over and equals")
        return self

    @model_validator(mode="after")
    def must_be_able_to_hold(self) -> Self:
        """A path or a command that nothing could begin with."""
        if self.under is not None and (not self.under or ".." in self.under.split("/")):
            raise ValueError("has an under that is empty or goes up with ..; write the directory itself")
        if self.prefix is not None and (not self.prefix.split() or re.search(r"[;&|<>()$`\\\n\"']", self.prefix)):
            raise ValueError("has a prefix with shell characters or without words; write the plain first words")
        return self


class PolicyRule(Section):
    """One rule. Exactly one of `tool` and `tool_glob` says which calls it speaks of; all other conditions must hold."""

    tool: str = Field(default="", max_length=128)
    """A tool's exact name."""
    tool_glob: str = Field(default="", max_length=128)
    """A pattern of names: `*`, `?` and `[...]`."""
    when: tuple[ArgumentTest, ...] = ()
    """Conditions on the arguments; all must hold."""
    origin: Origin | None = None
    """Where the tool is from: "local" (ships with Handrail), "mcp" (any MCP server) or "mcp:NAME" (that server)."""
    people: tuple[Person, ...] | None = None
    """Who asked for the run: user ids and user groups; absent means anybody."""
    channels: tuple[Channel, ...] | None = None
    workspaces: tuple[Workspace, ...] | None = None
    verdict: Literal["allow", "ask", "deny"]
    approvers: tuple[Approver, ...] = ("requester",)
    """"requester", user ids, user groups ("@oncall"); an empty list means nobody."""
    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    """How many different people must approve."""
    four_eyes: bool = False
    """Whoever asked for the run, or edited the call, cannot approve it."""
    expires: Duration | None = None
    """How long the request stays open; absent means `timeouts.approval`."""
    escalate_to: tuple[Approver, ...] = ()
    """Who may decide as well after `escalate_after`."""
    escalate_after: Duration | None = None
    allow_for_thread: bool = True
    """Offer "Allow for this thread"; never offered with a quorum or four eyes."""
    grant_expires: Duration = GRANT
    """How long such an allowance lasts."""

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

    @model_validator(mode="after")
    def somebody_must_be_able_to_decide(self) -> Self:
        """A quorum that cannot be reached, or four eyes with one pair, would deny everything after a long wait."""
        whole = {*self.approvers, *self.escalate_to}
        if self.verdict != "ask" or not whole:
            return self
        if self.four_eyes and whole == {"requester"}:
            raise ValueError("has four_eyes but only the requester as approver; name somebody else in approvers")
        named = whole - {"requester"} if self.four_eyes else whole
        if not any(who.startswith("@") for who in named) and len(named) < self.quorum:
            raise ValueError(f"needs {self.quorum} approvals but names {len(named)} who may give one")
        return self

    @model_validator(mode="after")
    def escalation_must_be_whole(self) -> Self:
        """To whom and after how long belong together, and before the expiry."""
        if bool(self.escalate_to) != (self.escalate_after is not None):
            raise ValueError("needs escalate_to and escalate_after together")
        if self.escalate_after is not None and self.expires is not None and self.escalate_after >= self.expires:
            raise ValueError("has escalate_after no shorter than expires; nobody would be asked in time")
        return self


class CardLimit(Section):
    """How many approval cards a thread may show in a while before its run is stopped."""

    count: Count = 10
    within: Duration = timedelta(minutes=10)


class PolicySettings(Section):
    """Ordered rules; the first match decides, shipped defaults come after them."""

    rules: tuple[PolicyRule, ...] = ()
    cards: CardLimit = CardLimit()
