"""What only Slack knows about an entry: who speaks, what was said before, what the files hold, who is in a group."""

import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot import texts_surface
from bot.delivery.calls import call
from bot.delivery.directory import SlackDirectory
from bot.delivery.errors import CLIENT_ERRORS, DeliveryError
from bot.listeners.access import Access
from bot.listeners.messages import FILES, attachment
from bot.listeners.once import Once
from runtime.session.entries import AnswerEntry, AnyEntry, ChangedEntry, DecisionEntry, EditEntry, MessageEntry
from runtime.session.events import Attachment, Quoted
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from runtime.store.errors import StoreError
from tools.errors import ToolInputError, ToolRefused
from tools.workspace import Workspace

log = logging.getLogger(__name__)

QUOTED_MESSAGES = 20
QUOTED_CHARACTERS = 2_000
FILE_BYTES = 20_000_000
"""A larger attachment is named to the agent but not fetched."""
FILE_SECONDS = 60
SLACK_HOSTS = ("slack.com", "slack-files.com", "slack-edge.com")
"""Where Slack keeps files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """Asks Slack; remembers names for the life of the process."""

    client: AsyncWebClient
    http: aiohttp.ClientSession
    bot_user: str
    access: Access
    directory: SlackDirectory
    refused: tuple[str, ...] = ()
    """Endings of file names that are not fetched."""
    once: Once | None = None
    """What was said is not said again after a takeover."""
    names: dict[str, str] = field(default_factory=dict[str, str])

    async def enrich(self, entry: AnyEntry, state: SessionState, workspace: Workspace) -> AnyEntry:
        """The entry with what Slack adds."""
        if isinstance(entry, DecisionEntry | EditEntry):
            standing = await self.standing(entry.by)
            return entry.model_copy(update={"groups": await self.groups_of(entry.by, state), "standing": standing})
        if isinstance(entry, ChangedEntry):
            return entry.model_copy(update={"speaker": await self.name(entry.user)})
        if isinstance(entry, AnswerEntry):
            files = tuple([await self.fetch(file, workspace) for file in entry.attachments])
            await self.tell(SessionKey.parse(state.session_id), entry, entry.by, files)
            return entry.model_copy(update={"attachments": files})
        if not isinstance(entry, MessageEntry):
            return entry
        key = SessionKey.parse(state.session_id)
        files, context = entry.attachments, entry.context
        if not state.seen_ts and entry.ts != key.thread_ts:
            messages = await self.earlier(key, entry.ts)
            context = tuple([await self.quoted(message) for message in messages])
            # The newest first: they are what somebody who joins in speaks of.
            older = [attachment(file) for message in reversed(messages) for file in message.get("files") or ()]
            files = (*files, *older[: max(0, FILES - len(files))])
        fetched = tuple([await self.fetch(file, workspace) for file in files])
        await self.tell(key, entry, entry.user, fetched[: len(entry.attachments)])
        added: dict[str, Any] = {
            "speaker": await self.name(entry.user),
            "attachments": fetched,
            "context": context,
        }
        return entry.model_copy(update=added)

    async def standing(self, user: str) -> str:
        """What the person is to the workspace; the least where Slack does not say."""
        try:
            return await self.access.standing(user)
        except DeliveryError as error:
            log.warning("users.info of %s: %s; they count as external", user, error)
            return "external"

    async def name(self, user: str) -> str:
        """The name with the id, "Ana (U0ANA)"; the bare id when Slack does not say."""
        if user not in self.names:
            try:
                reply = await call(self.client, "users_info", user=user)
            except DeliveryError as error:
                log.info("users.info of %s: %s", user, error)
                return user
            person: dict[str, Any] = reply["user"]
            profile: dict[str, Any] = person.get("profile") or {}
            shown = profile.get("display_name") or person.get("real_name") or person.get("name") or user
            self.names[user] = f"{shown} ({user})"
        return self.names[user]

    async def earlier(self, key: SessionKey, before_ts: str) -> list[dict[str, Any]]:
        """The thread's root and newest messages before one, as Slack has them; none where it cannot be read."""
        try:
            reply = await call(self.client, "conversations_replies", channel=key.channel, ts=key.thread_ts, limit=200)
        except DeliveryError as error:
            log.warning("conversations.replies in %s: %s", key, error)
            return []
        messages: list[dict[str, Any]] = [m for m in reply["messages"] if float(m["ts"]) < float(before_ts)]
        kept = messages[:1] + messages[1:][-QUOTED_MESSAGES:]
        return [message for message in kept if message.get("user") != self.bot_user]

    async def quoted(self, message: dict[str, Any]) -> Quoted:
        """One earlier message."""
        user = message.get("user") or ""
        speaker = await self.name(user) if user else str(message.get("username") or "an app")
        files = "".join(f" [file: {file.get('name', '?')}]" for file in message.get("files") or ())
        text = str(message.get("text", ""))[:QUOTED_CHARACTERS]
        return Quoted(speaker=speaker, text=text + files, ts=str(message["ts"]))

    async def groups_of(self, user: str, state: SessionState) -> tuple[str, ...]:
        """The user groups among those who may decide on the open card that the person belongs to."""
        asked = [who for who in deciders(state) if who.startswith("@")]
        if not asked:
            return ()
        groups = await self.directory.groups(asked)
        return tuple(handle for handle, group in groups.items() if user in group.members)

    async def fetch(self, file: Attachment, workspace: Workspace) -> Attachment:
        """Download one attachment into the workspace's `inbox/`."""
        if not file.url and file.file_id:
            file = await self.described(file)
        if file.problem:
            return file
        ending = PurePosixPath(file.name).suffix.lstrip(".").casefold()
        if ending and ending in {name.lstrip(".").casefold() for name in self.refused}:
            return file.model_copy(update={"problem": f"files of the type .{ending} are not taken here"})
        if file.size > FILE_BYTES:
            return file.model_copy(update={"problem": f"larger than {FILE_BYTES // 1_000_000} MB"})
        try:
            data = await self.download(file)
            path = free_path(workspace, f"inbox/{safe_name(file.name, file.file_id)}", data)
            workspace.write_bytes(path, data)
        except (FileProblem, ToolInputError, ToolRefused) as error:
            return file.model_copy(update={"problem": str(error)})
        except CLIENT_ERRORS as error:
            return file.model_copy(update={"problem": f"download failed ({type(error).__name__})"})
        return file.model_copy(update={"path": path, "size": len(data)})

    async def tell(
        self, key: SessionKey, entry: MessageEntry | AnswerEntry, user: str, files: Sequence[Attachment]
    ) -> None:
        """Say privately, once, which of their files could not be taken; the run goes on without them."""
        problems = [(file.name, file.problem) for file in files if file.problem]
        if not problems:
            return
        words = texts_surface.not_fetched(problems)
        # In a thread that has no reply yet nobody would see it.
        is_root = isinstance(entry, MessageEntry) and entry.ts == key.thread_ts
        place = {} if is_root else {"thread_ts": key.thread_ts}
        try:
            if self.once is not None and not await self.once.first(f"files:{key}:{entry.entry_id}"):
                return
            await call(self.client, "chat_postEphemeral", channel=key.channel, user=user, text=words, **place)
        except (StoreError, DeliveryError) as error:
            log.info("files of %s: %s", user, error)

    async def described(self, file: Attachment) -> Attachment:
        """A file of which only the id is known, as Slack describes it."""
        try:
            reply = await call(self.client, "files_info", file=file.file_id)
        except DeliveryError as error:
            return file.model_copy(update={"problem": f"Slack does not know it ({error})"})
        return attachment(reply["file"])

    async def download(self, file: Attachment) -> bytes:
        """The file's bytes.

        Raises:
            FileProblem: what came is not the file.
        """
        if not is_at_slack(file.url, self.client.base_url):
            # A linked file of another service has an address there; the token is none of its business.
            raise FileProblem("it is kept outside of Slack, where I cannot fetch it")
        headers = {"Authorization": f"Bearer {self.client.token}"}
        timeout = aiohttp.ClientTimeout(total=FILE_SECONDS)
        async with self.http.get(file.url, headers=headers, timeout=timeout) as answer:
            if answer.status != 200:
                raise FileProblem(f"Slack answered HTTP {answer.status}")
            # Without files:read Slack answers 200 with its sign-in page instead of the file.
            if answer.content_type == "text/html" and file.mimetype != "text/html":
                raise FileProblem("Slack sent a sign-in page instead of the file; the app needs the scope files:read")
            data = await answer.content.read(FILE_BYTES + 1)
            while len(data) <= FILE_BYTES and (more := await answer.content.read(FILE_BYTES)):
                data += more
        if len(data) > FILE_BYTES:
            raise FileProblem(f"larger than {FILE_BYTES // 1_000_000} MB")
        return data


def deciders(state: SessionState) -> tuple[str, ...]:
    """Who may decide on what is open: an approval or a limit."""
    run = state.active_run
    if run is None:
        return ()
    if run.open_limit:
        return run.limits_reached[run.open_limit].reached.approvers
    return run.approvals[run.open_approval].approvers if run.open_approval else ()


class FileProblem(Exception):
    """Why an attachment could not be had, in words for the agent and the person."""


def is_at_slack(url: str, api_url: str) -> bool:
    """Whether an address is Slack's: below its own domains over TLS, or where its API is."""
    try:
        given, api = urlsplit(url), urlsplit(api_url)
        host = given.hostname or ""
    except ValueError:
        return False
    is_below = any(host == name or host.endswith(f".{name}") for name in SLACK_HOSTS)
    return (given.scheme == "https" and is_below) or (given.scheme, given.netloc) == (api.scheme, api.netloc)


def free_path(workspace: Workspace, path: str, data: bytes) -> str:
    """The path, or one beside it where another file has the name: many pictures are called image.png."""
    bare = PurePosixPath(path)
    for number in itertools.count(2):
        kind = workspace.kind(path)
        if kind == "missing" or (kind == "file" and workspace.read_bytes(path) == data):
            return path
        path = str(bare.with_name(f"{bare.stem}-{number}{bare.suffix}"))
    raise AssertionError("unreachable")


def safe_name(name: str, file_id: str) -> str:
    """A bare file name: no directories, no leading dots, nothing that cannot be seen."""
    bare = PurePosixPath(name.replace("\\", "/")).name.lstrip(".")
    kept = "".join(c if c.isalnum() or c in "._- ()" else "_" for c in bare).strip()
    return kept[:120] or file_id
