"""How often Slack takes each method: its tiers as token buckets, a little below what it allows.

Source: Slack's rate limit page and method pages as of 2026-11: tier 1 to 4 are 1, 20, 50 and 100 calls a minute per
method, workspace and app; a message a second per channel.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

SECOND: Final = 1_000_000
"""Microseconds."""
SLOWER: Final = 1.1
"""Our refill is slower by this factor, since our clock and the time a request takes are not Slack's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A bucket: `burst` calls at once, then one every `interval_us` microseconds."""

    interval_us: int
    burst: int


def per_minute(calls: int, burst: int = 0) -> Rate:
    """A tier. The burst stays two calls short of what Slack takes at once, unless said otherwise."""
    return Rate(interval_us=round(60 * SECOND / calls * SLOWER), burst=burst or max(1, calls - 2))


TIER_2: Final = per_minute(20)
TIER_3: Final = per_minute(50)
TIER_4: Final = per_minute(100)
POSTS: Final = Rate(interval_us=round(SECOND * SLOWER), burst=3)
"""New messages in one channel."""

POSTING: Final = frozenset({"chat.postMessage", "files.completeUploadExternal", "chat.startStream"})
"""What makes a new message for everybody in a channel."""
RATES: Final = MappingProxyType(
    {
        "agents.sessions.rename": TIER_3,
        "agents.sessions.setStatus": TIER_3,
        "assistant.threads.setStatus": TIER_3,
        "assistant.threads.setSuggestedPrompts": TIER_4,
        "chat.appendStream": TIER_4,
        "chat.delete": TIER_3,
        "chat.postEphemeral": TIER_4,
        "chat.startStream": TIER_2,
        "chat.stopStream": TIER_2,
        "chat.update": TIER_3,
        "conversations.history": TIER_3,
        "conversations.info": TIER_3,
        "conversations.members": TIER_4,
        "conversations.open": TIER_3,
        "conversations.replies": TIER_3,
        "files.completeUploadExternal": TIER_4,
        "files.getUploadURLExternal": TIER_4,
        "files.info": TIER_4,
        # The first sign of life: fifty at once have to be possible.
        "reactions.add": per_minute(50, burst=50),
        "reactions.remove": TIER_2,
        "usergroups.list": TIER_2,
        "users.info": TIER_4,
        "views.publish": TIER_4,
    }
)
"""Methods without an entry are not paced: `views.open` has a trigger that lives three seconds."""


def buckets(method: str, channel: str) -> tuple[tuple[str, Rate], ...]:
    """The buckets that a call takes from, by name."""
    taken = [(method, RATES[method])] if method in RATES else []
    if method in POSTING and channel:
        taken.append((f"post:{channel}", POSTS))
    return tuple(taken)
