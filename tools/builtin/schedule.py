"""Recurring and later work: the tool proposes a record, a person confirms it with its next times, the desk keeps it."""

from typing import ClassVar, Literal, Protocol, Self

from pydantic import Field, model_validator

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolInputError, ToolResult
from tools.context import ToolContext

CHANGES = frozenset({"pause", "resume", "cancel"})


class ScheduleParams(Params):
    """What should happen to which schedule."""

    command: Literal["create", "list", "pause", "resume", "cancel"]
    prompt: str = Field(default="", max_length=4000, description="The task, complete in itself.")
    kind: Literal["cron", "interval", "date"] = "cron"
    when: str = Field(
        default="",
        max_length=100,
        description='cron "0 9 * * 1-5" (1 is Monday), interval "2h", date "2026-01-31T09:00".',
    )
    timezone: str = Field(default="", max_length=64, description="Empty: the person's own.")
    deliver: Literal["thread", "channel", "dm"] = "thread"
    schedule_id: str = Field(default="", max_length=40)

    @model_validator(mode="after")
    def must_be_complete(self) -> Self:
        """Each command needs its own fields."""
        if self.command == "create" and not (self.prompt.strip() and self.when.strip()):
            raise ValueError("create needs prompt and when")
        if self.command in CHANGES and not self.schedule_id:
            raise ValueError(f"{self.command} needs schedule_id")
        return self


class ScheduleDesk(Protocol):
    """Keeps schedules. Above: this tool. Below: `runtime.schedule.desk.Desk`.

    Every method raises `ToolInputError` when what is asked cannot be, and knows from the session who asks.
    """

    async def preview(self, session_id: str, params: ScheduleParams) -> str:
        """The schedule in words, with its next three times."""
        ...

    async def create(self, session_id: str, call_id: str, params: ScheduleParams) -> str:
        """Keep it, once per call; what was kept, with its next three times."""
        ...

    async def listed(self, session_id: str) -> str:
        """The person's schedules."""
        ...

    async def change(self, session_id: str, schedule_id: str, command: str) -> str:
        """Pause, resume or cancel one of the person's own."""
        ...


class NoDesk:
    """Keeps nothing: for reading what the tool is, where none of its calls will run."""

    async def preview(self, session_id: str, params: ScheduleParams) -> str:
        """Nothing can be arranged."""
        raise ToolInputError("Nothing is kept here.")

    async def create(self, session_id: str, call_id: str, params: ScheduleParams) -> str:
        """Nothing can be arranged."""
        raise ToolInputError("Nothing is kept here.")

    async def listed(self, session_id: str) -> str:
        """There are none."""
        raise ToolInputError("Nothing is kept here.")

    async def change(self, session_id: str, schedule_id: str, command: str) -> str:
        """There are none."""
        raise ToolInputError("Nothing is kept here.")


class ScheduleTool(BaseTool[ScheduleParams]):
    """Nothing runs here: what is due later runs in its owner's name, with their authority as it is then."""

    name: ClassVar[str] = "schedule"
    description: ClassVar[str] = (
        "Arrange work for later or again and again, which the person confirms; also list, pause, resume, cancel."
    )
    risk: ClassVar[Risk] = Risk.OUTSIDE
    effect: ClassVar[Effect] = Effect.IDEMPOTENT
    params: ClassVar[type[Params]] = ScheduleParams

    def __init__(self, desk: ScheduleDesk) -> None:
        self.desk = desk

    async def prepare(self, params: ScheduleParams, context: ToolContext) -> PreparedCall:
        """The next three times for the person who confirms."""
        if params.command == "create":
            body = await self.desk.preview(context.session_id, params)
            return PreparedCall(preview=CallPreview(title="Arrange work for later", body=body, language="text"))
        title = "List the schedules" if params.command == "list" else f"{params.command} {params.schedule_id}"
        return PreparedCall(preview=CallPreview(title=title, body=title, language="text"))

    async def run(self, params: ScheduleParams, context: ToolContext) -> ToolResult:
        """Hand it to the desk."""
        match params.command:
            case "create":
                return ToolResult(output=await self.desk.create(context.session_id, context.call_id, params))
            case "list":
                return ToolResult(output=await self.desk.listed(context.session_id))
            case "pause" | "resume" | "cancel":
                return ToolResult(output=await self.desk.change(context.session_id, params.schedule_id, params.command))


__all__ = ["NoDesk", "ScheduleDesk", "ScheduleParams", "ScheduleTool", "ToolInputError"]
