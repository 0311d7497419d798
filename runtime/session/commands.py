"""Commands to a session: each becomes one inbox entry, on any replica. Listeners call these and nothing else."""

from datetime import timedelta
from typing import Literal

from runtime.engine.switch import pause_of
from runtime.session.entries import URGENT_KINDS, AnswerEntry, AnyEntry, DecisionEntry, MessageEntry, StopEntry
from runtime.session.ids import SessionKey
from runtime.session.state import PARKED
from runtime.store.redis_store import SessionStore

Pushed = Literal["ok", "dup", "full"]
"""ok: recorded. dup: this delivery was recorded before. full: the inbox takes no more messages now."""


class Commands:
    """Verbs of the runtime. All of them only push; the lease holder decides what an entry means.

    Every method raises `StoreUnavailable` when the entry could not be recorded: then nothing was promised, and the
    caller must not acknowledge it.
    """

    def __init__(self, store: SessionStore) -> None:
        self.store = store

    async def push(self, key: SessionKey, entry: AnyEntry) -> Pushed:
        """Record one entry for a session and ring its bell."""
        return await self.store.push(
            str(key),
            entry_id=f"{key}|{entry.entry_id}",
            kind=entry.kind,
            payload=entry.model_dump_json(),
            urgent=entry.kind in URGENT_KINDS,
        )

    async def submit(self, key: SessionKey, message: MessageEntry) -> Pushed:
        """A person said something."""
        return await self.push(key, message)

    async def answer(self, key: SessionKey, answer: AnswerEntry) -> Pushed:
        """A person answered a question by a click or a form."""
        return await self.push(key, answer)

    async def decide(self, key: SessionKey, decision: DecisionEntry) -> Pushed:
        """A person clicked on an approval card."""
        return await self.push(key, decision)

    async def stop(self, key: SessionKey, stop: StopEntry) -> Pushed:
        """A person wants the run to end."""
        return await self.push(key, stop)

    async def is_parked(self, key: SessionKey) -> bool:
        """True when nobody has spoken in the thread for so long that replies need a mention."""
        return (await self.store.row(str(key), 0)).status == PARKED

    async def exists(self, key: SessionKey) -> bool:
        """True when the thread is a session: somebody called the agent there, and its data has not expired."""
        return await self.store.exists(str(key))

    async def is_first(self, what: str, within: timedelta) -> bool:
        """Whether no process has asked this for a while: for words that are said once."""
        return await self.store.mark(what, within)

    async def is_paused(self, key: SessionKey) -> bool:
        """Whether an operator has paused the thread's channel, or everything."""
        return bool(pause_of(await self.store.pauses(), str(key)))
