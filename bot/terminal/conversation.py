"""A terminal as the runtime's `Conversation`: prints the journal line by line, asks at the prompt."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

from bot import texts
from bot.terminal import words
from bot.terminal.form import fill_in
from runtime.session.commands import Commands
from runtime.session.entries import AnswerEntry, AnyEntry, DecisionEntry, MessageEntry
from runtime.session.events import QuestionAsked
from runtime.session.ids import SessionKey
from runtime.session.state import RunState, SessionState
from runtime.session.writer import SessionWriter
from tools.text import visible
from tools.workspace import Workspace

PERSON = "you"


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
        run = state.run
        if run is None:
            return
        for key, text in lines(run):
            self.once(key, text)
        waiting = (("question", run.open_question), ("approval", run.open_approval), ("limit", run.open_limit))
        for kind, about in waiting:
            if about and f"asked:{about}" not in self.shown:
                self.shown.add(f"asked:{about}")
                self.pending.put_nowait((kind, about))
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
        """A terminal adds nothing but the person's name."""
        return entry.model_copy(update={"speaker": PERSON}) if isinstance(entry, MessageEntry) else entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Answers and decisions typed at the prompt become the same commands that clicks become."""

    screen: Screen
    commands: Commands
    key: SessionKey
    ask: Callable[[str], Awaitable[str]]
    """Shows a prompt and waits for a line. Raises EOFError when there is no more input."""

    async def serve(self) -> None:
        """Ask for whatever waits, one after the other."""
        while True:
            kind, about = await self.screen.pending.get()
            if kind == "question":
                await self.answer(about)
            elif kind == "approval":
                await self.decide(about)
            else:
                await self.add(about)

    async def answer(self, question_id: str) -> None:
        """A choice by its number, or free text."""
        run = self.screen.state.run if self.screen.state else None
        if run and run.questions[question_id].asked.fields:
            await self.fill_in(run.questions[question_id].asked)
            return
        choices = run.questions[question_id].asked.choices if run else ()
        typed = (await self.ask(words.ANSWER_PROMPT)).strip()
        number = int(typed) - 1 if typed.isdigit() and 0 < int(typed) <= len(choices) else -1
        entry = AnswerEntry(
            entry_id=f"typed:{question_id}",
            question_id=question_id,
            answer=typed,
            choice=number,
            by=PERSON,
            how="button",
        )
        await self.commands.answer(self.key, entry)

    async def fill_in(self, asked: QuestionAsked) -> None:
        """A form, field by field."""
        filled = await fill_in(asked, self.ask)
        entry = AnswerEntry(
            entry_id=f"typed:{asked.question_id}",
            question_id=asked.question_id,
            answer=filled.answer,
            shown=filled.shown,
            choice=filled.choice,
            by=PERSON,
            how="button" if filled.choice >= 0 else "modal",
        )
        await self.commands.answer(self.key, entry)

    async def decide(self, approval_id: str) -> None:
        """Only the whole word approves."""
        typed = (await self.ask(words.APPROVAL_PROMPT)).strip()
        approved = typed.casefold() == words.APPROVING_WORD
        entry = DecisionEntry(
            entry_id=f"typed:{approval_id}",
            approval_id=approval_id,
            verdict="approved" if approved else "denied",
            by=PERSON,
            reason="" if approved or typed.casefold() in {"", "no", "n"} else typed,
        )
        await self.commands.decide(self.key, entry)

    async def add(self, limit_id: str) -> None:
        """Only the whole word adds to a limit."""
        typed = (await self.ask(words.LIMIT_PROMPT)).strip()
        verdict = "approved" if typed.casefold() == words.ADDING_WORD else "denied"
        given = {"entry_id": f"typed:{limit_id}", "approval_id": limit_id, "verdict": verdict, "by": PERSON}
        await self.commands.decide(self.key, DecisionEntry.model_validate(given))
