"""How fast Slack is spoken to, counted in Redis for all replicas together; on its own while Redis is away.

Above: every call of the Web API. Below: one small script a bucket. A late or lost count costs at most a 429, which
`hold` turns into a pause for everybody.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

from redis.exceptions import RedisError

from bot.delivery.rates import SECOND, Rate, buckets
from runtime.store.connection import Clients, cancellable
from runtime.store.scripts import Script, number

FOREVER: Final = -1
NAMES: Final = ("take", "hold", "look")


def load_script(name: str) -> Script:
    """One of the scripts beside this module."""
    source = (files("bot.delivery") / "lua" / f"{name}.lua").read_text("utf-8")
    return Script(name, source, "")


@dataclass(slots=True, kw_only=True)
class SharedPace:
    """The buckets of one workspace."""

    clients: Clients
    base: str
    """Beginning of every key: namespace and workspace."""
    clock: Callable[[], float]
    """Monotonic seconds, for the time without Redis."""
    speed: float = 1.0
    """How many times faster than Slack's limits; only for a look-alike that was sped up as well."""
    scripts: dict[str, Script] = field(default_factory=lambda: {name: load_script(name) for name in NAMES})
    alone: dict[str, float] = field(default_factory=dict[str, float])
    """Bucket -> when it is full again, by our own clock."""

    async def take(self, method: str, channel: str = "", *, longest: float = FOREVER) -> bool:
        """Wait for a call's turn.

        Args:
            method: Slack's own name of it.
            channel: where it posts.
            longest: seconds the caller would wait; negative means as long as it takes.

        Returns:
            False when it would take longer; then the call is not to be made.
        """
        wait = 0.0
        for name, rate in buckets(method, channel):
            turn = await self.turn(name, rate, longest)
            if turn < 0:
                return False
            wait = max(wait, turn)
        if wait > 0:
            await asyncio.sleep(wait)
        return True

    async def room(self, method: str, channel: str = "", *, keep: int = 0) -> float:
        """Seconds until a call could be made that leaves `keep` others for what matters more; 0 when it could now."""
        wait = 0.0
        for name, usual in buckets(method, channel):
            rate = self.scaled(usual)
            burst = max(1, rate.burst - keep)
            reply = await self.run("look", name, interval_us=rate.interval_us, burst=burst)
            interval = rate.interval_us / SECOND
            alone = self.alone.get(name, 0.0) - (burst - 1) * interval - self.clock()
            wait = max(wait, alone if reply is None else reply / SECOND)
        return wait

    async def hold(self, method: str, channel: str, seconds: float) -> None:
        """Slack refused a call and said for how long: everybody pauses."""
        for name, usual in buckets(method, channel):
            rate = self.scaled(usual)
            pause = round(seconds * SECOND)
            full_at = self.clock() + seconds + (rate.burst - 1) * rate.interval_us / SECOND
            self.alone[name] = max(self.alone.get(name, 0.0), full_at)
            await self.run("hold", name, interval_us=rate.interval_us, burst=rate.burst, pause_us=pause)

    async def turn(self, name: str, usual: Rate, longest: float) -> float:
        """Seconds until the bucket's next slot, which is then ours; negative when that is too long."""
        rate = self.scaled(usual)
        most = FOREVER if longest < 0 else round(longest * SECOND)
        reply = await self.run("take", name, interval_us=rate.interval_us, burst=rate.burst, longest_us=most)
        return reply / SECOND if reply is not None else self.turn_alone(name, rate, longest)

    def turn_alone(self, name: str, rate: Rate, longest: float) -> float:
        """The same sum, for this process only."""
        now, interval = self.clock(), rate.interval_us / SECOND
        full_at = max(now, self.alone.get(name, 0.0))
        wait = max(0.0, full_at - (rate.burst - 1) * interval - now)
        if 0 <= longest < wait:
            return -wait
        self.alone[name] = full_at + interval
        return wait

    def scaled(self, rate: Rate) -> Rate:
        """The rate at this speed."""
        if self.speed == 1:
            return rate
        return Rate(interval_us=max(1, round(rate.interval_us / self.speed)), burst=rate.burst)

    async def run(self, script: str, name: str, **args: int) -> int | None:
        """One script; None while Redis is away."""
        try:
            with cancellable():
                reply = await self.scripts[script](
                    self.clients.commands, keys={"bucket": f"{self.base}:{name}"}, args=args
                )
            return number(reply)
        except (RedisError, OSError):
            return None
