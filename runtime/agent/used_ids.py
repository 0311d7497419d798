"""The ids of calls that a history holds: a server that gives one again would be refused by the next request."""

import json
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

RESULT = re.compile(r'\{"role":"tool","tool_call_id":("(?:[^"\\]|\\.)*")')


@dataclass(slots=True)
class UsedIds:
    """Collects them from a memory that grows: each message is looked at once, however long the memory is."""

    seen: Sequence[str] = ()
    ids: set[str] = field(default_factory=set[str])

    def of(self, memory: Sequence[str]) -> AbstractSet[str]:
        """The id of every call that has a result in the memory. The set is added to when the memory has grown."""
        known = len(self.seen)
        # A memory that was shortened has other messages in these places; ids that it left out are free again.
        if known and (known > len(memory) or memory[known - 1] != self.seen[-1]):
            known, self.ids = 0, set()
        for index in range(known, len(memory)):
            if found := RESULT.match(memory[index]):
                self.ids.add(json.loads(found[1]))
        self.seen = memory
        return self.ids
