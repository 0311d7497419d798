"""The state of a file as one short text: equal texts mean the same content and the same executable bit."""

import hashlib
from typing import NamedTuple

ABSENT = "absent"
"""The state of a file that does not exist."""


class Content(NamedTuple):
    """What a file holds, and whether it may be executed."""

    data: bytes
    executable: bool = False

    @property
    def state(self) -> str:
        """SHA-256 of the content in hexadecimal, with `+x` for an executable."""
        return hashlib.sha256(self.data).hexdigest() + ("+x" if self.executable else "")
