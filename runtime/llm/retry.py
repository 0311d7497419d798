"""Which failures of a model request may pass, how long to wait, and what to call those that do not."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import cast

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, RateLimitError

from runtime.llm.errors import ContextTooLong, ModelError, ModelRejected, ModelUnavailable
from tools.text import visible

SAID_CHARS = 300
TOO_MANY_BYTES = 413
QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
CONTEXT_WORDS = ("context_length_exceeded", "context length", "maximum context", "context window", "prompt is too long")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How a request is repeated that failed in a way that may pass."""

    tries: int = 4
    first_pause: timedelta = timedelta(milliseconds=500)
    longest_pause: timedelta = timedelta(seconds=60)
    """A service that asks for more is not waited for; the error carries what it asked."""

    def pause(self, attempt: int, asked: timedelta | None) -> timedelta | None:
        """How long to wait after the given attempt, counted from 1; None means give up."""
        if attempt >= self.tries or (asked is not None and asked > self.longest_pause):
            return None
        # Jitter keeps many sessions from coming back in the same instant.
        backoff = min(self.first_pause * 2 ** (attempt - 1), self.longest_pause) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
        return max(asked, timedelta()) if asked is not None else backoff


def may_pass(error: APIError) -> bool:
    """True for a failed connection, a full service and a failing one; never for any other refusal."""
    if isinstance(error, RateLimitError):
        return error.code not in QUOTA_CODES
    if isinstance(error, APIStatusError):
        return error.status_code >= 500
    # After a silence the request may have been worked on and billed; asking again would double it.
    return isinstance(error, APIConnectionError) and not isinstance(error, APITimeoutError)


def may_have_cost(error: APIError) -> bool:
    """True where the request was taken and may have been worked on and billed, although no answer came."""
    return isinstance(error, APITimeoutError)


def asked_pause(error: APIError) -> timedelta | None:
    """What the service's `Retry-After` asks for, in seconds or as a date."""
    if not isinstance(error, APIStatusError):
        return None
    headers = error.response.headers
    milliseconds = number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return timedelta(milliseconds=milliseconds)
    text = headers.get("retry-after")
    seconds = number(text)
    if seconds is not None:
        return timedelta(seconds=seconds)
    try:
        moment = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime.now(UTC)


def number(text: str | None) -> float | None:
    """A number of at most a year of seconds, or None."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value <= 31_536_000_000 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who was asked, in the operator's own terms."""

    where: str
    """The address without credentials."""
    model: str
    key: str = "OPENAI_API_KEY"
    """The variable that holds the key."""


def as_model_error(error: APIError, asked: Asked, *, redact: Callable[[str], str]) -> ModelError:
    """The failure by who must react, in one sentence without secrets."""
    where = asked.where
    if isinstance(error, APIStatusError):
        return of_status(error, asked, said=server_words(error, redact))
    if isinstance(error, APITimeoutError):
        return ModelUnavailable("model_silent", f"The model at {where} fell silent (timeouts.model_silence).")
    if not isinstance(error, APIConnectionError):
        return ModelUnavailable("model_failing", f"The model at {where} broke off with an error.")
    return ModelUnavailable("model_unreachable", f"The model at {where} cannot be reached; check OPENAI_BASE_URL.")


def is_too_long(error: APIStatusError) -> bool:
    """Whether the service says that the messages are longer than the model can read."""
    words = f"{error.code} {error.message}".lower()
    return error.status_code == TOO_MANY_BYTES or any(word in words for word in CONTEXT_WORDS)


def of_status(error: APIStatusError, asked: Asked, *, said: str) -> ModelError:
    """The failure that a status code stands for."""
    status, where, model = error.status_code, asked.where, asked.model
    if isinstance(error, RateLimitError) and error.code not in QUOTA_CODES:
        sentence = f"The model at {where} takes no more requests for now (429){said}"
        return ModelUnavailable("model_busy", sentence, retry_after=asked_pause(error))
    if status >= 500:
        return ModelUnavailable("model_failing", f"The model at {where} fails ({status}){said}")
    if status in {401, 403}:
        return ModelRejected("model_auth", f"The model at {where} refuses the key in {asked.key} ({status}){said}")
    if status == 429:
        return ModelRejected("model_quota", f"The account behind {asked.key} has no credit left{said}")
    if status == 404:
        sentence = f"{where} knows no model {model!r} (404); check OPENAI_MODEL and OPENAI_BASE_URL{said}"
        return ModelRejected("model_unknown", sentence)
    if is_too_long(error):
        return ContextTooLong("model_context", f"The conversation is longer than the model can read{said}")
    return ModelRejected("model_rejected", f"The model at {where} refused the request ({status}){said}")


def server_words(error: APIStatusError, redact: Callable[[str], str]) -> str:
    """What the server said, bounded and without secrets, ready to end a sentence; a web page is not quoted."""
    body: object = error.body
    message: object = cast("dict[str, object]", body).get("message") if isinstance(body, dict) else body
    if not isinstance(message, str) or message.lstrip().startswith("<"):
        return "."
    text = " ".join(visible(redact(message)).split())
    return f": {text[:SAID_CHARS].rstrip('.')}." if text else "."
