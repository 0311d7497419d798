"""Buttons that only show something: the whole output of a step, the whole of a call. Any replica reads the journal."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bot import texts
from bot.delivery.slack_api import SlackApi
from bot.listeners.clicks import Ack, Body, Click, Clicks
from bot.listeners.modals import fits_modal, reading_modal
from bot.listeners.values import ButtonValue
from bot.render import approval, step
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from runtime.session.writer import load_state
from runtime.settings import SlackSettings
from runtime.store.errors import StoreError
from runtime.store.redis_store import SessionStore

log = logging.getLogger(__name__)


def output_of(state: SessionState, about: str, verbosity: str = "steps") -> str:
    """Every output of a group of calls (`run.step`), each with its call; empty when it is no longer kept.

    Args:
        state: the session.
        about: the group.
        verbosity: how much is said in the thread where nobody has chosen, by which calls were grouped.
    """
    run_id, _, number = about.rpartition(".")
    run = next((run for run in state.runs if run.run_id == run_id), None)
    if run is None:
        return ""
    # Replies of before another setting, if the one of now made none such.
    ways = (step.groups(run, how, state.choices) for how in (verbosity, "steps", "all"))
    group = next((group for way in ways for group in way if str(group.number) == number), None)
    shown = [
        f"{call.call.tool} {call.call.arguments}\n\n{call.result.output}"
        for call in (group.calls if group else ())
        if call.result is not None
    ]
    return "\n\n———\n\n".join(shown)


def call_of(state: SessionState, approval_id: str) -> str:
    """The exact call of a request for approval."""
    for run in state.runs:
        if approval_id in run.approvals:
            return approval.whole(run.approvals[approval_id].requested)
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The listeners of "Show output" and "Show all of it"."""

    clicks: Clicks
    api: SlackApi
    store: SessionStore
    settings: SlackSettings
    redact: Callable[[str], str]
    """The journal keeps the exact arguments of a call; nobody is shown a secret in them."""

    async def output(self, body: Body, ack: Ack) -> None:
        """The output of a step."""
        await self.clicks.guarded(body, ack, self.on_output)

    async def on_output(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Read and show it."""
        await ack()
        state = await self.state(click, value)
        if state is not None:
            output = output_of(state, value.about, self.settings.verbosity_of(value.session.channel))
            await self.show(click, value.session, texts.OUTPUT_TITLE, self.redact(output))

    async def call(self, body: Body, ack: Ack) -> None:
        """The whole of a call."""
        await self.clicks.guarded(body, ack, self.on_call)

    async def on_call(self, click: Click, value: ButtonValue, ack: Ack) -> None:
        """Read and show it."""
        await ack()
        state = await self.state(click, value)
        if state is not None:
            await self.show(click, value.session, texts.CALL_TITLE, self.redact(call_of(state, value.about)))

    async def state(self, click: Click, value: ButtonValue) -> SessionState | None:
        """The session as it stands; the person is told when it cannot be read."""
        try:
            return await load_state(self.store, str(value.session))
        except StoreError as error:
            log.warning("reading %s: %s", value.session, error)
            await self.clicks.tell(click, texts.UNREACHABLE_STORE)
            return None

    async def show(self, click: Click, key: SessionKey, title: str, long: str) -> None:
        """In a modal; what does not fit there comes whole as a file in the thread."""
        if not long:
            await self.clicks.tell(click, texts.OUTPUT_GONE)
        elif not fits_modal(long) or not await self.clicks.opened(click, reading_modal(title, long)):
            file_id = await self.api.prepare_upload(f"{title.lower().replace(' ', '-')}.txt", long.encode())
            await self.api.complete_upload(key, file_id, title)
