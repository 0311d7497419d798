"""Allowances, direct messages to approvers, and the way to take up a run that ended early."""

import json

from bot import texts_people
from bot.listeners.modals import fits_modal
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.approval import (
    TITLE,
    before,
    controls,
    fine_print,
    fits,
    mentions,
    shown_calls,
    verdict,
    whole,
)
from bot.render.blocks import actions, button, context, section
from bot.render.content import Content
from bot.render.limits import Block
from runtime.session.ids import SessionKey
from runtime.session.resuming import cut_off, is_resumable
from runtime.session.state import ApprovalState, GrantState, RunState


def grant(key: SessionKey, known: GrantState, at_ms: int) -> Content:
    """An allowance with its Revoke button, as long as it lasts."""
    over = not known.is_live(at_ms)
    words = texts_people.grant(known, over)
    blocks: list[Block] = [section(words)]
    if not over:
        value = ButtonValue(session=key, about=known.given.grant_id).pack()
        blocks.append(actions(f"grant-{known.given.grant_id}", button(texts_people.REVOKE, "grant_revoke", value)))
    return Content(text=words, blocks=tuple(blocks))


LINK = "https://slack.com/"
"""Stands for the link to the card until that is posted and its address known."""


def linked(content: Content, link: str) -> Content:
    """A direct message with the address of the card."""
    text = json.dumps(content.blocks, ensure_ascii=False).replace(json.dumps(LINK), json.dumps(link))
    return Content(text=content.text, blocks=tuple(json.loads(text)))


def direct(key: SessionKey, run: RunState, approval: ApprovalState, to: str) -> Content:
    """The card for an approver outside the channel, and a link to it, which a private channel does not open.

    Where the call can be read only in the thread's file, the decision belongs there as well.
    """
    requested = approval.requested
    title = escape.within(requested.title, TITLE)
    if not approval.is_open or not run.is_active:
        return direct_over(run, approval)
    words = texts_people.direct(run.requester, key.channel, title)
    head = section("\n".join(filter(None, (words, texts_people.again(requested)))))
    who = mentions(approval.approvers, run.requester, requested.group_ids)
    small = context(*fine_print(approval, who))
    is_readable = fits(requested) or fits_modal(whole(requested))
    decide = controls(key, requested, is_open=True, to=to) if is_readable else ()
    opened = actions("open", {**button(texts_people.OPEN_CARD, "open_card", requested.approval_id), "url": LINK})
    hint = context(texts_people.DECIDE_HERE if is_readable else texts_people.DECIDE_THERE)
    return Content(text=words, blocks=(head, *before(requested), *shown_calls(requested), small, *decide, opened, hint))


def direct_over(run: RunState, approval: ApprovalState) -> Content:
    """In place of what was sent directly, once there is nothing to decide."""
    words = texts_people.direct_over(escape.within(approval.requested.title, TITLE), verdict(run, approval))
    return Content(text=words, blocks=(section(words),))


def direct_reminder(run: RunState, approval: ApprovalState) -> Content:
    """A second word to somebody outside the channel, who does not see the one in the thread."""
    if not approval.is_open or not run.is_active:
        return direct_over(run, approval)
    words = texts_people.direct_reminder(escape.within(approval.requested.title, TITLE))
    return Content(text=words, blocks=(section(words),))


def ending(key: SessionKey, run: RunState, *, is_newest: bool) -> tuple[Block, ...]:
    """After a run that ended early: what was cut off, and Resume where going on is safe."""
    blocks: list[Block] = []
    lost = [title_of(run, call_id) for call_id in (call.call.call_id for call in cut_off(run))]
    if lost:
        blocks.append(section(texts_people.cut_off(lost)))
    if is_newest and is_resumable(run):
        value = ButtonValue(session=key, about=run.run_id).pack()
        blocks.append(actions(f"resume-{run.run_id}", button(texts_people.RESUME, "run_resume", value)))
    return tuple(blocks)


def title_of(run: RunState, call_id: str) -> str:
    """A call in words: as it was approved, or by its tool."""
    call = run.calls[call_id]
    approval = run.approvals.get(call.approval_id)
    return escape.within(approval.requested.title, TITLE // 4) if approval else f"`{escape.plain(call.call.tool)}`"
