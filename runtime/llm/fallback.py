"""A `ChatModel` made of several: the first that can answers. Which one answered stands in the reply."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from runtime.llm.errors import ContextTooLong, ImagesRefused, ModelError
from runtime.llm.port import ChatModel, ModelReply, ModelRequest, Traits
from runtime.session.usage import Usage, added

logger = logging.getLogger(__name__)


class FallbackModel:
    """Implements `ChatModel`. What is too long or has images is the caller's to change, so it is not passed on."""

    def __init__(self, models: Sequence[ChatModel]) -> None:
        """Take the models in the order they are asked.

        Raises:
            ValueError: there is none.
        """
        if not models:
            raise ValueError("a fallback needs at least one model")
        self.models = tuple(models)

    @property
    def name(self) -> str:
        """The first model's name."""
        return self.models[0].name

    @property
    def traits(self) -> Traits:
        """The first model's."""
        return self.models[0].traits

    async def aclose(self) -> None:
        """Close every connection."""
        for model in self.models:
            await model.aclose()

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Ask one after the other; what those cost that did not answer is added.

        Raises:
            ModelError: none of them answered; the first one's failure, since the others only stood in for it.
        """
        first: ModelError | None = None
        lost = Usage()
        for model in self.models:
            try:
                reply = await model.reply(request)
            except (ContextTooLong, ImagesRefused) as error:
                error.usage = added(lost, error.usage)
                raise
            except ModelError as error:
                first = first or error
                lost = added(lost, error.usage)
                logger.warning("no reply from %s, the next one is asked: %s", model.name, error)
            else:
                return replace(reply, model=reply.model or model.name, usage=added(lost, reply.usage))
        assert first is not None
        first.usage = lost
        raise first
