"""Logs as one JSON object per line on standard error, with secrets taken out."""

import json
import logging
import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from runtime.context import WORK, Work
from tools.redact import Redactor


class JsonLines(logging.Formatter):
    """Formats a record as JSON. A traceback is a field, so that a line stays a line."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Take these out of every line, beside what looks like a secret."""
        super().__init__()
        self.redact = Redactor(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, str] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.redact(record.getMessage()),
        }
        work = WORK.get() or Work()
        working_for = {"session": work.session, "run": work.run}
        line.update({name: value for name, value in working_for.items() if value})
        if record.exc_info:
            line["traceback"] = self.redact(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def set_up_logs(level: int, secrets: Iterable[str] = ()) -> None:
    """Send every log line to standard error, without these secrets. Libraries speak only of trouble."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(secrets))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("bot", "runtime", "tools"):
        logging.getLogger(name).setLevel(level)
    # Bolt logs every refused connection with a traceback and then tries again by itself.
    for name in ("slack_bolt", "slack_sdk"):
        logging.getLogger(name).setLevel(logging.ERROR)
