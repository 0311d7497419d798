"""What about the Redis server would lose data, said when a process starts."""

import sys

from runtime.store.checks import warnings
from runtime.store.redis_store import SessionStore


async def say_warnings(store: SessionStore) -> None:
    """One line each on standard error.

    Raises:
        StoreUnavailable: the server does not answer.
    """
    for warning in await warnings(store):
        print(f"handrail: warning: {warning}", file=sys.stderr, flush=True)
