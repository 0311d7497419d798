"""The two ways to end a whole tree of processes."""

import json
import os
import select
import signal
from contextlib import suppress

from tools.sandbox.egress import Gate


class SupervisorLeash:
    """The launcher stays behind as a supervisor and ends everything when its end of a pipe closes.

    The pipe also closes when this process dies, however it dies.
    """

    def __init__(self) -> None:
        self.theirs, self.ours = os.pipe()

    @property
    def passed(self) -> tuple[int, ...]:
        """The supervisor watches its end."""
        return (self.theirs,)

    def started(self) -> None:
        """Keep only our end."""
        self.theirs = closed(self.theirs)

    def kill(self, pid: int) -> None:
        """Close our end; the supervisor `pid` does the rest."""
        self.ours = closed(self.ours)

    def close(self) -> None:
        """Close both ends."""
        self.theirs, self.ours = closed(self.theirs), closed(self.ours)


class NamespaceLeash:
    """Bubblewrap names the first process of its pid namespace; the kernel ends the namespace with it."""

    def __init__(self, gate: Gate | None = None) -> None:
        """With a gate, its descriptor goes along."""
        self.ours, self.theirs = os.pipe()
        self.gate = gate

    @property
    def passed(self) -> tuple[int, ...]:
        """Where bubblewrap writes what `--info-fd` promises."""
        return (self.theirs,) if self.gate is None else (self.theirs, self.gate.passed)

    def started(self) -> None:
        """Keep only our end."""
        self.theirs = closed(self.theirs)
        if self.gate is not None:
            self.gate.started()

    def kill(self, pid: int) -> None:
        """Kill the first process inside; bubblewrap (`pid`) waits until all are gone. Without a name, kill `pid`."""
        first = self.first_process()
        with suppress(ProcessLookupError):
            os.kill(first or pid, signal.SIGKILL)

    def first_process(self) -> int:
        """Its pid on the host, or 0 when bubblewrap has not come that far."""
        if self.ours < 0 or not select.select([self.ours], [], [], 0)[0]:
            return 0
        try:
            return int(json.loads(os.read(self.ours, 4096))["child-pid"])
        except (ValueError, KeyError, TypeError):
            return 0

    def close(self) -> None:
        """Close both ends."""
        self.theirs, self.ours = closed(self.theirs), closed(self.ours)


def closed(descriptor: int) -> int:
    """Close a descriptor that may be closed already; the value that stands for closed."""
    if descriptor >= 0:
        os.close(descriptor)
    return -1
