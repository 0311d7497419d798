"""Every sentence a person reads in Slack, as typed functions. Short, concrete, no exclamation marks."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot import texts_budget, texts_people, texts_plan
from bot.render import escape
from bot.render.amounts import counted, duration, money, span, tokens
from bot.render.limits import clipped
from runtime.session.events import NoticeCode, QuestionAsked, RunOutcome
from runtime.session.state import RunState
from tools.plan import Plan, StepStatus

SCRIPTED = "(scripted model)"
STOP = "Stop"
APPROVE = "Approve"
DENY = "Deny"
OTHER = "Other…"
SHOW_OUTPUT = "Show output"
SHOW_CALL = "Show all of it"
CHOOSE = "Choose an answer"
SEND = "Send"
CANCEL = "Cancel"
CLOSE = "Close"
SKIPPED = " (skipped)"
YOUR_ANSWER = "Your answer"
WHY_NOT = "Why not?"
WHY_NOT_HINT = "The agent reads this and may try another way."
DENY_TITLE = "Deny this call"
ANSWER_TITLE = "Answer"
OUTPUT_TITLE = "Output"
CALL_TITLE = "The exact call"
SAID_NOTHING = "(no output)"
UNREACHABLE_STORE = "I could not record that click, so nothing happened. The card still works; try again in a moment."
FOREIGN_CARD = "This card belongs to another thread, so nothing happened."
STALE_BUTTON = "This button is from an older version of me, so nothing happened. Mention me to start again."
BUSY = "I have more messages in this thread than I can take in now. I'll work through them; please wait a little."
PAUSED = "The operator has paused me here. Nothing is lost: I go on by myself as soon as I may."
QUESTION_ABOVE = "The question is in the message above."
OUTPUT_GONE = "That output is no longer kept."
TOO_LONG_FOR_HERE = "Too long for a message: the whole text is in the file below."


def on_it(plan: Plan | None) -> str:
    """The first sentence of a run."""
    if plan is None:
        return "On it. I'll ask before changing anything outside my workspace."
    first = plan.steps[0].title
    return (
        f"On it: {counted(len(plan.steps), 'step')}, starting with “{first}”. "
        "I'll ask before changing anything outside my workspace."
    )


def plan_status(run: RunState) -> str:
    """One line under the plan that says where the run stands."""
    if run.open_question:
        return "Waiting for an answer below. Waiting costs nothing."
    if run.open_approval:
        return "Waiting for approval below. Waiting costs nothing."
    if run.open_limit:
        return "Stopped at a limit, see below. Waiting costs nothing."
    if run.is_active and run.away is not None and run.away.is_waiting:
        return "Waiting for the model. I go on by myself."
    if run.is_active:
        return f"Working · step {run.spent.steps + 1}"
    return ended_line(run)


def ended_line(run: RunState) -> str:
    """How a run ended, in a word or two."""
    words = {
        RunOutcome.ANSWERED: "Done",
        RunOutcome.FAILED: "Ended without success",
        RunOutcome.STOPPED: f"Stopped by <@{run.ended_by}>" if run.ended_by else "Stopped",
        RunOutcome.LIMIT: "Stopped at a limit",
        RunOutcome.EXPIRED: "Ended: nobody answered",
    }
    return words[run.outcome] if run.outcome else "Ended"


def step_done(title: str, calls: int, failed: int) -> str:
    """The head of a step's reply."""
    trouble = f", {failed} with an error" if failed else ""
    return f"*{title}* · {counted(calls, 'call')}{trouble}"


def worded(question: QuestionAsked) -> QuestionAsked:
    """The question with its words: the model's, or ours about work that was interrupted."""
    words = {
        "ask": question.question,
        "server_asks": question.question,
        "outcome_unknown": lost_call(question.question, question.about),
        "keeps_crashing": "I was interrupted twice in a row in this task, as if it brought me down. Shall I go on?",
        "long_ago": "I was away for a long time in the middle of this task. Is it still wanted?",
        "no_progress": no_progress(question.about),
        "plan": texts_plan.SHALL_I_START,
    }[question.purpose]
    return question.model_copy(update={"question": words})


def no_progress(about: Mapping[str, str]) -> str:
    """A run that gets nowhere, with the facts."""
    return (
        f"I am not getting further with this: {clipped(about.get('evidence', ''), 400)}. A hint from you in this "
        "thread may help. Shall I go on?"
    )


def lost_call(title: str, about: Mapping[str, str]) -> str:
    """A call that was begun and whose outcome nobody recorded."""
    what = clipped(title, 300)
    return (
        f"I was interrupted while I ran this: {what}. I do not know whether it took effect, and I have not repeated "
        f"it. Please look, then tell me what to do.\nThe call: {about.get('tool', '')} {about.get('arguments', '')}"
    )


def question(asked_of: str, text: str, expires_in: timedelta) -> str:
    """A question, addressed to the person it is for."""
    return f"<@{asked_of}> {text}\n_I'm paused; waiting costs nothing. I'll wait {span(expires_in)}._"


def question_answered(by: str, answer: str, how: str) -> str:
    """The card's last line after the answer."""
    return texts_plan.unanswered(by) if how == "expired" else f"*{answer}* · answered by <@{by}>"


def question_closed() -> str:
    """The last line of a question whose run ended."""
    return "*No longer needed: the run ended.*"


def wants(title: str) -> str:
    """What a risky call would do."""
    return f"This wants to: *{title}*"


def silence(expires_at_ms: int) -> str:
    """By when, and what no answer means. Slack shows the time in the reader's own zone."""
    at = expires_at_ms // 1000
    return f"No answer by <!date^{at}^{{date_short_pretty}} {{time}}|the deadline> means no."


def approvers_line(approvers: Sequence[str], quorum: int) -> str:
    """Who may decide, as mentions."""
    who = ", ".join(approvers) if approvers else "nobody (policy)"
    return f"{who} can decide." if quorum == 1 else f"{quorum} of {who} must approve; one no ends it."


def verdict_line(verdict: str, by: str, reason: str) -> str:
    """The verdict on the frozen card."""
    words = {
        "approved": f"Approved by <@{by}>",
        "denied": f"Denied by <@{by}>",
        "expired": "Nobody decided in time (timeouts.approval), so it did not run. Ask me again for a new card.",
        "void": "No longer valid, so it did not run",
    }[verdict]
    return f"*{words}*" + (f": {reason}" if reason else "")


def more_lines(count: int) -> str:
    """The end of a call that the card cannot hold."""
    return f"… {counted(count, 'more line')}: “{SHOW_CALL}” has every one"


def more_characters(count: int) -> str:
    """The end of a line that the card cannot hold."""
    return f"… {counted(count, 'more character')}: “{SHOW_CALL}” has every one"


def call_unfinished() -> str:
    """An approved call that the end of the run left without a result."""
    return "The run ended before this had a result."


def call_running() -> str:
    """Between approval and result."""
    return "Running now."


def outcome_line(status: str, brief: str) -> str:
    """What came of an approved call."""
    head = {"ok": "Ran", "error": "Ran with an error", "unknown": "Outcome unknown", "cancelled": "Cancelled"}
    return f"{head.get(status, 'Did not run')}. {brief}".strip()


def approval_closed() -> str:
    """The card of a request whose run ended."""
    return "*No longer needed: the run ended. It did not run.*"


def reminder(who: str, what: str) -> str:
    """A second mention after a while."""
    return f"{who} I'm still waiting for {what} above."


def footer(run: RunState) -> str:
    """Time, steps, tokens and money of a run."""
    about = "about " if run.spent.usage.estimated else ""
    return " · ".join(
        (
            duration(run.spent.working_ms),
            counted(run.spent.steps, "step"),
            about + tokens(run.spent.usage.total),
            money(run.spent.micros) + (f" {SCRIPTED}" if run.scripted else ""),
        )
    )


def done_and_open(plan: Plan | None) -> str:
    """What a run that ended early has done and not done."""
    if plan is None:
        return ""
    done = [escape.mrkdwn(step.title) for step in plan.steps if step.status is StepStatus.COMPLETED]
    rest = [escape.mrkdwn(step.title) for step in plan.steps if step.status is not StepStatus.COMPLETED]
    parts = [f"Done: {'; '.join(done)}." if done else "Nothing was finished."]
    parts += [f"Not done: {'; '.join(rest)}."] if rest else []
    return " ".join(parts)


FAILURES = {
    "model_unreachable": "The model cannot be reached. Nothing is lost: reply here to continue, or ask the operator to "
    "check OPENAI_BASE_URL with `python -m bot doctor`.",
    "model_silent": "The model sent nothing for too long (timeouts.model_silence), and waiting did not help. Nothing "
    "is lost: reply here to continue.",
    "model_slow": "The model did not finish in time (timeouts.model), and waiting did not help. Nothing is lost: reply "
    "here to continue, perhaps with a smaller task.",
    "model_busy": "The model takes no more requests for now. Nothing is lost: reply here in a few minutes to continue.",
    "model_failing": "The model's service is failing, and trying again did not help. Nothing is lost: reply here to "
    "continue.",
    "model_auth": "The model refuses the key. The operator should check OPENAI_API_KEY with `python -m bot doctor`.",
    "model_quota": "The model's account has no credit left. The operator should look at the account behind "
    "OPENAI_API_KEY; then reply here to continue.",
    "model_unknown": "There is no such model at that address. The operator should check OPENAI_MODEL and "
    "OPENAI_BASE_URL with `python -m bot doctor`.",
    "model_rejected": "The model refused the request. Trying again will not help; the operator finds the reason "
    "in the log or with `python -m bot doctor`.",
    "model_unusable": "The model's address did not answer like a model. The operator should check OPENAI_BASE_URL "
    "and OPENAI_MODEL with `python -m bot doctor`.",
    "model_context": "This thread has become longer than the model can read. Start a new thread with what matters.",
}

WHY = {
    "rule": "A rule of this workspace asks first.",
    "uncontained": "There is no sandbox here, so every call asks first.",
    "unmatched": "It reaches beyond my workspace.",
}


def why(reason: str) -> str:
    """Why a call asks first."""
    return WHY.get(reason, reason)


def last_word(run: RunState) -> str:
    """The final message of a run that ended without an answer of the model."""
    match run.outcome:
        case RunOutcome.STOPPED:
            head = ended_line(run) + "."
        case RunOutcome.LIMIT:
            head = texts_people.TOO_MANY_CARDS if run.detail == "cards" else texts_budget.reached(run)
        case RunOutcome.EXPIRED:
            head = "Nobody answered in time (timeouts.question), so I stopped here. Reply in this thread to go on."
        case _:
            code = run.detail.partition(":")[0]
            head = FAILURES.get(code, "I could not finish this. Reply here to try again.")
            reference = run.detail.partition(":")[2].strip()
            head += f" (reference {reference})" if reference else ""
    return " ".join(part for part in (head, done_and_open(run.plan)) if part)


def notice(code: NoticeCode, about: dict[str, str]) -> str:
    """A private notice."""
    by = f"<@{about['by']}>" if about.get("by") else ""
    match code:
        case NoticeCode.NOT_APPROVER:
            who = about.get("approvers") or "nobody (policy)"
            return f"This is for {who} to decide. Nothing happened; the card stays."
        case NoticeCode.ALREADY_DECIDED:
            who = f" by {by}" if by else ""
            return f"This was already decided{who}: {about.get('verdict', 'closed')}. Your click changed nothing."
        case NoticeCode.QUESTION_GONE:
            who = f" {by} answered: {about.get('answer', '')}." if by else ""
            return f"This question is no longer open.{who} Reply in the thread to add something."
        case NoticeCode.PAUSED:
            return PAUSED
        case _:
            return texts_people.notice(code, about)


def refused_guest() -> str:
    """A guest or a stranger asked."""
    return "I only work for full members of this workspace. Ask a member to mention me, or the operator to allow you."


def refused_channel() -> str:
    """The channel is not allowed."""
    return "I'm not set up for this channel. The operator allows channels under [access] in handrail.toml."
