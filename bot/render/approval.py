"""The card of a risky call: what it would do, the exact call, why it asks, who decides, by when. Then the verdict."""

from collections.abc import Mapping

from bot import texts, texts_people
from bot.listeners.values import ButtonValue
from bot.render import escape
from bot.render.blocks import actions, button, context, section
from bot.render.content import Content
from bot.render.editing import has_editable
from bot.render.limits import CODE_ON_CARD, LINES_AT_FIRST, LINES_ON_CARD, Block
from bot.render.markdown import weight
from runtime.session.cards import parts
from runtime.session.events import ApprovalRequested
from runtime.session.ids import SessionKey
from runtime.session.state import ApprovalState, RunState

CODE_BYTES = CODE_ON_CARD * 3 // 2
HINT_ROOM = 200
TITLE = 400
NOTES = 1_000
REASON = 1_500
ENDS = (".", "?", ":", "…")


def mentions(approvers: tuple[str, ...], requester: str, group_ids: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Approvers as Slack shows them: people and known groups by mention, other groups by handle."""
    ids = [requester if who == "requester" else who for who in approvers]
    return tuple(mention(who, group_ids or {}) for who in dict.fromkeys(ids))


def mention(who: str, group_ids: Mapping[str, str]) -> str:
    """One of them."""
    if not who.startswith("@"):
        return f"<@{who}>"
    return f"<!subteam^{group_ids[who]}>" if who in group_ids else who


def is_short(code: str, room: int = 0) -> bool:
    """Whether code fits on the card beside `room` more characters."""
    if len(code) > CODE_ON_CARD or len(code.splitlines()) > LINES_ON_CARD:
        return False
    shown = escape.code(code)
    return len(shown) <= CODE_ON_CARD - room and weight(shown) <= CODE_BYTES - room


def room_taken(requested: ApprovalRequested) -> int:
    """Characters of the card's room for code that the other calls on it take."""
    return CODE_ON_CARD - CODE_ON_CARD // (len(requested.also) + 1)


def fits(requested: ApprovalRequested) -> bool:
    """Whether every call stands on the card whole."""
    taken = room_taken(requested)
    return all(is_short(part.body, taken) for part in parts(requested))


def beginning(body: str, taken: int = 0) -> str:
    """The first lines of a long call; where not even one fits, its beginning."""
    lines = body.splitlines() or [""]
    kept = 0
    while kept < min(len(lines), LINES_AT_FIRST) and is_short("\n".join(lines[: kept + 1]), HINT_ROOM + taken):
        kept += 1
    if kept:
        return "\n".join((*lines[:kept], texts.more_lines(len(lines) - kept)))
    length = CODE_ON_CARD
    while length and not is_short(lines[0][:length], HINT_ROOM + taken):
        length = length * 2 // 3
    return "\n".join((lines[0][:length], texts.more_characters(len(body) - length)))


def shown_code(body: str, taken: int) -> str:
    """One call in a code block: all of it, or its beginning with what is left out counted."""
    return escape.code(body if is_short(body, taken) else beginning(body, taken))


def shown_calls(requested: ApprovalRequested) -> tuple[Block, ...]:
    """Every call of the card; several each under their own title."""
    if not requested.also:
        return (section(shown_code(requested.body, 0)),)
    taken = room_taken(requested)
    blocks: list[Block] = []
    for number, part in enumerate(parts(requested), start=1):
        blocks.append(section(f"*{number}. {escape.within(part.title, TITLE // 2)}*"))
        blocks.append(section(shown_code(part.body, taken)))
    return tuple(blocks)


def whole(requested: ApprovalRequested) -> str:
    """Every call of the card in full, for a modal or a file."""
    if not requested.also:
        return requested.body
    return "\n\n".join(f"{n}. {part.title}\n\n{part.body}" for n, part in enumerate(parts(requested), start=1))


def controls(key: SessionKey, requested: ApprovalRequested, *, is_open: bool, to: str = "") -> tuple[Block, ...]:
    """What can be decided while it is open and, where the card cannot hold it, the whole call."""
    value = ButtonValue(session=key, about=requested.approval_id, to=to).pack()
    buttons: list[Block] = []
    if is_open:
        buttons.append(button(texts.APPROVE, "approval_approve", value, "primary"))
        buttons.append(button(texts.DENY, "approval_deny", value, "danger"))
        if has_editable(requested):
            buttons.append(button(texts_people.EDIT, "approval_edit", value))
        if requested.grant_ms:
            buttons.append(button(texts_people.ALLOW_THREAD, "approval_allow", value))
    if not fits(requested):
        buttons.append(button(texts.SHOW_CALL, "approval_show", value))
    return (actions(f"approval-{requested.approval_id}", *buttons),) if buttons else ()


def render(key: SessionKey, run: RunState, approval: ApprovalState) -> Content:
    """The card as it should look now."""
    requested = approval.requested
    title = texts.wants(escape.within(requested.title, TITLE))
    wants = texts_people.several(len(requested.also) + 1) if requested.also else title
    plain = escape.beside(requested.title)
    calls = shown_calls(requested)
    if approval.is_open and run.is_active:
        who = mentions(approval.approvers, run.requester, requested.group_ids)
        head = section("\n".join(filter(None, (" ".join(who), texts_people.again(requested), wants))))
        small = context(*fine_print(approval, who))
        blocks = (head, *before(requested), *calls, small, *controls(key, requested, is_open=True))
        return Content(text=plain, blocks=blocks)
    end = section(verdict(run, approval))
    return Content(text=plain, blocks=(section(wants), *calls, end, *controls(key, requested, is_open=False)))


def before(requested: ApprovalRequested) -> tuple[Block, ...]:
    """What came of the attempt before."""
    words = texts_people.retry(requested)
    return (section(f"{words}\n{escape.code(requested.previous_error)}"),) if words else ()


def fine_print(approval: ApprovalState, who: tuple[str, ...]) -> tuple[str, ...]:
    """Why it asks, who may decide, by when, and what silence means."""
    requested = approval.requested
    notes = escape.within(" ".join(ended(note) for part in parts(requested) for note in part.notes), NOTES)
    why = f"{notes} {escape.within(texts.why(requested.reason), TITLE)}".strip()
    decide = f"{texts.approvers_line(who, requested.quorum)} {texts_people.four_eyes(requested)}".strip()
    lines = (why, decide, texts_people.votes(approval), texts.silence(requested.expires_at_ms))
    return tuple(line for line in lines if line)


def ended(note: str) -> str:
    """A note with its full stop: what follows it is another sentence."""
    return note if not note or note.endswith((".", "!", "?", "…")) else f"{note}."


def verdict(run: RunState, approval: ApprovalState) -> str:
    """Who decided what, and what came of it so far."""
    decided = approval.decided
    if decided is None:
        return texts_people.ended(approval) or texts.approval_closed()
    line = texts.verdict_line(decided.verdict, decided.by, escape.within(decided.reason, REASON))
    if decided.voters:
        line = line.replace(f"<@{decided.by}>", texts_people.together(decided.voters))
    if decided.verdict != "approved":
        return line
    outcomes = [outcome(run, part.call_id) for part in parts(approval.requested)]
    if len(outcomes) > 1:
        outcomes = [f"{number}. {words}" for number, words in enumerate(outcomes, start=1)]
    return "\n".join((line, *outcomes))


def outcome(run: RunState, call_id: str) -> str:
    """What came of one call so far."""
    call = run.calls.get(call_id)
    if call is None or call.result is None:
        return texts.call_running() if run.is_active else texts.call_unfinished()
    line = texts.outcome_line(call.result.status.value, escape.within(call.result.brief, TITLE // 2))
    measured = texts_people.measured(call.result)
    return f"{line if line.endswith(ENDS) or not measured else line + '.'} {measured}".strip()
