"""The card of a risky call: what it would do, the exact call, why it asks, who decides, by when. Then the verdict."""

from bot import texts
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import actions, button, context, section
from bot.render.content import Content
from bot.render.limits import CODE_ON_CARD, Block
from bot.render.markdown import weight
from runtime.session.events import ApprovalRequested
from runtime.session.ids import SessionKey
from runtime.session.state import ApprovalState, RunState

CODE_BYTES = CODE_ON_CARD * 3 // 2
HINT_ROOM = 200
TITLE = 400
NOTES = 1_000
REASON = 1_500


def mentions(approvers: tuple[str, ...], requester: str) -> tuple[str, ...]:
    """Approvers as Slack shows them: people by mention, groups by handle."""
    ids = (requester if who == "requester" else who for who in approvers)
    return tuple(who if who.startswith("@") else f"<@{who}>" for who in ids)


def is_short(code: str, room: int = 0) -> bool:
    """Whether code fits on the card beside `room` more characters."""
    if len(code) > CODE_ON_CARD:
        return False
    shown = escape.code(code)
    return len(shown) <= CODE_ON_CARD - room and weight(shown) <= CODE_BYTES - room


def fits(requested: ApprovalRequested) -> bool:
    """Whether the whole call stands on the card."""
    return is_short(requested.body)


def beginning(body: str) -> str:
    """As many lines of a long call as the card holds; where not even one fits, its beginning."""
    lines = body.splitlines()
    kept = 0
    while kept < len(lines) and is_short("\n".join(lines[: kept + 1]), HINT_ROOM):
        kept += 1
    if kept:
        return "\n".join((*lines[:kept], texts.more_lines(len(lines) - kept)))
    length = CODE_ON_CARD
    while not is_short(lines[0][:length], HINT_ROOM):
        length = length * 2 // 3
    return "\n".join((lines[0][:length], texts.more_characters(len(body) - length)))


def shown_call(requested: ApprovalRequested) -> str:
    """The call in a code block: all of it, or its beginning with what is left out counted."""
    return escape.code(requested.body if fits(requested) else beginning(requested.body))


def controls(key: SessionKey, requested: ApprovalRequested, *, is_open: bool) -> tuple[Block, ...]:
    """Approve and Deny while it is open and, where the card cannot hold it, the whole call."""
    value = ButtonValue(session=key, about=requested.approval_id).pack()
    buttons: list[Block] = []
    if is_open:
        buttons.append(button(texts.APPROVE, "approval_approve", value, "primary"))
        buttons.append(button(texts.DENY, "approval_deny", value, "danger"))
    if not fits(requested):
        buttons.append(button(texts.SHOW_CALL, "approval_show", value))
    return (actions(f"approval-{requested.approval_id}", *buttons),) if buttons else ()


def render(key: SessionKey, run: RunState, approval: ApprovalState) -> Content:
    """The card as it should look now."""
    requested, decided = approval.requested, approval.decided
    wants = texts.wants(escape.within(requested.title, TITLE))
    plain = escape.beside(requested.title)
    call = section(shown_call(requested))
    if decided is None and run.is_active:
        who = mentions(requested.approvers, run.requester)
        notes = escape.within(" ".join(requested.notes), NOTES)
        why = f"{notes} {escape.within(texts.why(requested.reason), TITLE)}".strip()
        small = context(why, texts.approvers_line(who, requested.quorum), texts.silence(requested.expires_at_ms))
        head = section(f"{' '.join(who)}\n{wants}".strip())
        return Content(text=plain, blocks=(head, call, small, *controls(key, requested, is_open=True)))
    end = section(verdict(run, approval))
    return Content(text=plain, blocks=(section(wants), call, end, *controls(key, requested, is_open=False)))


def verdict(run: RunState, approval: ApprovalState) -> str:
    """Who decided what, and what came of it so far."""
    decided = approval.decided
    if decided is None:
        return texts.approval_closed()
    line = texts.verdict_line(decided.verdict, decided.by, escape.within(decided.reason, REASON))
    return f"{line}\n{outcome(run, approval.requested)}" if decided.verdict == "approved" else line


def outcome(run: RunState, requested: ApprovalRequested) -> str:
    """What came of it so far."""
    call = run.calls.get(requested.call_id)
    if call is None or call.result is None:
        return texts.call_running() if run.is_active else texts.call_unfinished()
    return texts.outcome_line(call.result.status.value, escape.within(call.result.brief, TITLE))
