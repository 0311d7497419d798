"""All installed workspaces as the runtime's one `Conversation`."""

from dataclasses import dataclass

from bot.oauth.surroundings import TenantDirectory, TenantOperators, TenantReading
from bot.oauth.tenants import Tenants
from runtime.ports import View
from runtime.session.entries import AnyEntry
from runtime.session.ids import SessionKey
from runtime.session.state import SessionState
from runtime.session.writer import SessionWriter
from tools.workspace import Workspace


@dataclass(slots=True, kw_only=True)
class TenantView:
    """One session's thread, in whichever workspace it is."""

    tenants: Tenants
    session: SessionWriter
    workspace: Workspace
    view: View | None = None

    async def opened(self) -> View | None:
        """The view of its workspace; None where nobody can be spoken to any more."""
        if self.view is None:
            side = await self.tenants.side(SessionKey.parse(self.session.session_id).team)
            self.view = side.conversation.view(self.session, self.workspace) if side is not None else None
        return self.view

    async def follow(self) -> None:
        """As the workspace's own view does."""
        view = await self.opened()
        if view is not None:
            await view.follow()

    async def settle(self) -> bool:
        """The same; a workspace that is gone is not waited for."""
        view = await self.opened()
        return await view.settle() if view is not None else True


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantConversation:
    """The port's implementation for several workspaces."""

    tenants: Tenants
    operators: TenantOperators

    def directory_of(self, session_id: str) -> TenantDirectory:
        """The user groups of a session's workspace."""
        return TenantDirectory(tenants=self.tenants, session_id=session_id)

    def reading(self, session_id: str, person: str) -> TenantReading:
        """What a person may read of a session's workspace."""
        return TenantReading(tenants=self.tenants, session_id=session_id, person=person)

    def view(self, session: SessionWriter, workspace: Workspace) -> TenantView:
        """The view of one session."""
        return TenantView(tenants=self.tenants, session=session, workspace=workspace)

    async def enrich(self, entry: AnyEntry, state: SessionState, workspace: Workspace) -> AnyEntry:
        """What the workspace's own side adds."""
        side = await self.tenants.side(SessionKey.parse(state.session_id).team)
        return await side.conversation.enrich(entry, state, workspace) if side is not None else entry
