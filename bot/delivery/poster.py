"""Brings one wanted item into Slack: intent, effect, record; found again after a crash before it is tried twice."""

import time
from dataclasses import dataclass, field

from bot.delivery.directs import Directs
from bot.delivery.errors import Refused
from bot.delivery.outbox import Direct, Post, Upload, Wanted, Whisper
from bot.delivery.plainer import sent
from bot.delivery.slack_api import SlackApi
from bot.delivery.status import status_of
from bot.delivery.streams import STILL_OPEN, Streams
from runtime.session.events import PostDone, PostStarted
from runtime.session.ids import SessionKey
from runtime.session.writer import SessionWriter
from tools.errors import ToolInputError, ToolRefused
from tools.workspace import Workspace

UPDATE_EVERY = 3.0
"""Seconds between two updates of one message (Slack's own advice for agents)."""

SPARE_UPDATES = 12
"""Updates a minute that progress leaves to others."""


@dataclass(slots=True, kw_only=True)
class Poster:
    """Delivery of one session under one lease."""

    api: SlackApi
    """Bound to the lease: each call looks at it last of all."""
    session: SessionWriter
    workspace: Workspace
    key: SessionKey
    shown: dict[str, str] = field(default_factory=dict[str, str])
    """Operation id -> digest of the content Slack has, as far as this lease knows."""
    updated_at: dict[str, float] = field(default_factory=dict[str, float])
    directs: Directs = field(init=False)
    streams: Streams = field(init=False)

    def __post_init__(self) -> None:
        self.directs = Directs(api=self.api, session=self.session, key=self.key)
        self.streams = Streams(api=self.api, key=self.key, status=lambda: status_of(self.session.state) or "processing")

    async def bring(self, item: Wanted, *, flush: bool) -> float:
        """Make one item visible, or bring it up to date.

        Args:
            item: what should be seen.
            flush: show pending changes now instead of with the next batch.

        Returns:
            Seconds until a coalesced change is due; 0 when nothing is left to do.

        Raises:
            NotNow: it could not be done now.
            NotOurs: the lease may have lapsed.
        """
        if isinstance(item, Direct):
            await self.directs.bring(item)
            return 0.0
        post = self.session.state.posts.get(item.op)
        if post is not None and post.done is not None:
            return await self.refresh(item, post.done, flush=flush) if isinstance(item, Post) else 0.0
        try:
            await self.create(item)
        except Refused as error:
            await self.session.commit(PostDone(op=item.op, problem=str(error)))
        return 0.0

    async def create(self, item: Post | Upload | Whisper) -> None:
        """First time: intent, look-up where an intent was left behind, effect, record."""
        started = self.session.state.posts.get(item.op)
        if isinstance(item, Upload):
            await self.upload(item, started.file_id if started else "")
            return
        if started is None:
            await self.session.commit(PostStarted(op=item.op))
        if isinstance(item, Whisper):
            await self.api.whisper(self.key, item.to, item.op, item.text, is_begun=started is not None)
            await self.session.commit(PostDone(op=item.op))
            return
        ts = await self.api.find(self.key, item.op) if started is not None else ""
        # What is found may have been posted with an earlier content, so it is brought up to date in the next pass.
        digest = "" if ts else item.content.digest
        if not ts:
            ts = await self.post(item)
        self.shown[item.op] = digest
        self.updated_at[item.op] = time.monotonic()
        await self.session.commit(PostDone(op=item.op, ts=ts, digest=digest))

    async def post(self, item: Post) -> str:
        """Post it, as a stream where one is to be had, in a plainer form if Slack takes no other."""
        run = self.session.state.run
        ts = await self.streams.start(item, run.requester if run else "", time.monotonic())
        if ts:
            return ts
        return await sent(item.content, lambda form: self.api.post(self.key, item.op, form))

    async def refresh(self, item: Post, done: PostDone, *, flush: bool) -> float:
        """Update a message whose content has changed."""
        if not done.ts or self.shown.get(item.op, done.digest) == item.content.digest:
            return 0.0
        if not (flush or item.urgent or item.final):
            waited = time.monotonic() - self.updated_at.get(item.op, 0.0)
            # What is only progress leaves room for what is asked, decided and answered.
            pace = self.api.pace
            left = max(UPDATE_EVERY / pace.speed - waited, await pace.room("chat.update", keep=SPARE_UPDATES))
            if left > 0:
                return left
        problem = ""
        if not await self.streams.append(item, time.monotonic()):
            problem = await self.update(item, done.ts)
        self.shown[item.op] = item.content.digest
        self.updated_at[item.op] = time.monotonic()
        if item.final or problem:
            await self.session.commit(PostDone(op=item.op, ts=done.ts, digest=item.content.digest, problem=problem))
        return 0.0

    async def update(self, item: Post, ts: str) -> str:
        """Give a message its content, in a plainer form if Slack takes no other; why it never will, if so."""
        try:
            await sent(item.content, lambda form: self.api.update(self.key, ts, item.op, form))
        except Refused as error:
            if str(error) != STILL_OPEN:
                return str(error)
            # A stream that an earlier lease left open.
            await self.streams.stop(ts)
            await self.api.update(self.key, ts, item.op, item.content)
        return ""

    async def leave_streams(self) -> None:
        """End what is open; each message is then brought to its full content by an update."""
        for op in tuple(self.streams.open):
            await self.streams.leave(op)
            self.shown[op] = ""

    async def upload(self, item: Upload, file_id: str) -> None:
        """Share a file. Its id is journalled before it is completed, so that a takeover finds it."""
        if file_id and await self.api.is_shared(file_id):
            await self.session.commit(PostDone(op=item.op, file_id=file_id))
            return
        name = item.name or (item.file.path.rsplit("/", 1)[-1] if item.file else item.op)
        if not file_id:
            try:
                data = item.text.encode() if item.file is None else self.workspace.read_bytes(item.file.path)
            except (ToolInputError, ToolRefused, OSError) as error:
                await self.session.commit(PostDone(op=item.op, problem=str(error)))
                return
            file_id = await self.api.prepare_upload(name, data)
            await self.session.commit(PostStarted(op=item.op, file_id=file_id))
        title = item.file.title if item.file and item.file.title else name
        await self.api.complete_upload(self.key, file_id, title)
        await self.session.commit(PostDone(op=item.op, file_id=file_id))
