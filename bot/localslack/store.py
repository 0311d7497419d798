"""What survives a restart: JSON documents in one SQLite file, and the bytes of files beside it."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from bot.localslack.values import JsonObject, as_object, compact

SCHEMA = "CREATE TABLE IF NOT EXISTS documents (kind TEXT, key TEXT, body TEXT, PRIMARY KEY (kind, key)) WITHOUT ROWID"


class Store:
    """A keyed document store. Each write is durable against the death of the process when it returns."""

    def __init__(self, directory: Path) -> None:
        self.blobs = directory / "files"
        self.blobs.mkdir(parents=True, exist_ok=True)
        self.database = sqlite3.connect(directory / "slack.db", isolation_level=None)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA synchronous=NORMAL")
        self.database.execute(SCHEMA)

    def put(self, kind: str, key: str, body: JsonObject) -> None:
        """Write one document over whatever was there."""
        self.database.execute("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", (kind, key, compact(body)))

    def drop(self, kind: str, key: str) -> None:
        """Remove one document; a missing one is fine."""
        self.database.execute("DELETE FROM documents WHERE kind = ? AND key = ?", (kind, key))

    def all(self, kind: str) -> Iterator[tuple[str, JsonObject]]:
        """Every document of a kind in the order of their keys."""
        rows = self.database.execute("SELECT key, body FROM documents WHERE kind = ? ORDER BY key", (kind,))
        for key, body in rows.fetchall():
            yield str(key), as_object(json.loads(body))

    def put_bytes(self, name: str, content: bytes) -> None:
        """Write the bytes of a file; `name` is one of our own ids, never a person's file name."""
        (self.blobs / name).write_bytes(content)

    def get_bytes(self, name: str) -> bytes:
        """The bytes of a file; raises FileNotFoundError."""
        return (self.blobs / name).read_bytes()

    def drop_bytes(self, name: str) -> None:
        """Remove the bytes of a file."""
        (self.blobs / name).unlink(missing_ok=True)

    def wipe(self) -> None:
        """Forget every document and every file."""
        self.database.execute("DELETE FROM documents")
        for blob in self.blobs.iterdir():
            blob.unlink()

    def close(self) -> None:
        """Close the database."""
        self.database.close()
