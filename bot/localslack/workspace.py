"""The state of one look-alike: every part, put together once and handed to whoever acts on it."""

from dataclasses import dataclass, field, fields
from pathlib import Path

from bot.localslack.background import Background
from bot.localslack.calls import CallRecord, Faults
from bot.localslack.directory import Directory
from bot.localslack.feed import Feed
from bot.localslack.files import FileShelf
from bot.localslack.messages import MessageLog
from bot.localslack.outbox import Outbox
from bot.localslack.rates import Rates
from bot.localslack.scene import Scene, Settings
from bot.localslack.sessions import Sessions
from bot.localslack.store import Store
from bot.localslack.streams import Streams
from bot.localslack.tickets import Tickets
from bot.localslack.values import JsonObject
from bot.localslack.viewstack import ViewStacks


@dataclass(slots=True, kw_only=True)
class Workspace:
    """All parts of the look-alike. `base_url` is where it listens, without a trailing slash."""

    scene: Scene
    settings: Settings
    store: Store
    directory: Directory
    log: MessageLog
    feed: Feed
    outbox: Outbox
    shelf: FileShelf
    views: ViewStacks
    streams: Streams
    sessions: Sessions
    tickets: Tickets
    calls: CallRecord = field(default_factory=CallRecord)
    faults: Faults = field(default_factory=Faults)
    rates: Rates = field(default_factory=Rates)
    ephemerals: dict[tuple[str, str], list[JsonObject]] = field(default_factory=dict[tuple[str, str], list[JsonObject]])
    socket_tickets: set[str] = field(default_factory=set[str])
    reads: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    background: Background = field(default_factory=Background)
    base_url: str = ""

    def apply(self, settings: Settings) -> None:
        """Change how strictly and how fast the look-alike behaves."""
        self.settings = settings
        self.outbox.redelivery_seconds = settings.redelivery_seconds
        self.outbox.ack_seconds = settings.ack_seconds
        self.rates = Rates()

    def reset(self, scene: Scene) -> None:
        """Start over with a scene: nothing is remembered, every socket and page is closed."""
        self.outbox.close()
        self.feed.close_all()
        self.store.wipe()
        fresh = assemble(scene, self.store)
        for part in fields(self):
            if part.name not in {"store", "background", "base_url"}:
                setattr(self, part.name, getattr(fresh, part.name))


def assemble(scene: Scene, store: Store) -> Workspace:
    """The parts of a workspace, with what the store remembers."""
    workspace = Workspace(
        scene=scene,
        settings=scene.settings,
        store=store,
        directory=Directory(scene, store),
        log=MessageLog(store),
        feed=Feed(),
        outbox=Outbox(store),
        shelf=FileShelf(store),
        views=ViewStacks(store),
        streams=Streams(store),
        sessions=Sessions(store),
        tickets=Tickets(),
    )
    workspace.apply(scene.settings)
    return workspace


def open_workspace(scene: Scene, directory: Path) -> Workspace:
    """The workspace of a scene with everything an earlier process left in the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    return assemble(scene, Store(directory))
