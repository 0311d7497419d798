"""Kind and size of an image, from its first bytes."""

import struct

import pytest

from tests.support.pixels import png
from tools.pictures import Picture, picture_of

JPEG = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc0\x00\x11\x08" + struct.pack(">HH", 20, 30) + bytes(12)
WEBP = {
    "VP8X": b"VP8X" + struct.pack("<I", 10) + bytes(4) + bytes([29, 0, 0, 19, 0, 0]),
    "VP8L": b"VP8L" + struct.pack("<I", 10) + b"/" + (29 | 19 << 14).to_bytes(4, "little") + bytes(8),
    "VP8 ": b"VP8 " + struct.pack("<I", 20) + bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 30, 20),
}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (png(30, 20), "png"),
        (b"GIF89a" + struct.pack("<HH", 30, 20), "gif"),
        (JPEG, "jpeg"),
        *((b"RIFF" + bytes(4) + b"WEBP" + chunk, "webp") for chunk in WEBP.values()),
    ],
)
def test_every_kind_that_models_take_is_known_with_its_size(content: bytes, kind: str) -> None:
    """Whatever the file is called."""
    assert picture_of(content) == Picture(media_type=f"image/{kind}", width=30, height=20)


@pytest.mark.parametrize(
    "content",
    [b"", b"text", png(30, 20)[:20], b"\xff\xd8\xff", b"\xff\xd8\xff\xda\x00\x00", b"RIFF" + bytes(40), png(0, 5)],
)
def test_anything_else_is_none(content: bytes) -> None:
    """Cut-off headers, other containers and empty images are not taken for images."""
    assert picture_of(content) is None
