"""What an answer says of itself, told from its words: files made, work done, failures admitted.

The patterns know English only; what they do not see is not held against an answer.
"""

import re

FAILURE = r"(?:fail\w*|errors?|problem\w*|issues?|missing|skipped|wrong|crash\w*|broken)\b"
DENIES = re.compile(
    r"\b(?:no|without|zero|(?<![\d.,])0|never|free of|nothing|none(?: of (?:the|them|these|those))?)\b"
    rf"(?:\s+\w+){{0,2}}?\s+{FAILURE}"
    rf"|(?:\bnot|n['’]t)(?:\s+(?:an?|(?:\w+\s+)?any))?\s+{FAILURE}"
    r"|\b(?:error|problem|issue)s?[- ]free\b|\bno (?:further|other|need)\b|\bnothing (?:else|more|further)\b",
    re.IGNORECASE,
)
"""Words of failure that say that there is none."""
ADMITS = re.compile(
    r"\b(?:fail\w*|error\w*|not|no|never|cannot|can't|couldn't|didn't|unable|denied|missing|timed out|partial\w*|"
    r"skipped|blocked|without|unsuccessful\w*|problem\w*|issue\w*|refused|none|nothing)\b|n['’]t\b",
    re.IGNORECASE,
)


def admits_failure(answer: str) -> bool:
    """Whether an answer says that something went wrong; "no errors" does not."""
    return ADMITS.search(DENIES.sub("", answer)) is not None
