"""Which session and run the code at hand works for, so that each log line can say it."""

from contextvars import ContextVar
from typing import Final

SESSION: Final[ContextVar[str]] = ContextVar("session", default="")
RUN: Final[ContextVar[str]] = ContextVar("run", default="")
