"""How fast messages go out: about one a second and channel with a small burst, and Retry-After obeyed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

RATE = 1.0
"""New messages per second and channel that Slack takes for long (its own figure)."""
BURST = 6.0


@dataclass(slots=True)
class Bucket:
    """Tokens of one channel."""

    tokens: float
    filled_at: float


@dataclass(slots=True)
class Pace:
    """One token bucket per channel. Not shared between processes: a 429 of Slack corrects the sum."""

    clock: Callable[[], float]
    buckets: dict[str, Bucket] = field(default_factory=dict[str, Bucket])

    async def take(self, channel: str) -> None:
        """Wait for the channel's next slot."""
        bucket = self.buckets.setdefault(channel, Bucket(tokens=BURST, filled_at=self.clock()))
        now = self.clock()
        bucket.tokens = min(BURST, bucket.tokens + (now - bucket.filled_at) * RATE)
        bucket.filled_at = now
        bucket.tokens -= 1
        if bucket.tokens < 0:
            await asyncio.sleep(-bucket.tokens / RATE)
