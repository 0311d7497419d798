"""What is typed at the prompt becomes the same commands that clicks and forms become in Slack."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.render.editing import values_of, with_values
from bot.terminal import words
from bot.terminal.conversation import PERSON, Screen
from bot.terminal.form import fill_in
from runtime.session.approval_events import CoveredCall
from runtime.session.cards import parts
from runtime.session.commands import Commands
from runtime.session.entries import AnswerEntry, DecisionEntry, EditEntry
from runtime.session.events import ApprovalRequested, QuestionAsked
from runtime.session.ids import SessionKey
from runtime.session.message_events import Attachment
from tools.collection import ToolCollection
from tools.errors import ToolInputError
from tools.schema import canonical


def found(typed: str) -> Path | None:
    """The file of this machine with a path; None where there is none."""
    path = Path(typed).expanduser().absolute()
    return path if typed and path.is_file() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Asks for whatever waits, one after the other."""

    screen: Screen
    commands: Commands
    key: SessionKey
    ask: Callable[[str], Awaitable[str]]
    """Shows a prompt and waits for a line. Raises EOFError when there is no more input."""
    tools: ToolCollection
    """By which edited arguments are checked."""

    async def serve(self) -> None:
        """Until it is cancelled."""
        while True:
            kind, about = await self.screen.pending.get()
            if kind == "question":
                await self.answer(about)
            elif kind == "approval":
                await self.decide(about)
            else:
                await self.add(about)

    async def answer(self, question_id: str) -> None:
        """A choice by its number, free text, each field of a form, or a file by its path."""
        run = self.screen.state.run if self.screen.state else None
        asked = run.questions[question_id].asked if run else None
        entry = AnswerEntry(entry_id=f"typed:{question_id}", question_id=question_id, by=PERSON, how="button")
        if asked is not None and asked.fields:
            entry = entry.model_copy(update=await self.filled_in(asked))
        elif asked is not None and asked.wants_file:
            entry = entry.model_copy(update=await self.file())
        else:
            choices = asked.choices if asked else ()
            typed = (await self.ask(words.ANSWER_PROMPT)).strip()
            number = int(typed) - 1 if typed.isdecimal() and 0 < int(typed) <= len(choices) else -1
            entry = entry.model_copy(update={"answer": typed, "choice": number})
        await self.commands.answer(self.key, entry)

    async def filled_in(self, asked: QuestionAsked) -> Mapping[str, object]:
        """Every field, each until it fits; or a choice in place of the form."""
        filled = await fill_in(asked, self.ask)
        how = "button" if filled.choice >= 0 else "modal"
        return {"answer": filled.answer, "shown": filled.shown, "choice": filled.choice, "how": how}

    async def file(self) -> Mapping[str, Any]:
        """The path of a file; what is no file is an answer in words."""
        typed = (await self.ask(words.FILE_PROMPT)).strip()
        path = await asyncio.to_thread(found, typed)
        if path is None:
            return {"answer": typed}
        file = Attachment(file_id=secrets.token_hex(4), name=path.name, url=str(path))
        return {"answer": "", "shown": path.name, "attachments": (file,), "how": "modal"}

    async def decide(self, approval_id: str) -> None:
        """Only a whole word approves; any other line is a no with its reason."""
        run = self.screen.state.run if self.screen.state else None
        requested = run.approvals[approval_id].requested if run and approval_id in run.approvals else None
        editable = [call for call in parts(requested) if values_of(call.arguments)] if requested else []
        can_allow = requested is not None and bool(requested.grant_ms)
        prompt = words.approval_prompt(can_allow=can_allow, can_edit=bool(editable))
        typed = (await self.ask(prompt)).strip()
        word = typed.casefold()
        if word == words.EDITING_WORD and requested is not None and editable:
            await self.edit(requested, editable)
            return
        allowed = word == words.ALLOWING_WORD and can_allow
        approved = allowed or word == words.APPROVING_WORD
        entry = DecisionEntry(
            entry_id=f"typed:{approval_id}:{secrets.token_hex(4)}",
            approval_id=approval_id,
            verdict="approved" if approved else "denied",
            by=PERSON,
            for_thread=allowed,
            reason="" if approved or word in {"", "no", "n"} else typed,
        )
        await self.commands.decide(self.key, entry)

    async def edit(self, requested: ApprovalRequested, editable: list[CoveredCall]) -> None:
        """Other arguments, each until they fit the tool. The edited call is asked for anew."""
        call = editable[0] if len(editable) == 1 else await self.one_of(editable)
        while True:
            written = {name: await self.value(name, text) for name, text in values_of(call.arguments).items()}
            arguments, wrong = with_values(call.arguments, written)
            try:
                is_known = call.tool in self.tools and not wrong
                edited = self.tools.parse(call.tool, arguments).canonical if is_known else canonical(arguments)
            except ToolInputError as error:
                self.screen.write(str(error))
                continue
            if not wrong:
                break
            self.screen.write(words.not_json(wrong))
        entry = EditEntry(
            entry_id=f"typed:{requested.approval_id}:{secrets.token_hex(4)}",
            approval_id=requested.approval_id,
            call_id=call.call_id,
            arguments=edited.decode(),
            by=PERSON,
        )
        await self.commands.push(self.key, entry)

    async def one_of(self, calls: list[CoveredCall]) -> CoveredCall:
        """The call to edit, by its number."""
        while True:
            typed = (await self.ask(words.which_prompt(len(calls)))).strip()
            if typed.isdecimal() and 0 < int(typed) <= len(calls):
                return calls[int(typed) - 1]

    async def value(self, name: str, text: str) -> str:
        """An argument as it is typed; an empty line keeps it. Several lines are typed as a JSON text."""
        typed = await self.ask(words.value_prompt(name, text))
        if not typed.strip():
            return text
        if typed.startswith('"'):
            try:
                read: object = json.loads(typed)
            except ValueError:
                return typed
            return read if isinstance(read, str) else typed
        return typed

    async def add(self, limit_id: str) -> None:
        """Only the whole word adds to a limit."""
        typed = (await self.ask(words.LIMIT_PROMPT)).strip()
        verdict = "approved" if typed.casefold() == words.ADDING_WORD else "denied"
        given = {"entry_id": f"typed:{limit_id}", "approval_id": limit_id, "verdict": verdict, "by": PERSON}
        await self.commands.decide(self.key, DecisionEntry.model_validate(given))
