"""Sentences about work on a schedule; `bot.texts` holds the others."""

from bot.render import escape
from runtime.schedule.records import BadTimes, Schedule, next_three

TITLE = "Schedule this?"
KEEP = "Schedule"
PLACES = {"channel": "This channel", "dm": "A direct message to me"}
WHERE = "Where should the answers go?"
DONE_TITLE = "Scheduled"
CLOSE = "Close"
TOO_LATE = "This form is too old. Use the command again."
NOTHING = "You have no schedules."
HOME = "Your schedules"
NOTHING_AT_HOME = "You have no schedules. `/handrail schedule` says how to arrange one."
PAUSE = "Pause"
RESUME = "Resume"
DELETE = "Delete"
DELETE_TITLE = "Delete this schedule?"
DELETE_WHAT = "It will not run again. What it has written stays."
HOW = (
    "`/handrail schedule every weekday at 9:00 look at last night's import` arranges work. Other times I can read: "
    "`every monday and friday at 17:30`, `every 2 hours`, `in two hours`, `tomorrow at noon`, `on 2027-01-31 at 9:00`, "
    "`cron 0 9 * * 1-5`.\n"
    "`/handrail schedule pause ID`, `resume ID` and `delete ID` change one of yours. In a thread just ask me."
)
WHY_PAUSED = {
    "person": "you may not start tasks any more; the operator decides that under [access]",
    "channel": "I'm not set up for its channel any more; the operator decides that under [access]",
    "place": "I'm not in its channel any more, or it is archived; invite me there again",
}


def more(count: int) -> str:
    """App Home shows only some."""
    return f"and {count} more; `/handrail schedule` lists all of them"


def scheduled(owner: str, prompt: str) -> str:
    """The first message of an occurrence."""
    return f"Scheduled for <@{owner}>: {prompt}"


def paused(prompt: str, why: str, schedule_id: str) -> str:
    """The owner's authority is gone, or the place of the answers."""
    return (
        f"I paused your scheduled task “{prompt}”, because {WHY_PAUSED.get(why, why)}. "
        f"`/handrail schedule resume {schedule_id}` lets it go on afterwards."
    )


def place(schedule: Schedule) -> str:
    """Where its answers go."""
    if schedule.target == "dm":
        return "a direct message"
    return f"a thread in <#{schedule.channel}>" if schedule.target == "thread" else f"<#{schedule.channel}>"


def times(schedule: Schedule, after_ms: int) -> str:
    """The next three times, in the schedule's zone."""
    try:
        found = next_three(schedule, after_ms)
    except BadTimes as error:
        return str(error)
    return f"Next, in {schedule.zone}:\n" + "\n".join(f"• {time:%A %Y-%m-%d %H:%M}" for time in found)


def preview(schedule: Schedule, after_ms: int) -> str:
    """What is to be confirmed."""
    return f"{escape.within(schedule.prompt, 1_500)}\n{times(schedule, after_ms)}"


def kept(schedule: Schedule, after_ms: int) -> str:
    """It was confirmed."""
    return f"Kept as `{schedule.id}`. Answers go to {place(schedule)}. {times(schedule, after_ms)}"


def listed(schedule: Schedule, after_ms: int) -> str:
    """One line and its times."""
    words = f"`{schedule.id}` {escape.within(schedule.prompt, 200)} → {place(schedule)}."
    if schedule.paused:
        why = WHY_PAUSED.get(schedule.why_paused, "")
        return f"{words} Paused{': ' + why if why else ''}."
    return f"{words} {times(schedule, after_ms)}"


def unknown(schedule_id: str) -> str:
    """No such schedule of this person."""
    return f"You have no schedule `{schedule_id}`. `/handrail schedule` lists yours."


def changed(schedule: Schedule, command: str, after_ms: int) -> str:
    """It was paused, resumed or deleted."""
    if command == "resume":
        return f"`{schedule.id}` goes on. {times(schedule, after_ms)}"
    return f"`{schedule.id}` is {'deleted' if command == 'delete' else 'paused'}."
