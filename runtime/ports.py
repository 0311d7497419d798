"""What the runtime needs from the outside and declares here, so that `bot` implements it, never the other way round."""

from typing import Protocol

from runtime.session.entries import AnyEntry
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from tools.workspace import Workspace


class View(Protocol):
    """One session as it is shown, for the time of one lease.

    Whatever it creates it journals through the session's writer: intent (`PostStarted`), then `PostDone`.
    """

    async def follow(self) -> None:
        """Keep what is shown close to the journal until cancelled: wait on `session.changed()`, then show."""
        ...

    async def settle(self) -> bool:
        """Bring what is shown to the journal's end, final texts included.

        Returns:
            False when that was not possible now (rate limit, outage); the engine comes back later.
        """
        ...


class Conversation(Protocol):
    """The place where sessions are seen and heard.

    Above: the journal, which says what has happened. Below: Slack, or a terminal.
    Implementations: `bot.delivery.conversation.SlackConversation`, `bot.terminal.conversation.TerminalConversation`.
    """

    def view(self, session: SessionWriter, workspace: Workspace) -> View:
        """The view of one session."""
        ...

    async def enrich(self, entry: AnyEntry, state: SessionState, workspace: Workspace) -> AnyEntry:
        """Add what only the outside knows: a speaker's name, earlier messages, files, user groups of who decides.

        Never raises for a part that cannot be had: it stays absent or carries its problem in words.
        """
        ...
