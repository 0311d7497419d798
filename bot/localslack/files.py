"""Files: upload tickets, bytes, sharing, and the `file` object Slack shows."""

import mimetypes
from dataclasses import dataclass
from urllib.parse import quote

from bot.localslack.store import Store
from bot.localslack.values import JsonObject, as_object, as_text, epoch, new_id, new_word

TYPES = {
    "text/csv": ("csv", "CSV"),
    "text/plain": ("text", "Plain Text"),
    "text/x-python": ("python", "Python"),
    "text/markdown": ("markdown", "Markdown"),
    "application/json": ("json", "JSON"),
    "application/pdf": ("pdf", "PDF"),
    "image/png": ("png", "PNG"),
    "image/jpeg": ("jpg", "JPEG"),
    "image/gif": ("gif", "GIF"),
    "image/svg+xml": ("svg", "SVG"),
    "application/zip": ("zip", "Zip"),
}


@dataclass(slots=True, kw_only=True)
class UploadTicket:
    """A promised upload; the bytes come to a URL of their own, then the upload is completed."""

    file_id: str
    filename: str
    length: int
    secret: str
    received: bool = False


class FileShelf:
    """All files. A stored file holds what does not depend on where the server listens."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.files: dict[str, JsonObject] = dict(store.all("file"))
        self.tickets: dict[str, UploadTicket] = {}

    def ticket(self, filename: str, length: int) -> UploadTicket:
        """Promise an upload."""
        ticket = UploadTicket(file_id=new_id("F0"), filename=filename, length=length, secret=new_word(24))
        self.tickets[ticket.file_id] = ticket
        return ticket

    def receive(self, ticket: UploadTicket, content: bytes) -> None:
        """The bytes of a promised upload arrived."""
        self.store.put_bytes(ticket.file_id, content)
        ticket.length = len(content)
        ticket.received = True

    def complete(self, ticket: UploadTicket, user: str, title: str | None) -> JsonObject:
        """Turn a received upload into a file."""
        self.tickets.pop(ticket.file_id, None)
        return self.add(ticket.file_id, ticket.filename, ticket.length, user, title)

    def add(self, file_id: str, name: str, size: int, user: str, title: str | None = None) -> JsonObject:
        """Register a file whose bytes are stored already."""
        mimetype = mimetypes.guess_type(name)[0] or "application/octet-stream"
        filetype, pretty = TYPES.get(mimetype, (name.rpartition(".")[2] or "binary", "Binary"))
        body: JsonObject = {
            "id": file_id,
            "created": int(epoch()),
            "timestamp": int(epoch()),
            "name": name,
            "title": title or name,
            "mimetype": mimetype,
            "filetype": filetype,
            "pretty_type": pretty,
            "user": user,
            "size": size,
            "shares": {},
        }
        self.save(body)
        return body

    def save(self, body: JsonObject) -> None:
        """Store a new version of a file's description."""
        self.files[as_text(body["id"])] = body
        self.store.put("file", as_text(body["id"]), body)

    def share(self, file_id: str, channel: str, ts: str, thread_ts: str | None) -> None:
        """Note that a message shows the file."""
        body = self.files[file_id]
        entry: JsonObject = {"ts": ts, "channel_name": channel, "team_id": ""}
        if thread_ts:
            entry["thread_ts"] = thread_ts
        public = as_object(as_object(body["shares"]).get("public"))
        self.save({**body, "shares": {"public": {**public, channel: [*public.get(channel, []), entry]}}})

    def drop(self, file_id: str) -> None:
        """Delete a file and its bytes."""
        self.files.pop(file_id, None)
        self.store.drop("file", file_id)
        self.store.drop_bytes(file_id)

    def shown(self, file_id: str, base_url: str, team: str) -> JsonObject:
        """The `file` object; a deleted file becomes a tombstone as at Slack."""
        body = self.files.get(file_id)
        if body is None:
            return {"id": file_id, "mode": "tombstone"}
        url = f"{base_url}/files/{file_id}/{quote(as_text(body['name']))}"
        channels = list(as_object(as_object(body["shares"]).get("public")))
        is_image = as_text(body["mimetype"]).startswith("image/")
        return {
            **{key: value for key, value in body.items() if key != "shares"},
            "user_team": team,
            "editable": False,
            "mode": "hosted",
            "is_external": False,
            "external_type": "",
            "is_public": True,
            "public_url_shared": False,
            "display_as_bot": False,
            "username": "",
            "url_private": url,
            "url_private_download": f"{url}?download=1",
            "media_display_type": "unknown",
            **({"thumb_360": url, "thumb_720": url} if is_image else {}),
            "permalink": url,
            "permalink_public": url,
            "is_starred": False,
            "has_rich_preview": False,
            "file_access": "visible",
            "shares": body["shares"],
            "channels": [channel for channel in channels if channel.startswith("C")],
            "groups": [],
            "ims": [channel for channel in channels if channel.startswith("D")],
        }
