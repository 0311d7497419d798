"""A text file as bytes on disk and text for editing, without losing how it was written.

Encoding, byte order mark and line ends are told from the bytes and used again when writing, so that an edit changes
what was edited and nothing else: `decode` and `encode` are exact inverses on every file that `decode` accepts.
"""

import codecs
import re
from dataclasses import dataclass
from typing import Literal

from tools.errors import ToolInputError

# The longer marks first: the one of UTF-32 little-endian begins with the one of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
FALLBACKS = ("utf-8", "cp1252", "latin-1")
LINE_END = re.compile(r"\r?\n")

Newline = Literal["\n", "\r\n"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile:
    """The text of a file, and what it takes to write it back the same way."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark at the start, if any; not part of `text`."""

    @property
    def newline(self) -> Newline:
        """The line end most lines have."""
        windows = self.text.count("\r\n")
        return "\r\n" if windows > self.text.count("\n") - windows else "\n"

    @property
    def lines(self) -> list[str]:
        """The lines without their ends; a line end at the very end starts no further line."""
        pieces = LINE_END.split(self.text)
        return pieces[:-1] if pieces[-1] == "" else pieces

    def with_text(self, text: str) -> "TextFile":
        """The same kind of file with other text."""
        return TextFile(text=text, encoding=self.encoding, mark=self.mark)

    def adapted(self, text: str) -> str:
        """Text of a model with the line ends of this file."""
        return LINE_END.sub(lambda _: self.newline, text)


def decode(data: bytes, path: str) -> TextFile:
    """A file's text.

    Bytes with no mark that are no UTF-8 are read as Windows-1252, then as Latin-1, which takes anything; the bytes
    stay the same when written back even where that guess is wrong.

    Raises:
        ToolInputError: it is binary, or not what its byte order mark says.
    """
    for mark, encoding in MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise ToolInputError(f"{path}: begins like {encoding} but is not; use python_execute.") from error
            return TextFile(text=text, encoding=encoding, mark=mark)
    if b"\0" in data:
        raise ToolInputError(f"{path}: is a binary file of {len(data):,} bytes; use python_execute to look at it.")
    for encoding in FALLBACKS:
        try:
            return TextFile(text=data.decode(encoding), encoding=encoding)
        except UnicodeDecodeError:
            continue
    raise ToolInputError(f"{path}: is not text.")


def encode(file: TextFile, path: str) -> bytes:
    """The bytes of a file.

    Raises:
        ToolInputError: the text has characters that the file's encoding has not.
    """
    try:
        return file.mark + file.text.encode(file.encoding)
    except UnicodeEncodeError as error:
        wrong = file.text[error.start]
        raise ToolInputError(
            f"{path}: is written in {file.encoding}, which has no {wrong!r}. Leave that character out, or convert the "
            "file to UTF-8 with python_execute first."
        ) from error
