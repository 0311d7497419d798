"""Implements the schedule tool's desk: who asks is read from the journal, never from what the model writes."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from runtime.schedule.records import BadTimes, Schedule, next_three
from runtime.schedule.store import Schedules
from runtime.session.ids import SessionKey
from runtime.session.writer import load_state
from runtime.store.redis_store import SessionStore
from tools.builtin.schedule import ScheduleParams
from tools.errors import ToolInputError

AT_MOST = 20
"""Schedules of one person."""


class NoSuchSchedule(ToolInputError):
    """A person has no schedule of this name. Whoever named it is told."""


@dataclass(slots=True, kw_only=True)
class Desk:
    """Keeps schedules for the tool."""

    sessions: SessionStore
    schedules: Schedules
    zone: str
    """Where nothing is known of the person's own."""
    zone_of: Callable[[str, str], Awaitable[str]] | None = None
    """A person's time zone by workspace and id; empty where it is not known. Set once Slack's side is open."""

    async def owner(self, session_id: str) -> str:
        """Who asked for the session's run.

        Raises:
            ToolInputError: nobody did.
        """
        run = (await load_state(self.sessions, session_id)).active_run
        if run is None:
            raise ToolInputError("No run is active here.")
        return run.requester

    async def record(self, session_id: str, call_id: str, params: ScheduleParams) -> Schedule:
        """The record that the parameters describe."""
        owner, key = await self.owner(session_id), SessionKey.parse(session_id)
        return Schedule(
            id="s" + hashlib.sha256(f"{session_id}/{call_id}".encode()).hexdigest()[:10],
            owner=owner,
            team=key.team,
            channel=key.channel,
            thread_ts=key.thread_ts,
            target=params.deliver,
            prompt=params.prompt,
            kind=params.kind,
            spec=params.when.strip(),
            zone=params.timezone or await self.zone_for(key.team, owner),
            created_ms=self.now_ms(),
        )

    def now_ms(self) -> int:
        """This process's time; a schedule's times are minutes apart."""
        return round(datetime.now(UTC).timestamp() * 1000)

    async def preview(self, session_id: str, params: ScheduleParams) -> str:
        """The schedule in words."""
        return described(await self.record(session_id, "", params), self.now_ms())

    async def create(self, session_id: str, call_id: str, params: ScheduleParams) -> str:
        """Keep it; the same call keeps one."""
        record = await self.record(session_id, call_id, params)
        words = described(record, record.created_ms)
        await self.keep(record)
        return f"Kept as {record.id}.\n{words}"

    async def keep(self, record: Schedule) -> None:
        """Keep a record; again it changes nothing.

        Raises:
            ToolInputError: its owner has too many.
        """
        if await self.schedules.get(record.id) is None:
            if len(await self.schedules.of(record.owner)) >= AT_MOST:
                raise ToolInputError(f"There are {AT_MOST} schedules already; cancel one first.")
            await self.schedules.put(record, record.next_ms(self.now_ms()))

    async def zone_for(self, team: str, user: str) -> str:
        """A person's time zone, or the ledger's where theirs is not known."""
        own_zone = await self.zone_of(team, user) if self.zone_of is not None else ""
        return own_zone or self.zone

    async def listed(self, session_id: str) -> str:
        """The person's schedules."""
        mine = await self.schedules.of(await self.owner(session_id))
        return "\n\n".join(f"{one.id}{state(one)}\n{shown(one, self.now_ms())}" for one in mine) or "None."

    async def change(self, session_id: str, schedule_id: str, command: str) -> str:
        """Pause, resume or cancel."""
        return await self.change_of(await self.owner(session_id), schedule_id, command)

    async def change_of(self, owner: str, schedule_id: str, command: str) -> str:
        """The same for a known person.

        Raises:
            ToolInputError: it would never come again; nothing is changed then.
            NoSuchSchedule: they have none of that name.
        """
        known = await self.schedules.get(schedule_id)
        if known is None or known.owner != owner:
            raise NoSuchSchedule(f"There is no schedule {schedule_id} of yours.")
        if command == "cancel":
            await self.schedules.drop(schedule_id)
            return f"{schedule_id} is cancelled."
        paused = command == "pause"
        after = known.model_copy(update={"paused": paused, "why_paused": ""})
        now_ms = self.now_ms()
        words = f"{schedule_id} is paused." if paused else f"{schedule_id} goes on.\n{described(after, now_ms)}"
        await self.schedules.put(after, 0 if paused else after.next_ms(now_ms))
        return words


def state(schedule: Schedule) -> str:
    """Whether it runs."""
    return f" (paused{': ' + schedule.why_paused if schedule.why_paused else ''})" if schedule.paused else ""


def shown(schedule: Schedule, after_ms: int) -> str:
    """The same for a list, on which one that is over stands as well."""
    try:
        return described(schedule, after_ms)
    except ToolInputError as error:
        return f"{schedule.prompt}\n{error}"


def described(schedule: Schedule, after_ms: int) -> str:
    """A schedule in words, with its next three times.

    Raises:
        ToolInputError: it would never come.
    """
    try:
        times = next_three(schedule, after_ms)
    except BadTimes as error:
        raise ToolInputError(str(error)) from error
    where = {"thread": "this thread", "channel": "this channel", "dm": "a direct message"}[schedule.target]
    next_times = "\n".join(f"  {time:%A %Y-%m-%d %H:%M}" for time in times)
    return f"{schedule.prompt}\nAnswers go to {where}. Next, in {schedule.zone}:\n{next_times}"
