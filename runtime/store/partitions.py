"""The number of partitions: fixed at first start, because a session id names its partition."""

from runtime.store.connection import Clients, translated
from runtime.store.errors import StoreMismatch


async def settle_partitions(clients: Clients, key: str, wanted: int | None, usual: int) -> int:
    """The number of partitions the data was first written with; `wanted` or `usual` if there is none yet.

    Raises:
        StoreMismatch: Another number is wanted.
    """
    with translated(clients.shown_url):
        await clients.commands.set(key, wanted or usual, nx=True)
        stored = int(await clients.commands.get(key) or 0)
    if wanted is not None and stored != wanted:
        raise StoreMismatch(
            f"the data at {clients.shown_url} (REDIS_URL) was written with {stored} partitions and cannot be "
            f"read with {wanted}; set partitions to {stored} or use another database."
        )
    return stored
