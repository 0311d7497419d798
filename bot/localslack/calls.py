"""What was called and what goes wrong on purpose: the record of Web API calls and the injected faults."""

from dataclasses import dataclass
from typing import Literal

from bot.localslack.values import JsonObject, epoch

KEPT = 50_000
FaultKind = Literal["ratelimited", "http_500", "error", "reset", "html", "slow", "reset_after", "http_500_after"]


@dataclass(slots=True, kw_only=True)
class Fault:
    """A fault for the next `times` calls of a method (`*` means every method).

    The kinds ending in `_after` do the work first and then hide the answer, as a broken connection does.
    """

    method: str
    kind: FaultKind
    times: int = 1
    error: str = "internal_error"
    retry_after: float = 1.0
    delay_ms: int = 0


class Faults:
    """The faults waiting for their calls."""

    def __init__(self) -> None:
        self.waiting: list[Fault] = []

    def take(self, method: str) -> Fault | None:
        """The fault for this call, used up by one; None when the call may go well."""
        for fault in self.waiting:
            if fault.method in {method, "*"}:
                fault.times -= 1
                if fault.times <= 0:
                    self.waiting.remove(fault)
                return fault
        return None


class CallRecord:
    """Every Web API call with its arguments and outcome, for tests to look at."""

    def __init__(self) -> None:
        self.calls: list[JsonObject] = []
        self.count = 0

    def add(self, method: str, args: JsonObject) -> JsonObject:
        """Record a call; its outcome is filled in later by `finish`."""
        self.count += 1
        call: JsonObject = {
            "n": self.count,
            "method": method,
            "args": args,
            "ok": None,
            "error": None,
            "at": epoch(),
            "response": None,
        }
        self.calls.append(call)
        if len(self.calls) > KEPT:
            self.calls.pop(0)
        return call

    def since(self, number: int, method: str | None) -> list[JsonObject]:
        """The calls after a number, of one method or of all."""
        return [call for call in self.calls if call["n"] > number and method in {None, call["method"]}]


def finish(call: JsonObject, body: JsonObject) -> None:
    """Note the outcome of a call."""
    call["ok"] = body.get("ok")
    call["error"] = body.get("error")
    call["response"] = body
