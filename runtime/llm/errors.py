"""What can go wrong with a model, by who must react. Texts are safe to show: redacted and bounded.

ModelError
  ModelUnavailable    the runtime: later may work; the person is told it did not work now
  ModelRejected       the operator: the service refuses this request or these credentials, and always will
    ContextTooLong    the runtime: show the model less
    ImagesRefused     the runtime: tell the model in words what the images show
  ModelUnusable       the operator: what answers is not a model, or answers nothing usable
"""

from datetime import timedelta

from runtime.session.events import Usage


class ModelError(Exception):
    """Base: a code that names the kind, and a sentence for people."""

    usage: Usage = Usage()
    """What it is known or taken to have cost all the same."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        """`model_unreachable`, `model_silent`, `model_slow`, `model_busy`, `model_failing`, `model_auth`,
        `model_quota`, `model_unknown`, `model_rejected`, `model_context` or `model_unusable`."""

    @property
    def detail(self) -> str:
        """For the journal: the code, then the sentence."""
        return f"{self.code}: {self}"


class ModelUnavailable(ModelError):
    """No answer within the tries and the time allowed; the same request may succeed later."""

    def __init__(self, code: str, sentence: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(code, sentence)
        self.retry_after = retry_after
        """What the service asked to wait, where it said so."""


class ModelRejected(ModelError):
    """The service said no; it was not asked again."""


class ContextTooLong(ModelRejected):
    """The messages do not fit into what the model can read."""


class ImagesRefused(ModelRejected):
    """The model takes no images."""


class ModelUnusable(ModelError):
    """An answer came that cannot be used."""

    def __init__(self, sentence: str, *, usage: Usage | None = None) -> None:
        super().__init__("model_unusable", sentence)
        self.usage = usage or Usage()
