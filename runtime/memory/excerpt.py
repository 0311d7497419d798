"""What the model is shown of a long output: its head, its tail, and how to read the rest."""

HEAD_SHARE = 2 / 3
LEAST = 850
"""What is shown of a very long output. The whole of it is one call of `recall` away, page by page."""
SHRINKS = 0.2
"""How many characters less are shown for each character more: the longer an output, the less a sample of it says."""


def excerpt(output: str, call_id: str, limit: int) -> str:
    """Head and tail, cut at line ends where that is near; empty when the output is short enough to be shown whole.

    Args:
        output: the whole of it.
        call_id: the handle to read it by.
        limit: characters that may be shown whole.
    """
    if len(output) <= limit:
        return ""
    room = max(min(LEAST, limit), int(limit - (len(output) - limit) * SHRINKS))
    head = output[: int(room * HEAD_SHARE)]
    tail = output[len(output) - (room - len(head)) :]
    head = head[: line_end(head) or len(head)]
    tail = tail[tail.find("\n") + 1 :] if 0 <= tail.find("\n") < len(tail) // 3 else tail
    left = len(output) - len(head) - len(tail)
    marker = f'[... {left:,} characters left out; recall(call="{call_id}", offset={len(head)}) reads on ...]'
    return f"{head}\n{marker}\n{tail}"


def line_end(text: str) -> int:
    """Where the last whole line of a text ends; 0 where that would cost more than a third of it."""
    place = text.rfind("\n")
    return place if place > len(text) * 2 // 3 else 0
