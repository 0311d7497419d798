"""Exact token counts, where the package `tiktoken` is installed and finds its data on this machine.

Neither is a dependency: without them, and for models of other makers, `runtime.llm.tokens` estimates. The package would
fetch missing data from the network, so it is asked only after the file was seen.
"""

import hashlib
import importlib
import importlib.util
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, cast

from runtime.llm.tokens import estimated

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
"""The data's file is named by the SHA-1 of this."""


class Encoding(Protocol):
    """A vocabulary of the package."""

    def encode_ordinary(self, text: str) -> Sequence[int]:
        """The tokens of a text."""
        ...


class Package(Protocol):
    """What is used of `tiktoken`."""

    def encoding_name_for_model(self, model_name: str) -> str:
        """The vocabulary of a model; raises KeyError for one it does not know."""
        ...

    def get_encoding(self, encoding_name: str) -> Encoding:
        """A vocabulary by its name."""
        ...


def counter_of(model: str, folder: Path | None = None) -> Callable[[str], int]:
    """Counts tokens as the model does, where that can be known here; else estimates them.

    Args:
        model: its name.
        folder: `TIKTOKEN_CACHE_DIR`; None: where the package usually keeps its data.
    """
    if importlib.util.find_spec("tiktoken") is None:
        return estimated
    package = cast("Package", importlib.import_module("tiktoken"))
    try:
        name = package.encoding_name_for_model(model)
    except KeyError:
        return estimated
    return vocabulary(name, folder) or estimated


def vocabulary(name: str, folder: Path | None = None) -> Callable[[str], int] | None:
    """Counts tokens by a vocabulary; None where it is not on this machine."""
    file = hashlib.sha1(ADDRESS.format(name=name).encode(), usedforsecurity=False).hexdigest()
    usual = Path(tempfile.gettempdir()) / "data-gym-cache"
    if importlib.util.find_spec("tiktoken") is None or not ((folder or usual) / file).is_file():
        return None
    encoding = cast("Package", importlib.import_module("tiktoken")).get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))
