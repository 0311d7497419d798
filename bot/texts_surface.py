"""Sentences of the ways into Handrail: status, /handrail, App Home, shortcuts, reactions, HTTP pages."""

from collections.abc import Mapping, Sequence

from bot.render import escape
from bot.render.amounts import counted, money, tokens
from runtime.session.mind_events import AnswerChecked
from runtime.session.state import RunState

STATUS_WORKING = "is working…"
HOME_WAITING = "Waiting for you"
HOME_RUNNING = "Running for you"
HOME_USAGE = "Today"
HOME_SETTINGS = "Settings of this workspace"
HOME_DATA = "Your data"
DECIDED_THERE = "This is too long to be shown here in full, so it is decided in the thread."
NOTHING_WAITS = "Nothing waits for you."
NOTHING_RUNS = "Nothing runs for you. Mention me in a channel, or write to me under Messages."
OPEN_THREAD = "Open thread"
ANSWER = "Answer…"
DELETE = "Delete my data"
DELETE_TITLE = "Delete your data?"
DELETE_YES = "Delete"
DELETE_NO = "Keep"
DELETE_THREAD = "Delete one thread…"
DELETE_THREAD_TITLE = "Delete a thread?"
LOOKING = "Looking for the threads in which only you spoke to me…"
DELETE_WHICH = "Thread"
NO_THREADS = "There is no thread in which only you spoke to me."
REFRESH = "Refresh"
UNREACHABLE = "I cannot read my records at the moment. Try again in a little while."
STOPPING_NONE = "Nothing of yours is running in this channel. `/handrail status` shows what runs elsewhere."
ASK_TITLE = "Ask Handrail"
ASK_LABEL = "What should I do with this message?"
ASK_SUBMIT = "Start"
ASK_DEFAULT = "Please look into this message."
NOT_A_MEMBER = "I'm not in that channel. Invite me there first, then try again."
BY_REACTION = "Please look into this message (I asked with a reaction)."
HELP = (
    "*How to work with me*\n"
    "• Mention me in a channel, write to me under Messages, react to a message with :{reaction}:, or choose "
    "“Ask Handrail about this” from a message's menu.\n"
    "• In a thread I was called into, replies need no mention. `stop` alone, a :octagonal_sign: reaction or the Stop "
    "button ends a run.\n"
    "• How much I post is chosen thread by thread: say only “quiet”, “every step” or “every call” there, or use the "
    "menu beside Stop.\n"
    "• Say “plan first” in a request to see and change my plan before I begin; “Edit plan” changes it at any time.\n"
    "*Commands*\n"
    "`/handrail status`: what runs and what waits for you\n"
    "`/handrail as swe fix the failing test`: a task for one agent, in a thread of its own\n"
    "`/handrail stop`: stop your runs in this channel\n"
    "`/handrail usage`: what was used today\n"
    "`/handrail settings`: how I am set up here\n"
    "`/handrail schedule`: work for later or again and again, yours to list, pause and delete\n"
    "`/handrail forget`: delete your data\n"
    "`/handrail help`: this"
)
AS_TAKEN = "I'll post it here and work in its thread."
DELETE_WHAT = (
    "This deletes the records and files of every thread in which only you spoke to me, and your schedules. Messages in "
    "Slack stay; Slack deletes those. Who approved what is kept as digests without any content."
)
HOME_DATA_WHAT = f"“{DELETE}” d{DELETE_WHAT.removeprefix('This d')}"
DELETE_THREAD_WHAT = (
    "This deletes my records and files of the thread. Messages in Slack stay; Slack deletes those. Who approved what "
    "is kept as digests without any content."
)
ASSISTANT_PROMPTS = "What shall I look into?"
PROMPTS = (
    (
        "Look into a data problem",
        "I'll attach a file. Find out what is wrong with the data, and show me how you know.",
    ),
    ("Make a chart", "I'll attach a spreadsheet. Make one chart that shows what matters, and say what it shows."),
    ("Change files with my approval", "Which of my directories can you see, and what could you do there?"),
    ("What can you do?", "What can you do, and what will you ask me before you do it?"),
)
SEEN_WHILE_ASKING = "Slack says what the person was looking at"


def unknown_command(word: str) -> str:
    """A word after `/handrail` that means nothing."""
    return f"I don't know `{word}`. `/handrail help` lists what I know."


def stopping(count: int) -> str:
    """What `/handrail stop` did."""
    return f"Stopping {counted(count, 'run')} of yours in this channel. Each thread gets its last word."


def used(what: str, used_tokens: int, micros: int, limit: int | None) -> str:
    """One line of today's use."""
    of = f" of {money(limit)}" if limit is not None else ""
    return f"*{what}*: {money(micros)}{of} · {tokens(used_tokens)}"


def deleted(count: int, shared: int, running: int) -> str:
    """What came of deleting somebody's data."""
    parts = [f"Deleted {counted(count, 'thread')} with records and files."]
    if shared:
        parts.append(f"{counted(shared, 'thread')} with other people in them stay until their time is over.")
    if running:
        parts.append(f"{counted(running, 'thread')} with work under way stay; stop it and delete again.")
    return " ".join(parts)


def waits(run: RunState) -> str:
    """What a run waits for, where its thread is not in sight; empty where it works."""
    if run.open_question:
        return "Waiting for an answer"
    if run.open_approval:
        return "Waiting for approval"
    return "Stopped at a limit" if run.open_limit else ""


def replies(verbosity: str) -> str:
    """How much is said in a thread where nobody chose, and how to choose."""
    usual = {"all": "one a call", "steps": "one a finished step", "quiet": "plan and answer only"}[verbosity]
    return f"{usual}. In a thread, the menu beside Stop or a message such as “quiet” changes that"


def settings_lines(facts: Mapping[str, str]) -> str:
    """How the workspace is set up, one line each."""
    return "\n".join(f"*{name}*: {value}" for name, value in facts.items())


def asked_about(link: str, words: str) -> str:
    """The request that a shortcut makes in a thread, for everybody to see who asked."""
    return f"{words}\n(about {link})" if link else words


def other_process(names: Sequence[str]) -> str:
    """Another process receives events with the same app token and the same store."""
    return (
        f"{', '.join(names)} also receives the events of this Slack app. Both share one store, so nothing is lost; "
        "Slack gives each event to one of them."
    )


def foreign_connections(count: int) -> str:
    """Somebody else is connected with the same app token."""
    return (
        f"{counted(count, 'other connection')} with this SLACK_APP_TOKEN not known to this store. Slack gives each "
        "event to only one connection, so about as many are lost here. Give every installation a Slack app of its own."
    )


def caveat(detail: str) -> str:
    """What a person has to know of an answer beside its words; empty when there is nothing."""
    if detail == "cut_off":
        return "The model's output limit cut this answer off. Reply “go on” for the rest."
    kind, _, failed = detail.partition(":")
    return f"Not everything here could be checked: {escape.mrkdwn(failed)}" if kind == "unproven" and failed else ""


def checked(verdict: AnswerChecked) -> str:
    """What of an answer was held against what really happened, and by what; what failed stands in the caveat."""
    passed = [check for check in verdict.checks if check.passed and check.name != "work"]
    if not passed:
        return ""
    who = " and ".join(dict.fromkeys("a model" if check.name == "judge" else "rules" for check in passed))
    shown = "; ".join(escape.within(" ".join(check.evidence.split()), EVIDENCE) for check in passed[:CHECKS_NAMED])
    more = f"; {len(passed) - CHECKS_NAMED} more" if len(passed) > CHECKS_NAMED else ""
    return f"{'Last step checked' if verdict.about else 'Checked'} by {who}: {shown}{more}"


def not_fetched(problems: Sequence[tuple[str, str]]) -> str:
    """Files that a person sent and the agent does not get, with the reasons."""
    lines = [f"• {escape.within(name, 200)}: {escape.within(why, 300)}" for name, why in problems]
    return "\n".join(("I go on without these files of yours:", *lines))


FILES_NAMED = 8
PAGES_NAMED = 5
CHECKS_NAMED = 4
EVIDENCE = 120


def files_above(names: Sequence[str]) -> str:
    """The files that an answer comes with; empty where it comes with none."""
    if not names:
        return ""
    more = f" and {counted(len(names) - FILES_NAMED, 'more file')}" if len(names) > FILES_NAMED else ""
    return f"Files above: {', '.join(f'`{name}`' for name in names[:FILES_NAMED])}{more}"


def sources(pages: Sequence[str]) -> str:
    """The pages that an answer rests on; empty where none was read or its words name them all."""
    if not pages:
        return ""
    more = f" and {counted(len(pages) - PAGES_NAMED, 'more page')}" if len(pages) > PAGES_NAMED else ""
    return f"Sources: {' , '.join(pages[:PAGES_NAMED])}{more}"


def as_agent(names: Sequence[str]) -> str:
    """How the command is used."""
    known = ", ".join(f"`{name}`" for name in names)
    return f"Name an agent and a task, such as `/handrail as swe fix the failing test`. Agents: {known}."


def asked_as(user: str, agent: str, task: str) -> str:
    """The message that a task of the command stands in, for everybody."""
    return f"<@{user}> asks `{agent}`: {escape.mrkdwn(task)}"


def delete_thread_what(newest: int) -> str:
    """What deleting a thread means; `newest` where no more than so many are offered, else 0."""
    more = f" These are your {newest} newest; `/handrail forget` deletes all of them." if newest else ""
    return DELETE_THREAD_WHAT + more
