"""Sentences about decisions, allowances, forms, stops and resuming. Short, concrete, no exclamation marks."""

from collections.abc import Mapping, Sequence

from bot import texts_plan
from bot.render import escape
from bot.render.amounts import counted
from runtime.session.approval_events import ApprovalVoided, ArgumentsEdited
from runtime.session.events import ApprovalRequested, CallFinished, NoticeCode, QuestionAsked
from runtime.session.state import ApprovalState, GrantState

ALLOW_THREAD = "Allow for this thread"
EDIT = "Edit"
EDIT_TITLE = "Edit the call"
EDIT_WHICH = "Which call?"
NOTHING_CHANGED = "Nothing was changed"
TOO_LONG_TO_EDIT = "Too long to be edited in a form. Deny it and say what should change."
NOT_SHOWN_IN_FORM = "This holds a secret, which a form would show. Deny it and say what should change."
NOTHING_TO_EDIT = "There is nothing in it to edit."
EDIT_SUBMIT = "Ask again"
REVOKE = "Revoke"
RESUME = "Resume"
OPEN_CARD = "Open the card"
DECIDE_HERE = "You can decide here; the link needs access to the channel."
DECIDE_THERE = (
    "This is too long to be shown here in full, so it can be decided only in the thread. "
    "Where the link does not open, ask to be added to the channel."
)
FILL_IN = "Fill in"
ADD_FILE = "Add a file"
FILE_TITLE = "Your file"
EDIT_HINT = "The edited call is checked, shown on a new card with its exact content, and runs only when it is approved."
NOT_JSON = 'Write a JSON value, such as 5, true, "text" or [1, 2].'
NOT_A_NUMBER = "Write a number, such as 12 or 3.5."
NOT_A_DATE = "Pick a date."
NOT_AN_ADDRESS = "Write an e-mail address, such as ana@example.com."
NEEDED = "This is needed."
CARD_CHANGED = "This card has changed meanwhile. Close this and look at the thread."
TOO_MANY_CARDS = (
    "I stopped because I asked for too many approvals in a short time; nobody can read cards that fast. "
    "Tell me how to go on, or allow the tool for this thread."
)

NOTICES: Mapping[NoticeCode, str] = {
    NoticeCode.APPROVAL_GONE: "This request is no longer open. Your click changed nothing.",
    NoticeCode.USE_BUTTONS: "Please use the buttons on the card above; typed words never approve anything.",
    NoticeCode.NOTHING_TO_STOP: "Nothing is running here that could be stopped.",
    NoticeCode.NOT_FOR_YOU: "This is addressed to somebody else. Nothing happened.",
    NoticeCode.FOUR_EYES: "You asked for this or edited it, so somebody else has to approve it. You can still deny it.",
    NoticeCode.ALREADY_VOTED: "You have approved this already; it needs somebody else as well.",
    NoticeCode.NOT_EDITABLE: "Nothing was changed, so the card stays as it is.",
    NoticeCode.LATE_ANSWER: "That question was given up already. I've taken your answer as a new message.",
    NoticeCode.GRANT_GONE: "This allowance has ended already.",
    NoticeCode.PLAN_GONE: texts_plan.NO_PLAN,
    NoticeCode.NOT_RESUMABLE: "This run cannot be resumed any more. Tell me in the thread what you need.",
}


def notice(code: NoticeCode, about: Mapping[str, str]) -> str:
    """A private notice that names nobody."""
    if code is NoticeCode.VERBOSITY:
        return texts_plan.verbosity(about.get("verbosity", ""))
    return NOTICES.get(code, "Nothing happened.")


def several(count: int) -> str:
    """The head of a card with more than one call."""
    return f"This wants to do {counted(count, 'thing')}, in this order:"


def piece(name: str, number: int, of: int) -> str:
    """The label of a field that holds an argument or a part of it."""
    return f"{name} ({number} of {of})" if of > 1 else name


def unseen(codes: Sequence[str]) -> str:
    """Below a field whose text holds characters that nobody can see."""
    return f"Holds what cannot be seen: {' '.join(dict.fromkeys(codes))[:500]}"


def retry(requested: ApprovalRequested) -> str:
    """That the tool was tried before."""
    return f"Attempt {requested.attempt}. The one before said:" if requested.attempt > 1 else ""


def again(requested: ApprovalRequested) -> str:
    """Why a call is asked for once more."""
    by = f"<@{requested.asked_again_by}>" if requested.asked_again_by else "Somebody"
    return {
        "": "",
        "changed": f"Asked again: {by} changed the request after the first card.",
        "deleted": f"Asked again: {by} deleted the request after the first card.",
        "edited": f"Asked again: {by} edited the arguments. "
        + ("One of these calls is the edited one." if requested.also else "This is the edited call."),
        "stale": "Asked again: what ran before it changed what this would do.",
    }[requested.asked_again]


def votes(approval: ApprovalState) -> str:
    """How far a quorum is."""
    who = ", ".join(f"<@{user}>" for user in approval.votes)
    return f"Approved so far by {who}: {len(approval.votes)} of {approval.requested.quorum}." if who else ""


def four_eyes(requested: ApprovalRequested) -> str:
    """Who may not approve."""
    return "Whoever asked for it cannot approve it." if requested.barred else ""


def ended(approval: ApprovalState) -> str:
    """The last line of a card that something other than a verdict has ended."""
    match approval.voided or approval.edited:
        case ApprovalVoided(why=why, by=by):
            return f"*No longer valid: <@{by}> {why} the request. It did not run; I ask again below.*"
        case ArgumentsEdited(by=by):
            return f"*<@{by}> edited the arguments. It did not run as shown; the edited call is below.*"
        case None:
            return ""


def together(voters: Sequence[str]) -> str:
    """Everybody of a quorum."""
    return " and ".join(f"<@{user}>" for user in voters)


def measured(result: CallFinished) -> str:
    """Exit code and files of a call that ran."""
    parts = [f"Exit {result.exit_code}"] if result.exit_code is not None else []
    parts += [counted(len(result.files), "file")] if result.files else []
    return ", ".join(parts) + "." if parts else ""


def escalation(who: str) -> str:
    """Further people are asked."""
    return f"{who} Nobody has decided on the card above yet, so you may decide as well."


def grant(grant: GrantState, now_over: bool) -> str:
    """An allowance, for everybody to see."""
    given = grant.given
    until = f"<!date^{given.expires_at_ms // 1000}^{{date_short_pretty}} {{time}}|its end>"
    tool = escape.within(given.tool.replace("`", "'"), 64)
    head = f"<@{given.by}> allowed `{tool}` in this thread"
    used = f" Used {counted(grant.uses, 'time')}." if grant.uses else ""
    if grant.revoked is not None:
        return f"{head}; <@{grant.revoked.by}> revoked it.{used}"
    if now_over:
        return f"{head}; it has ended.{used}"
    return f"{head} until {until}, as this rule and this tool are now. Each call still shows in the thread.{used}"


def direct(requester: str, channel: str, title: str) -> str:
    """A direct message to somebody who may decide and is not in the channel."""
    place = "a direct message" if channel.startswith("D") else f"<#{channel}>"
    return f"<@{requester}>'s task in {place} needs a decision you may make: *{title}*"


def direct_reminder(title: str) -> str:
    """The same a second time."""
    return f"A decision is still open: *{title}*. The card is above."


def direct_over(title: str, end: str) -> str:
    """The same once it is decided."""
    return f"Nothing to do any more: *{title}*. {end}"


def waits(asked: QuestionAsked, default: str) -> str:
    """How long a question waits, and what then; empty where that is as usual."""
    if not asked.expires_at_ms:
        return "I'm paused; waiting costs nothing. I'll wait as long as it takes."
    by = f"<!date^{asked.expires_at_ms // 1000}^{{date_short_pretty}} {{time}}|the deadline>"
    return {
        "default": f"I'm paused; waiting costs nothing. No answer by {by}: I take “{default}”.",
        "hand_back": f"I'm paused; waiting costs nothing. No answer by {by}: I stop and hand this back.",
    }.get(asked.if_unanswered, "")


def unanswered(how: str, answer: str) -> str:
    """The card of a question that nobody answered."""
    if how == "default":
        return f"*Nobody answered in time (timeouts.question), so I took {answer}.* A late answer starts a new turn."
    return "*Nobody answered in time (timeouts.question).* A late answer starts a new turn."


def cut_off(titles: Sequence[str]) -> str:
    """Calls whose outcome nobody knows."""
    if not titles:
        return ""
    return f"Cut off in the middle, so it may or may not have taken effect: {'; '.join(titles)}."
