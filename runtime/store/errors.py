"""What can go wrong between the runtime and its store.

StoreError
├── StoreUnavailable    the operator: the server cannot be used; the message names `REDIS_URL` and the fix
│   └── OutcomeUnknown  the caller: the reply was lost; reload the journal before deciding anything
├── LeaseLost           the runner: stop at once, another one may already run
├── JournalConflict     the runner: the journal is not where it was thought to be; reload
└── StoreMismatch       the operator: the data belongs to a differently configured bot
"""


class StoreError(Exception):
    """Root of the store's errors."""


class StoreUnavailable(StoreError):
    """The server refused or could not be reached; nothing was changed unless this is an `OutcomeUnknown`."""


class OutcomeUnknown(StoreUnavailable):
    """The request was sent and no reply came: it may or may not have happened."""


class LeaseLost(StoreError):
    """The lease was taken over or ended; nothing was changed."""

    def __init__(self, sid: str, token: int) -> None:
        super().__init__(f"the lease {token} of session {sid} is no longer held")
        self.sid = sid
        self.token = token


class JournalConflict(StoreError):
    """The journal stands elsewhere than expected, or an entry was consumed before; nothing was changed."""

    def __init__(self, sid: str, expected_seq: int, actual_seq: int) -> None:
        super().__init__(f"session {sid} is at {actual_seq}; the commit expected {expected_seq} and its entries")
        self.sid = sid
        self.expected_seq = expected_seq
        self.actual_seq = actual_seq


class StoreMismatch(StoreError):
    """The server holds data written under another setting that cannot be changed afterwards."""


class EmbeddedUnavailable(StoreError):
    """The private server of a data directory cannot be started or adopted."""
