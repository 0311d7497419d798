"""Sentences about limits, time, and a model that is away; `bot.texts` holds the others."""

from collections.abc import Mapping

from bot.render import escape
from bot.render.amounts import counted, duration, money, tokens
from runtime.session.events import CallStatus
from runtime.session.limit_events import LimitExtended, LimitReached, ModelAway, NoteCode, RunNoted
from runtime.session.state import RunState

END_HERE = "End here"
WHY, WORDS, BRIEF = 400, 300, 120
"""Letters of what is quoted in the last word of a run that got nowhere."""
BRIEFS = 3
WHOSE = {
    "run": "this task's",
    "thread": "this thread's",
    "person": "your daily",
    "channel": "this channel's daily",
    "workspace": "this workspace's daily",
}


def amount(what: str, value: int) -> str:
    """So much of something that is limited."""
    return {
        "steps": lambda: counted(value, "step"),
        "wall": lambda: duration(value),
        "tokens": lambda: tokens(value),
        "usd": lambda: money(value),
    }[what]()


def limit_name(scope: str, what: str, limit: int, person: str = "") -> str:
    """A limit by its name: "this task's limit of $2.50"; of a `person` where the words are not for them alone."""
    of_time = " of working time" if what == "wall" else ""
    whose = f"{person}'s daily" if person and scope == "person" else WHOSE[scope]
    return f"{whose} limit of {amount(what, limit)}{of_time}"


def add_label(reached: LimitReached) -> str:
    """The button that adds."""
    return f"Add {amount(reached.what, reached.adds)}"


def limit_card(reached: LimitReached, who: str, person: str = "") -> str:
    """What was reached, and what can be done now.

    Args:
        reached: the limit.
        who: mentions of those who may add.
        person: the mention of whoever asked for the run, where somebody else reads it.
    """
    name = limit_name(reached.scope, reached.what, reached.limit, person)
    return f"{who} I've reached {name} and stopped with what I have. Add more, or end here? Waiting costs nothing."


def limit_wait(reached: LimitReached) -> str:
    """By when, and what happens then. Slack shows the time in the reader's own zone."""
    at = f"<!date^{reached.expires_at_ms // 1000}^{{date_short_pretty}} {{time}}|the deadline>"
    if reached.new_day:
        return f"At {at} a new day begins and I go on by myself."
    return f"Without an answer by {at} I end here with what I have."


def limit_closed(reached: LimitReached, extended: LimitExtended | None, *, ended_by: str) -> str:
    """The card's last line."""
    if extended is None:
        by = f" by <@{ended_by}>" if ended_by else ""
        return f"*Ended here{by}.*"
    if not extended.by:
        return "*A new day began, so I went on.*"
    return f"*{amount(reached.what, extended.added)} added by <@{extended.by}>.*"


def note(noted: RunNoted) -> str:
    """A quiet line in the thread."""
    about = noted.about
    match noted.code:
        case NoteCode.NEAR:
            what, limit, used = about["what"], int(about["limit"]), int(about["used"])
            name = limit_name(about["scope"], what, limit)
            return f"{used * 100 // limit} % of {name} is used ({amount(what, used)})."
        case NoteCode.PRICE_UNKNOWN:
            return (
                f"I don't know what the model {about['model']} costs, so I reckon with $3 per million tokens read and "
                "$15 per million written. The operator can set the price under [model] in handrail.toml."
            )
        case NoteCode.QUEUED:
            return queued(about)


def queued(about: Mapping[str, str]) -> str:
    """Why a run has not begun yet."""
    whose = "You have" if about["whose"] == "person" else "This channel has"
    return f"{whose} {counted(int(about['limit']), 'task')} under way. This one starts as soon as one of them ends."


AWAY = {
    "model_unreachable": "The model cannot be reached",
    "model_silent": "The model does not answer (nothing came within timeouts.model_silence)",
    "model_slow": "The model does not answer (not finished within timeouts.model)",
    "model_busy": "The model takes no more requests for now",
    "model_failing": "The model's service is failing",
}


def model_away(away: ModelAway, *, is_over: bool, is_active: bool) -> str:
    """One message for an outage, brought up to date when it is over."""
    head = AWAY.get(away.code, "The model is away")
    if is_over:
        return f"{head.replace('cannot be', 'could not be').replace('does not', 'did not')}. It is back; I went on."
    if not is_active:
        return f"{head}. I waited, and gave up."
    return f"{head}. I try again by myself; nothing is lost and there is nothing to do."


def reached(run: RunState) -> str:
    """Which limit ended a run, and the next step."""
    limits = run.limits
    own = {"steps": limits.steps, "wall": limits.wall_ms, "tokens": limits.tokens, "usd": limits.micros}
    if run.detail in own:
        return f"Stopped at {limit_name('run', run.detail, own[run.detail])}. Reply here to go on with a new task."
    scope, _, rest = run.detail.partition(":")
    what, _, limit = rest.partition(":")
    if scope == "step":
        return (
            f"Stopped: one step took longer than {duration(int(limit))} (timeouts.step in handrail.toml). "
            "Reply here to go on, perhaps in smaller parts."
        )
    if scope in WHOSE and limit.isdigit():
        next_step = "Reply here to go on." if scope == "thread" else "Reply here tomorrow to go on."
        return f"Stopped at {limit_name(scope, what, int(limit))}. {next_step} The operator sets it under [budget]."
    return stuck(run)


def stuck(run: RunState) -> str:
    """Why a run that got nowhere was ended, what it has, and the next step."""
    why = run.doubts[-1].doubted.evidence if run.doubts else "nothing new came"
    words = next((step.text for step in reversed(run.steps) if step.text.strip()), "")
    parts = [ended(f"Stopped, because I was not getting further: {one_line(why, WHY)}")]
    parts += [ended(f"My last words on it: {one_line(words, WORDS)}")] if words and words[:WORDS] not in why else []
    came = "; ".join(brought(run))
    parts += [ended(f"What came back: {came}") if came else "Nothing came back that I could use."]
    parts += ["Reply here with a hint, and I go on."]
    return " ".join(parts)


def brought(run: RunState) -> list[str]:
    """The newest results of calls that worked, each once, oldest first."""
    results = [call.result for call in run.calls.values() if call.result is not None and call.result.plan is None]
    briefs = [result.brief for result in reversed(results) if result.status is CallStatus.OK and result.brief.strip()]
    return [one_line(brief, BRIEF) for brief in dict.fromkeys(briefs)][:BRIEFS][::-1]


def ended(sentence: str) -> str:
    """With a full stop where none of its kind is there yet."""
    return sentence if sentence.endswith(("…", "?", "!")) else f"{sentence}."


def one_line(text: str, limit: int) -> str:
    """Foreign words in a sentence of ours."""
    return escape.within(" ".join(text.split()).rstrip("."), limit)


def parked(days: int) -> str:
    """A reply in a thread that was silent for long."""
    return (
        f"I stopped following this thread after {counted(days, 'day')} of silence (timeouts.idle). Mention me to go on."
    )


def too_many(whose: str, limit: int, minutes: int) -> str:
    """A request beyond the rate."""
    who = "You have" if whose == "person" else "This channel has"
    return (
        f"{who} asked me {limit} times within an hour, which is the limit. Try again in {counted(minutes, 'minute')}."
    )


def operators_model_away(code: str, sentence: str) -> str:
    """The one alert about an outage."""
    return f"{AWAY.get(code, 'The model is away')}: {sentence} Threads wait and go on by themselves."


def operators_model_back() -> str:
    """The end of it."""
    return "The model answers again. The waiting threads go on."


def operators_price(model: str) -> str:
    """A guess that should be replaced."""
    return (
        f"The price of the model {model} is not known. Budgets reckon with $3 and $15 per million tokens; "
        "set usd_per_million_input and usd_per_million_output under [model] in handrail.toml."
    )
