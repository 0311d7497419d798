"""Slack's rate limits: per method in tiers, and one message a second per channel."""

from dataclasses import dataclass

from bot.localslack import limits


@dataclass(slots=True)
class Bucket:
    """A token bucket: `level` calls are left, refilled up to `size` at `per_second`."""

    size: float
    per_second: float
    level: float
    at: float

    def take(self, now: float) -> float:
        """Take one call. Returns 0 when allowed, else the seconds until one is."""
        self.level = min(self.size, self.level + (now - self.at) * self.per_second)
        self.at = now
        if self.level >= 1:
            self.level -= 1
            return 0.0
        return (1 - self.level) / self.per_second


class Rates:
    """The buckets of one workspace and app."""

    def __init__(self) -> None:
        self.buckets: dict[str, Bucket] = {}

    def method(self, method: str, per_minute: int, now: float) -> float:
        """Seconds to wait before this method may be called again; 0 when it may be called now."""
        return self._take(method, per_minute, per_minute / 60, now)

    def post(self, channel: str, now: float) -> float:
        """The same for posting into one channel."""
        return self._take(f"post:{channel}", limits.POST_BURST, limits.POST_PER_SECOND, now)

    def _take(self, key: str, size: float, per_second: float, now: float) -> float:
        bucket = self.buckets.setdefault(key, Bucket(size, per_second, size, now))
        return bucket.take(now)
