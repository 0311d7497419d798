"""Long output keeps its ends and counts its middle."""

from hypothesis import given
from hypothesis import strategies as st

from tools.sandbox.streams import CappedStream


@given(st.lists(st.binary(max_size=300)), st.integers(min_value=0, max_value=500))
def test_head_tail_and_count_are_exact_however_the_bytes_arrive(pieces: list[bytes], limit: int) -> None:
    """The kept bytes are the first and last half of the limit, and nothing is lost from the count."""
    stream = CappedStream(limit)
    for piece in pieces:
        stream.write(piece)
    whole = b"".join(pieces)
    kept = stream.content()
    assert len(kept) + stream.dropped == len(whole)
    if len(whole) <= limit:
        assert kept == whole
    else:
        head = limit - limit // 2
        assert kept == whole[:head] + whole[len(whole) - limit // 2 :]
