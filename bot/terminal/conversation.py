"""A terminal as the runtime's `Conversation`: prints the journal line by line, asks at the prompt."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bot import texts
from bot.terminal import words
from runtime.session.entries import AnswerEntry, AnyEntry, MessageEntry
from runtime.session.events import NoticeCode
from runtime.session.message_events import Attachment
from runtime.session.state import RunState, SessionState
from runtime.session.writer import SessionWriter
from tools.errors import ToolInputError, ToolRefused
from tools.text import visible
from tools.workspace import Workspace

PERSON = "you"
ASKS_AGAIN = frozenset(
    {NoticeCode.NOT_APPROVER, NoticeCode.FOUR_EYES, NoticeCode.ALREADY_VOTED, NoticeCode.NOT_EDITABLE}
)
"""Why a decision did not count, while the card stays open."""
FILE_BYTES = 20_000_000


@dataclass(slots=True, kw_only=True)
class Screen:
    """What has been printed already. Lives as long as the command."""

    write: Callable[[str], None]
    shown: set[str] = field(default_factory=set[str])
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    pending: asyncio.Queue[tuple[str, str]] = field(default_factory=asyncio.Queue[tuple[str, str]])
    """What waits for the person: ("question" | "approval" | "limit", id)."""
    state: SessionState | None = None

    def once(self, key: str, text: str) -> None:
        """Print something the first time it is due."""
        if key not in self.shown:
            self.shown.add(key)
            self.write(text)

    def show(self, state: SessionState) -> None:
        """Print what is new."""
        self.state = state
        if state.run is not None:
            self.show_run(state, state.run)

    def show_run(self, state: SessionState, run: RunState) -> None:
        """Print what is new of the newest run, and what waits for the person."""
        for key, text in lines(run):
            self.once(key, text)
        waiting = (("question", run.open_question), ("approval", run.open_approval), ("limit", run.open_limit))
        for kind, about in waiting:
            if about and f"asked:{about}" not in self.shown:
                self.shown.add(f"asked:{about}")
                self.pending.put_nowait((kind, about))
        for notice in state.notices.values():
            if notice.notice_id not in self.shown and notice.code in ASKS_AGAIN and run.open_approval:
                self.pending.put_nowait(("approval", run.open_approval))
            self.once(notice.notice_id, words.notice(notice))
        if not run.is_active:
            self.finished.set()


def lines(run: RunState) -> Iterator[tuple[str, str]]:
    """Every line of a run with a key that names it."""
    if run.plan is not None:
        yield f"plan:{run.plan_seq}", words.plan(run.plan)
    for call in run.calls.values():
        if call.result is not None:
            yield f"call:{call.call.call_id}", words.call(call)
    for question in run.questions.values():
        yield f"q:{question.asked.question_id}", words.question(question.asked)
    for approval in run.approvals.values():
        yield f"a:{approval.requested.approval_id}", words.approval(approval.requested)
    for limit in run.limits_reached.values():
        yield f"l:{limit.reached.limit_id}", words.limit(limit.reached)
    if not run.is_active:
        yield f"end:{run.run_id}", visible(run.answer) or texts.last_word(run)
        yield f"footer:{run.run_id}", texts.footer(run)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalView:
    """The session on the screen."""

    session: SessionWriter
    screen: Screen

    async def follow(self) -> None:
        """Print changes as they come."""
        seq = -1
        while True:
            state = await self.session.changed(seq)
            seq = state.seq
            self.screen.show(state)

    async def settle(self) -> bool:
        """Print the rest."""
        self.screen.show(self.session.state)
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalConversation:
    """The port's implementation for a terminal."""

    screen: Screen

    def view(self, session: SessionWriter, workspace: Workspace) -> TerminalView:
        """The view of the one session."""
        self.screen.once("workspace", words.workspace(workspace.root))
        return TerminalView(session=session, screen=self.screen)

    async def enrich(self, entry: AnyEntry, state: SessionState, workspace: Workspace) -> AnyEntry:
        """A terminal adds the person's name, and files of this machine that they gave as an answer."""
        if isinstance(entry, AnswerEntry):
            files = [await asyncio.to_thread(brought, file, workspace) for file in entry.attachments]
            return entry.model_copy(update={"attachments": tuple(files)})
        return entry.model_copy(update={"speaker": PERSON}) if isinstance(entry, MessageEntry) else entry


def brought(file: Attachment, workspace: Workspace) -> Attachment:
    """A file of this machine, by its path in `url`, put into the workspace."""
    try:
        with Path(file.url).expanduser().open("rb") as opened:
            data = opened.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            return file.model_copy(update={"problem": f"larger than {FILE_BYTES // 1_000_000} MB"})
        path = f"inbox/{Path(file.name).name.lstrip('.') or 'file'}"
        workspace.write_bytes(path, data)
    except (OSError, ToolInputError, ToolRefused) as error:
        return file.model_copy(update={"problem": str(error)})
    return file.model_copy(update={"path": path, "size": len(data)})
