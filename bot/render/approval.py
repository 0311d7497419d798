"""The card of a risky call: what it would do, the exact call, why it asks, who decides, by when. Then the verdict."""

from bot import texts
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import actions, button, context, section
from bot.render.content import Content
from bot.render.limits import CODE_ON_CARD, TEXT_FALLBACK, Block, clipped
from runtime.session.events import ApprovalRequested
from runtime.session.ids import SessionKey
from runtime.session.state import ApprovalState, RunState


def mentions(approvers: tuple[str, ...], requester: str) -> tuple[str, ...]:
    """Approvers as Slack shows them: people by mention, groups by handle."""
    ids = (requester if who == "requester" else who for who in approvers)
    return tuple(who if who.startswith("@") else f"<@{who}>" for who in ids)


def fits(requested: ApprovalRequested) -> bool:
    """Whether the whole call stands on the card."""
    return len(escape.code(requested.body)) <= CODE_ON_CARD


def shown_call(requested: ApprovalRequested) -> str:
    """The call in a code block: all of it, or its beginning with what is left out counted."""
    if fits(requested):
        return escape.code(requested.body)
    lines = requested.body.splitlines()
    head: list[str] = []
    for line in lines:
        if len(escape.code("\n".join([*head, line]))) > CODE_ON_CARD - 200:
            break
        head.append(line)
    left = len(lines) - len(head)
    return escape.code("\n".join([*head, f"… {left} more lines: “{texts.SHOW_CALL}” has every one"]))


def controls(key: SessionKey, requested: ApprovalRequested) -> Block:
    """Approve, Deny and, where the card cannot hold it, the whole call."""
    value = ButtonValue(session=key, about=requested.approval_id).pack()
    buttons = [
        button(texts.APPROVE, "approval_approve", value, "primary"),
        button(texts.DENY, "approval_deny", value, "danger"),
    ]
    if not fits(requested):
        buttons.append(button(texts.SHOW_CALL, "approval_show", value))
    return actions(f"approval-{requested.approval_id}", *buttons)


def render(key: SessionKey, run: RunState, approval: ApprovalState) -> Content:
    """The card as it should look now."""
    requested = approval.requested
    title = escape.mrkdwn(clipped(requested.title, 300))
    who = mentions(requested.approvers, run.requester)
    head = section(f"{' '.join(who)}\n{texts.wants(title)}".strip())
    call = section(shown_call(requested))
    plain = clipped(escape.plain(requested.title), TEXT_FALLBACK)
    decided = approval.decided
    if decided is not None:
        lines = [texts.verdict_line(decided.verdict, decided.by, escape.mrkdwn(clipped(decided.reason, 500)))]
        lines += [outcome(run, requested)] if decided.verdict == "approved" else []
        return Content(text=plain, blocks=(section(texts.wants(title)), call, section("\n".join(lines))))
    if not run.is_active:
        return Content(text=plain, blocks=(section(texts.wants(title)), call, section(texts.approval_closed())))
    notes = [escape.mrkdwn(clipped(note, 300)) for note in requested.notes]
    why = " ".join((*notes, escape.mrkdwn(clipped(texts.why(requested.reason), 300))))
    small = context(why, texts.approvers_line(who, requested.quorum), texts.silence(requested.expires_at_ms))
    return Content(text=plain, blocks=(head, call, small, controls(key, requested)))


def outcome(run: RunState, requested: ApprovalRequested) -> str:
    """What came of it so far."""
    call = run.calls.get(requested.call_id)
    if call is None or call.result is None:
        return texts.call_running()
    return texts.outcome_line(call.result.status.value, escape.mrkdwn(clipped(call.result.brief, 300)))
