"""Takes single safeguards away inside a bot process, so that tests can show what each is there for."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import runtime.session.runner
from bot.delivery.slack_api import SlackApi
from runtime.engine.lease import Lease
from runtime.engine.tenure import Tenure
from runtime.session.entries import AnyEntry
from runtime.session.events import CallStarted
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from runtime.store.redis_store import SessionStore
from runtime.store.scripts import Script
from tests.durability.hooks import rewrap
from tests.durability.plan import Ablation

ANYBODY = "local function holds_lease() return true end"


def install(without: tuple[Ablation, ...]) -> None:
    """Take them away."""
    for name in without:
        ABLATIONS[name]()


def no_fence() -> None:
    """Whoever once held the session may write to it, wherever the journal stands."""
    edit_scripts(
        (
            "local function holds_lease(",
            "local function holds_lease() return true end\nlocal function unused_holds_lease(",
        ),
        ("if at ~= seq then return {'conflict', at} end", "seq = at"),
        ("if #redis.call('XRANGE', inbox, id, id) == 0 then return {'conflict', at} end", ""),
    )
    rewrap(Lease, "is_safe", lambda _: always_safe)
    rewrap(Tenure, "keep", lambda _: keep_nothing)


def always_safe(_: object) -> bool:
    """A lease that believes in itself."""
    return True


async def keep_nothing(*_: object) -> None:
    """A lease that nobody looks after."""


def no_dedupe() -> None:
    """What is delivered twice counts twice."""
    edit_scripts(("if redis.call('ZSCORE', seen, delivery) then return 'dup' end", ""))

    def forgetful(take_in: Callable[..., Any]) -> Callable[..., Any]:
        def taking(state: SessionState, entry: AnyEntry, **named: Any) -> Any:
            return take_in(replace(state, seen_ts=frozenset()), entry, **named)

        return taking

    rewrap(runtime.session.runner.intake, "take_in", forgetful)


def no_intent() -> None:
    """Calls run without a word in the journal beforehand."""

    def silent(commit: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def committing(self: SessionWriter, *events: object, **named: Any) -> Any:
            kept = [event for event in events if not isinstance(event, CallStarted)]
            return await commit(self, *kept, **named) if kept or named else self.state

        return committing

    rewrap(SessionWriter, "commit", silent)


def no_lookup() -> None:
    """What may have been posted is posted again."""

    async def found_nothing(*_: object) -> str:
        return ""

    rewrap(SlackApi, "find", lambda _: found_nothing)


def edit_scripts(*edits: tuple[str, str]) -> None:
    """Change the scripts of every store of this process."""

    def edited(make: Callable[..., None]) -> Callable[..., None]:
        def making(self: SessionStore, *args: Any, **named: Any) -> None:
            make(self, *args, **named)
            self.scripts = {name: rewritten(script, edits) for name, script in self.scripts.items()}

        return making

    rewrap(SessionStore, "__init__", edited)


def rewritten(script: Script, edits: tuple[tuple[str, str], ...]) -> Script:
    """A script with passages replaced, under its new digest."""
    source = script.source
    for old, new in edits:
        source = source.replace(old, new)
    changed = copy(script)
    changed.source, changed.sha = source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
    return changed


ABLATIONS: Mapping[Ablation, Callable[[], None]] = {
    "fence": no_fence,
    "dedupe": no_dedupe,
    "intent": no_intent,
    "lookup": no_lookup,
}
