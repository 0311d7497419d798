"""What stands in the table of hostile inputs.

The model is assumed to be hostile: tests let a scripted model do what an injected text says, and look at the host.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One kind of input, what is safe, and the tests that show it."""

    input: str
    safe: str
    tests: tuple[str, ...]
