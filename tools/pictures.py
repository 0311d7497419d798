"""What an image is, told from its first bytes: kind and size in pixels. Nothing is decoded.

Formats: PNG (RFC 2083), GIF (GIF89a), JPEG (ITU T.81, markers SOFn), WebP (RFC 9649).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""JPEG markers of a frame header, which holds the size."""
ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers without a length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image's kind and size."""

    media_type: str
    width: int
    """Pixels, as is the height."""
    height: int


def picture_of(data: bytes) -> Picture | None:
    """The image that the bytes begin; None where they are none, or a kind that models do not take."""
    for read in (png, gif, jpeg, webp):
        found = read(data)
        if found is not None and found.width > 0 and found.height > 0:
            return found
    return None


def png(data: bytes) -> Picture | None:
    """A PNG's header chunk."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n") or data[12:16] != b"IHDR" or len(data) < 24:
        return None
    width, height = struct.unpack(">II", data[16:24])
    return Picture(media_type="image/png", width=width, height=height)


def gif(data: bytes) -> Picture | None:
    """A GIF's screen descriptor."""
    if data[:6] not in {b"GIF87a", b"GIF89a"} or len(data) < 10:
        return None
    width, height = struct.unpack("<HH", data[6:10])
    return Picture(media_type="image/gif", width=width, height=height)


def jpeg(data: bytes) -> Picture | None:
    """The first frame header of a JPEG."""
    if not data.startswith(b"\xff\xd8"):
        return None
    for marker, start in jpeg_segments(data):
        if marker in FRAMES and start + 7 <= len(data):
            height, width = struct.unpack(">HH", data[start + 3 : start + 7])
            return Picture(media_type="image/jpeg", width=width, height=height)
    return None


def jpeg_segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Each marker with the place of its length."""
    place = 2
    while place + 4 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
            continue
        yield marker, place + 2
        place += 2 if marker in ALONE else 2 + int.from_bytes(data[place + 2 : place + 4])


def webp(data: bytes) -> Picture | None:
    """The first chunk of a WebP file, in each of its three forms."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    match data[12:16]:
        case b"VP8X":
            width, height = 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = (part & 0x3FFF for part in struct.unpack("<HH", data[26:30]))
        case _:
            return None
    return Picture(media_type="image/webp", width=width, height=height)
