"""What one Slack message holds: blocks, the text beside them, and a digest that tells two contents apart."""

import hashlib
import json
from dataclasses import dataclass

from bot.render.limits import Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A message's content. `text` is for notifications and screen readers."""

    text: str
    blocks: tuple[Block, ...]

    @property
    def digest(self) -> str:
        """Equal contents have equal digests."""
        body = json.dumps([self.text, self.blocks], ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(body.encode()).hexdigest()[:16]
