"""Deliveries to the app: each payload to exactly one connection, events again until acknowledged, clicks once.

Above: the code that makes events and interactive payloads. Below: connections, each a queue that a socket
(`socket_mode`) or a pushing task (`events_http`) empties.
"""

import asyncio
import uuid
from dataclasses import dataclass, field
from typing import Literal

from bot.localslack import limits
from bot.localslack.store import Store
from bot.localslack.values import JsonObject, as_object, as_text

Kind = Literal["events_api", "interactive", "slash_commands"]
State = Literal["queued", "sent", "acked", "failed"]
KEPT = 10_000


class Undelivered(Exception):
    """An interactive payload did not reach the app, or the app did not answer in time; a person sees a warning."""


@dataclass(slots=True, kw_only=True, eq=False)
class Connection:
    """One way to the app. None in the queue ends it."""

    name: str
    queue: asyncio.Queue[JsonObject | None] = field(default_factory=asyncio.Queue[JsonObject | None])
    hushed: bool = False
    """It stays open, but nothing is said on it any more, not even to a ping."""


@dataclass(slots=True, kw_only=True, eq=False)
class Delivery:
    """One payload on its way. `attempt` counts from 0, as `retry_attempt` does on the wire."""

    number: int
    kind: Kind
    payload: JsonObject
    accepts_response: bool = False
    attempt: int = 0
    reason: str = ""
    state: State = "queued"
    envelope_id: str = ""
    connection: Connection | None = None
    answer: asyncio.Future[JsonObject] | None = None

    def envelope(self) -> JsonObject:
        """The envelope of Socket Mode; only events carry retry fields."""
        retry = {"retry_attempt": self.attempt, "retry_reason": self.reason} if self.kind == "events_api" else {}
        return {
            "envelope_id": self.envelope_id,
            "payload": self.payload,
            "type": self.kind,
            "accepts_response_payload": self.accepts_response,
            **retry,
        }


class Outbox:
    """All deliveries and connections. Events that were never acknowledged are kept over a restart."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.redelivery_seconds = limits.REDELIVERY_SECONDS
        self.ack_seconds = limits.ACK_SECONDS
        self.connections: list[Connection] = []
        self.deliveries: list[Delivery] = []
        self.by_envelope: dict[str, Delivery] = {}
        self.waiting: list[Delivery] = []
        self.open: set[Delivery] = set()
        self.timers: dict[Delivery, asyncio.TimerHandle] = {}
        self.settled = asyncio.Event()
        self.turn = 0
        self.count = 0
        for key, body in store.all("delivery"):
            store.drop("delivery", key)
            self.deliver_event(as_object(body["payload"]))

    def connect(self, connection: Connection) -> None:
        """A new way to the app: what waited goes out."""
        self.connections.append(connection)
        self._pump()

    def disconnect(self, connection: Connection) -> None:
        """A way to the app is gone: events it had not acknowledged are delivered again, clicks fail."""
        if connection in self.connections:
            self.connections.remove(connection)
        for delivery in [item for item in self.open if item.connection is connection and item.state == "sent"]:
            self._retry(delivery, "connection_failed")

    def deliver_event(self, payload: JsonObject) -> Delivery:
        """Deliver an event now, or when a connection opens."""
        delivery = self._new("events_api", payload)
        self.store.put("delivery", f"{delivery.number:09d}", {"payload": payload})
        self.waiting.append(delivery)
        self._pump()
        return delivery

    async def ask(self, kind: Kind, payload: JsonObject, *, accepts_response: bool = True) -> JsonObject:
        """Deliver an interactive payload once and wait for its acknowledgement.

        Returns the acknowledgement's payload (empty when it has none). Raises Undelivered.
        """
        delivery = self._new(kind, payload)
        delivery.accepts_response = accepts_response
        delivery.answer = asyncio.get_running_loop().create_future()
        try:
            if not self.connections:
                raise Undelivered("no_connection")
            self._send(delivery)
            async with asyncio.timeout(self.ack_seconds):
                return await delivery.answer
        except TimeoutError:
            raise Undelivered("no_acknowledgement") from None
        finally:
            if delivery in self.open:
                self._settle(delivery, "failed")

    def acknowledge(self, envelope_id: str, payload: object) -> None:
        """The app acknowledged an envelope; late and repeated acknowledgements are ignored."""
        delivery = self.by_envelope.get(envelope_id)
        if delivery is None or delivery not in self.open:
            return
        if delivery in self.waiting:
            self.waiting.remove(delivery)
        if delivery.answer is not None and not delivery.answer.done():
            delivery.answer.set_result(as_object(payload))
        self._settle(delivery, "acked")

    def refuse(self, envelope_id: str, *, final: bool) -> None:
        """The app answered with an error: clicks fail at once, events come again later unless that is final."""
        delivery = self.by_envelope.get(envelope_id)
        if delivery is None or delivery not in self.open:
            return
        if delivery.kind != "events_api":
            self._retry(delivery, "refused")
        elif final:
            self._settle(delivery, "failed")

    async def idle(self, seconds: float) -> bool:
        """Wait until nothing is queued or un-acknowledged; tells whether that happened in time."""
        try:
            async with asyncio.timeout(seconds):
                while self.open:
                    self.settled.clear()
                    await self.settled.wait()
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        """Stop all timers and tell every connection to end."""
        for timer in self.timers.values():
            timer.cancel()
        for connection in list(self.connections):
            connection.queue.put_nowait(None)

    def _new(self, kind: Kind, payload: JsonObject) -> Delivery:
        self.count += 1
        delivery = Delivery(number=self.count, kind=kind, payload=payload)
        self.deliveries.append(delivery)
        self.open.add(delivery)
        if len(self.deliveries) > KEPT:
            forgotten = self.deliveries.pop(0)
            self.by_envelope.pop(forgotten.envelope_id, None)
        return delivery

    def _pump(self) -> None:
        while self.waiting and self.connections:
            delivery = self.waiting.pop(0)
            self._send(delivery)
            loop = asyncio.get_running_loop()
            self.timers[delivery] = loop.call_later(self.redelivery_seconds, self._overdue, delivery)

    def _send(self, delivery: Delivery) -> None:
        self.turn += 1
        delivery.connection = self.connections[self.turn % len(self.connections)]
        # Each attempt travels in an envelope of its own; an acknowledgement of an earlier one still counts.
        delivery.envelope_id = str(uuid.uuid4())
        self.by_envelope[delivery.envelope_id] = delivery
        delivery.state = "sent"
        delivery.connection.queue.put_nowait(delivery.envelope())

    def _overdue(self, delivery: Delivery) -> None:
        if delivery in self.open and delivery.state == "sent":
            self._retry(delivery, "timeout")

    def _retry(self, delivery: Delivery, reason: str) -> None:
        self._stop_timer(delivery)
        if delivery.answer is not None:
            if not delivery.answer.done():
                delivery.answer.set_exception(Undelivered(reason))
            return
        if delivery.attempt >= limits.EVENT_RETRIES:
            self._settle(delivery, "failed")
            return
        delivery.attempt += 1
        delivery.reason = reason
        delivery.state = "queued"
        self.waiting.append(delivery)
        self._pump()

    def _settle(self, delivery: Delivery, state: State) -> None:
        self._stop_timer(delivery)
        delivery.state = state
        self.open.discard(delivery)
        if delivery.kind == "events_api":
            self.store.drop("delivery", f"{delivery.number:09d}")
        self.settled.set()

    def _stop_timer(self, delivery: Delivery) -> None:
        timer = self.timers.pop(delivery, None)
        if timer is not None:
            timer.cancel()


def describe(delivery: Delivery) -> JsonObject:
    """A delivery as the test API lists it."""
    payload = delivery.payload
    return {
        "n": delivery.number,
        "kind": delivery.kind,
        "type": as_text(payload.get("type")),
        "event_type": as_text(as_object(payload.get("event")).get("type")),
        "event_id": as_text(payload.get("event_id")),
        "envelope_id": delivery.envelope_id,
        "attempt": delivery.attempt,
        "reason": delivery.reason,
        "state": delivery.state,
        "acked": delivery.state == "acked",
        "connection": delivery.connection.name if delivery.connection else None,
        "payload": payload,
    }
