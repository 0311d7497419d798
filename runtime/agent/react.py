"""Reason, then act: what a step does follows from the folded state alone."""

from abc import abstractmethod

from runtime.agent.base import BaseAgent


class ReActAgent(BaseAgent):
    """Calls without a result are acted on first; else the model is asked what to do."""

    async def step(self) -> None:
        """Act or think."""
        if self.current.unresolved:
            await self.act()
        else:
            await self.think()

    @abstractmethod
    async def think(self) -> None:
        """Decide what to do next."""

    @abstractmethod
    async def act(self) -> None:
        """Do what was decided, as far as it may be done now."""
