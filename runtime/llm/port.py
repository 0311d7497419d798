"""The boundary to a language model.

Above: `runtime.agent`, which hands over messages as the bytes they are kept as, and journals the reply.
Below: `runtime.llm.openai_model.OpenAIModel` on any server that speaks OpenAI's Chat Completions.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, Protocol

from runtime.llm.images import ModelImage
from runtime.llm.tokens import TOKENS_PER_MESSAGE, estimated_messages, estimated_once
from runtime.session.events import Usage

ToolChoice = Literal["auto", "required", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request. Everything long is serialised JSON already and goes out as it is."""

    system: str
    messages: tuple[str, ...]
    tools: str = ""
    """A JSON list of tools; empty for none."""
    tool_choice: ToolChoice = "auto"
    step_id: str
    """Unique in the session; ids are made from it where the model's own are missing or used."""
    used_ids: AbstractSet[str] = frozenset()
    """Call ids that the history holds already."""
    counted: int = 0
    """Tokens of the messages where they were counted already; 0: not yet."""
    images: tuple[ModelImage, ...] = ()
    """Shown behind the messages, in this request only."""
    schema: str = ""
    """The JSON schema of the answer, serialised, for servers that hold the model to one; empty: words are wanted."""

    @property
    def tokens(self) -> int:
        """What reading it costs, estimated on the safe side; images by their size in pixels, not in bytes."""
        messages = self.counted or estimated_messages(self.messages)
        words = messages + estimated_once(self.system) + TOKENS_PER_MESSAGE + estimated_once(self.tools)
        return words + estimated_once(self.schema) + sum(image.tokens for image in self.images)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What a request holds beside its messages."""

    system: str
    tools: str
    """Their schemas, serialised."""
    tool_choice: ToolChoice
    images: tuple[ModelImage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawCall:
    """A call as the model wrote it."""

    id: str
    """Present and unique, made up where the model left it out."""
    name: str
    arguments: str
    """Usually a JSON object; whatever it is, it was not judged yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One answer."""

    text: str
    message: str
    """The assistant message as serialised JSON, fit to be sent again."""
    calls: tuple[RawCall, ...] = ()
    usage: Usage
    finish_reason: str = "stop"
    model: str = ""
    """Which model answered, where it may be another than the one that was asked first."""
    profile: str = ""
    """The profile whose prices hold for it; empty: of whom was asked."""
    said: str = ""
    """The text with the white space around it, which counts where a text that was cut off goes on."""

    @property
    def is_cut_off(self) -> bool:
        """True when the output limit ended it."""
        return self.finish_reason == "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the runtime has to know of a model before it asks."""

    profile: str = "main"
    context_window: int = 128_000
    """Tokens that it reads at once."""
    takes_images: bool | None = None
    """None: not known yet; the first request with an image tells."""


class ChatModel(Protocol):
    """Answers one request."""

    @property
    def traits(self) -> Traits:
        """What is known of it by now."""
        ...

    @property
    def name(self) -> str:
        """The model's name as configured."""
        ...

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Ask once, with the retries that can help. Cancelling closes the connection.

        Raises:
            ModelError: one of its subclasses.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
