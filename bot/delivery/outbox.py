"""What should be seen in the thread, as a pure function of the folded journal.

Every item has an operation id derived from its journal position: a retry or a takeover finds it again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot import texts, texts_people
from bot.render import answer, approval, escape, limit, people, plan, question, step
from bot.render.blocks import section
from bot.render.content import Content
from bot.render.limits import TEXT_FALLBACK, clipped
from runtime.session.cards import parts
from runtime.session.events import NoticeQueued
from runtime.session.ids import SessionKey
from runtime.session.state import ApprovalState, RunState, SessionState
from runtime.session.verbosity import Choice, verbosity_at
from tools.base import ProducedFile

RUNS_SHOWN = 3
"""The newest runs are kept in line with the journal; older ones were settled before."""
ANSWER_SHOWN = 1_000
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A message in the thread that should look like this."""

    op: str
    seq: int
    content: Content
    final: bool
    """It will not change any more."""
    urgent: bool = False
    """A change answers a click: it is shown at once instead of with the next batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file of the workspace, or a text of ours, shared in the thread."""

    op: str
    seq: int
    file: ProducedFile | None = None
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisper:
    """A private notice."""

    op: str
    seq: int
    to: str
    text: str
    kind: Literal["whisper"] = "whisper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct:
    """A direct message to somebody who may decide, unless they are in the channel and see the card anyway."""

    op: str
    seq: int
    to: str
    about: str
    """The operation id of the card it leads to."""
    content: Content
    """With `bot.render.people.LINK` in place of the card's address."""
    final: bool
    """It will not change any more."""


Wanted = Post | Upload | Whisper | Direct


def plan_post(key: SessionKey, run: RunState, verbosity: str) -> Post:
    """The run's first message; `verbosity` is how much is said now."""
    content = plan.render(key, run, verbosity)
    return Post(op=f"plan:{run.run_id}", seq=run.started_seq, content=content, final=not run.is_active)


def step_posts(key: SessionKey, run: RunState, verbosity: str, choices: Sequence[Choice]) -> Iterator[Post]:
    """One reply per finished group of calls."""
    positions = {item.number: item.seq for item in run.steps}
    for group in step.groups(run, verbosity, choices):
        yield Post(
            op=f"step:{run.run_id}:{group.number}",
            seq=positions.get(group.number, run.started_seq),
            content=step.render(key, run, group),
            final=True,
        )


def card_posts(key: SessionKey, run: RunState) -> Iterator[Wanted]:
    """Questions, approvals and their reminders."""
    for item in run.questions.values():
        over = item.answered is not None or not run.is_active
        for index, content in enumerate(question.before_card(item.asked)):
            yield Post(op=f"q:{item.asked.question_id}:{index}", seq=item.seq, content=content, final=True)
        content = question.render(key, run, item)
        yield Post(op=f"q:{item.asked.question_id}", seq=item.seq, content=content, final=over, urgent=True)
        if item.asked.question_id in run.reminders:
            yield reminder(f"<@{item.asked.asked_of}>", "an answer", item.asked.question_id, item.seq)
    for request in run.approvals.values():
        requested = request.requested
        over = not run.is_active or (not request.is_open and has_ended(run, request))
        content = approval.render(key, run, request)
        op = f"a:{requested.approval_id}"
        if not approval.fits(requested):
            name = f"call-{requested.approval_id[:6]}.txt"
            yield Upload(op=f"call:{requested.approval_id}", seq=request.seq, name=name, text=approval.whole(requested))
        yield Post(op=op, seq=request.seq, content=content, final=over, urgent=True)
        if requested.approval_id in run.reminders:
            who = " ".join(approval.mentions(request.approvers, run.requester, requested.group_ids))
            yield reminder(who, "a decision", requested.approval_id, request.seq)
        yield from further(key, run, request)


def has_ended(run: RunState, request: ApprovalState) -> bool:
    """Whether the card's last line will not change any more: it did not run, or every call on it has its outcome."""
    if request.decided is None or request.decided.verdict != "approved":
        return True
    calls = (run.calls.get(part.call_id) for part in parts(request.requested))
    return all(call is None or call.result is not None for call in calls)


def further(key: SessionKey, run: RunState, request: ApprovalState) -> Iterator[Wanted]:
    """Who else is told of a card: further approvers in the thread, and people outside the channel directly."""
    requested = request.requested
    about = requested.approval_id
    if request.escalated:
        words = texts_people.escalation(" ".join(approval.mentions(requested.escalate_to, "", requested.group_ids)))
        content = Content(text=words, blocks=(section(words),))
        yield Post(op=f"esc:{about}", seq=request.seq, content=content, final=True, urgent=True)
    over = not run.is_active or not request.is_open
    for user in (*requested.audience, *(requested.later_audience if request.escalated else ())):
        content = people.direct(key, run, request, user)
        yield Direct(op=f"dm:{about}:{user}", seq=request.seq, to=user, about=f"a:{about}", content=content, final=over)
        # Who is asked only after the escalation is not told twice at once.
        if about in run.reminders and user in requested.audience:
            op, again = f"dmr:{about}:{user}", people.direct_reminder(run, request)
            yield Direct(op=op, seq=request.seq, to=user, about=f"a:{about}", content=again, final=over)


def limit_posts(key: SessionKey, run: RunState) -> Iterator[Post]:
    """Cards at limits, quiet notes, and what is said of an outage."""
    for known in run.limits_reached.values():
        about = known.reached.limit_id
        over = known.extended is not None or not run.is_active
        yield Post(op=f"l:{about}", seq=known.seq, content=limit.render(key, run, known), final=over, urgent=True)
        if about in run.reminders:
            who = " ".join(approval.mentions(known.reached.approvers, run.requester))
            yield reminder(who, "a decision", about, known.seq)
    for note in run.notes:
        yield Post(op=f"note:{note.noted.note_id}", seq=note.seq, content=limit.render_note(note), final=True)
    for away in run.outages.values():
        over = away.is_over or not run.is_active
        yield Post(op=f"away:{away.away.away_id}", seq=away.seq, content=limit.render_away(run, away), final=over)


def reminder(who: str, what: str, about: str, seq: int) -> Post:
    """A second mention."""
    words = texts.reminder(who, what)
    return Post(op=f"remind:{about}", seq=seq, content=Content(text=words, blocks=(section(words),)), final=True)


def uploads(run: RunState) -> Iterator[Upload]:
    """Images as soon as they are made; other files once, at the end, as they are then."""
    others: dict[str, Upload] = {}
    for call in run.makers:
        made = {file.path: file for file in call.result.files} if call.result else {}
        for file in made.values():
            if file.path.lower().endswith(IMAGES):
                position = next((s.seq for s in run.steps if s.number == call.step), run.started_seq)
                yield Upload(op=f"file:{call.call.call_id}:{file.path}", seq=position, file=file)
            elif not run.is_active:
                others[file.path] = Upload(op=f"file:{run.run_id}:{file.path}", seq=run.ended_seq, file=file)
    yield from others.values()


def answer_items(key: SessionKey, run: RunState, *, is_newest: bool) -> Iterator[Wanted]:
    """The last word, and the whole of it as a file where it is too long for messages."""
    contents = answer.render(run)
    more = people.ending(key, run, is_newest=is_newest)
    for index, content in enumerate(contents):
        if more and index == len(contents) - 1:
            content = replace(content, blocks=(*content.blocks, *more))  # noqa: PLW2901 - the last one has more
        yield Post(op=f"answer:{run.run_id}:{index}", seq=run.ended_seq, content=content, final=True)
    if answer.too_long(run):
        yield Upload(op=f"answer-file:{run.run_id}", seq=run.ended_seq, name="answer.md", text=run.answer)


def whisper(queued: NoticeQueued) -> Whisper:
    """A private notice with the people in it as mentions."""
    about = {key: mention_list(value) if key == "approvers" else value for key, value in queued.about.items()}
    about = {key: escape.within(value, ANSWER_SHOWN) if key == "answer" else value for key, value in about.items()}
    words = texts.notice(queued.code, about)
    return Whisper(op=queued.notice_id, seq=0, to=queued.to, text=clipped(words, TEXT_FALLBACK))


def mention_list(ids: str) -> str:
    """Comma-separated ids as mentions."""
    return " or ".join(one if one.startswith("@") else f"<@{one}>" for one in ids.split(",") if one)


def wanted(key: SessionKey, state: SessionState, verbosity: str) -> tuple[Wanted, ...]:
    """Everything that should be seen of the newest runs, in the order of the journal.

    Args:
        key: the thread.
        state: its folded journal.
        verbosity: how much is said where nobody has chosen.
    """
    items: list[Wanted] = []
    now = verbosity_at(state.choices, state.seq + 1, verbosity)
    for run in state.runs[-RUNS_SHOWN:]:
        items.append(plan_post(key, run, now))
        items.extend(step_posts(key, run, verbosity, state.choices))
        items.extend(card_posts(key, run))
        items.extend(limit_posts(key, run))
        items.extend(uploads(run))
        if not run.is_active:
            items.extend(answer_items(key, run, is_newest=run is state.run))
    for known in state.grants.values():
        content = people.grant(key, known, state.at_ms)
        over = not known.is_live(state.at_ms)
        op = f"grant:{known.given.grant_id}"
        items.append(Post(op=op, seq=known.seq, content=content, final=over, urgent=True))
    items.sort(key=lambda item: item.seq)
    return (*(whisper(queued) for queued in state.notices.values()), *items)
