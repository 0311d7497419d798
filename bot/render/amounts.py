"""Numbers as people read them: durations, tokens, money, sizes."""

from datetime import timedelta


def duration(milliseconds: int) -> str:
    """Milliseconds as "1m 42s", "8s" or "2h 05m"."""
    seconds = max(0, round(milliseconds / 1000))
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    if hours:
        return f"{hours}h {minutes:02}m"
    return f"{minutes}m {seconds:02}s" if minutes else f"{seconds}s"


def span(delta: timedelta) -> str:
    """A wait as people say it, to the nearest unit that matters: "30m", "24h", "3 days"."""
    minutes = round(delta.total_seconds() / 60)
    if minutes < 1:
        return f"{max(0, round(delta.total_seconds()))}s"
    if minutes < 120:
        return f"{minutes}m"
    hours = round(minutes / 60)
    return f"{hours}h" if hours < 48 else f"{round(hours / 24)} days"


def money(micros: int) -> str:
    """Micro-dollars as dollars and cents; a fraction of a cent is said to be one."""
    if 0 < micros < 10_000:
        return "<$0.01"
    return f"${micros / 1_000_000:,.2f}"


def tokens(count: int) -> str:
    """A count as "940 tokens", "18.2k tokens" or "2.1M tokens"."""
    if count < 1_000:
        return f"{count} tokens"
    return f"{count / 1_000:.1f}k tokens" if count < 999_950 else f"{count / 1_000_000:.1f}M tokens"


def size(count: int) -> str:
    """Bytes in the unit that reads best."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 step", "4 steps"."""
    return f"{count} {one if count == 1 else many or one + 's'}"
