"""Keeps a server that fails again and again from costing every call its patience."""

from collections.abc import Callable
from datetime import timedelta

FAILURES = 3
"""So many in a row open it."""
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=10)


class Breaker:
    """Closed: calls go through. Open: they are refused at once until the pause is over; then one may try again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Use a clock that gives seconds and never goes back."""
        self.clock = clock
        self.failures = 0
        self.open_until = 0.0

    @property
    def wait(self) -> timedelta:
        """How long it stays open; zero while it is closed."""
        return timedelta(seconds=max(0.0, self.open_until - self.clock()))

    @property
    def is_open(self) -> bool:
        """Whether calls are refused now."""
        return self.clock() < self.open_until

    def failed(self) -> None:
        """Count a failure; each one after the limit doubles the pause."""
        self.failures += 1
        if self.failures >= FAILURES:
            pause = min(FIRST_PAUSE * 2 ** min(self.failures - FAILURES, 10), LONGEST_PAUSE)
            self.open_until = self.clock() + pause.total_seconds()

    def succeeded(self) -> None:
        """Forget the failures."""
        self.failures = 0
        self.open_until = 0.0
