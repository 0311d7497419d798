"""What an answer says of itself, told from its words: files made, work done, failures admitted.

The patterns know English only; what they do not see is not held against an answer.
"""

import re
from collections.abc import Iterator

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
FILE = (
    r"(?P<path>(?:/workspace/)?\w[\w./-]*\.(?:csv|tsv|json|xlsx?|docx?|pptx?|png|jpe?g|gif|svg|html?|pdf|md|txt|py|sh|"
    r"sql|ya?ml|xml|log|zip|parquet))\b"
)
AT = rf"[^.!?\n`]{{0,60}}?[\s`'\"(]{FILE}"
DONE = r"(?:saved|wrote|written|created|generated|exported|stored|produced|attached)"
BY_SPEAKER = re.compile(rf"\bI(?:['’]ve| have)?(?: now| also| just)? (?:{DONE}|put)\b{AT}", re.IGNORECASE)
"""Where there is no deed to go by, advice is no claim, and what the agent says of itself is one."""
MADE = (
    BY_SPEAKER,
    re.compile(rf"\b(?:{DONE}|save|write|create|generate|ready (?:at|in|as))\b{AT}", re.IGNORECASE),
    re.compile(
        rf"(?<![\w./-]){FILE}[`'\")]*\s+(?:(?:(?:has|have)\s+been|was|were)\s+"
        rf"(?:(?:now|already|also|successfully)\s+)?(?:{DONE}|put)|(?:is|are)\s+(?:now\s+)?ready)\b",
        re.IGNORECASE,
    ),
)
DENIED = re.compile(r"(?:\b(?:not|never|cannot|unable to|failed to)|n['’]t)(?:\s+\w+)?\s+\Z", re.IGNORECASE)
"""Words before a claim that make it none."""
LOOKED_BACK = 40
WORKED = (
    r"(?:done|completed|finished|fixed|updated|changed|deleted|removed|added|installed|ran|executed|tested|sent|posted|"
    r"deployed|published|moved|renamed|copied|downloaded|fetched|searched|built|compiled|merged|committed|pushed|"
    r"implemented|refactored|converted|painted|put)"
)
WORK = re.compile(
    r"\A\W*(?:all |it is |it['’]s |everything is )?(?:now )?(?:done|completed?|finished|fixed|deployed|sent)"
    r"\s*(?:[.!,:;–—]|\Z)"
    rf"|\b(?:task|job|work|everything) (?:has been|is)(?: now| all| already)? (?:complete|{WORKED})\b"
    rf"|\bI(?:['’]ve| have)?(?: now| also| just| already)? (?:{DONE}|{WORKED})\b",
    re.IGNORECASE,
)


def claimed_files(answer: str, *, by_speaker: bool = False) -> Iterator[str]:
    """Files that an answer says were made, each once; `by_speaker`: only those that "I" made."""
    found = [match for claim in ((BY_SPEAKER,) if by_speaker else MADE) for match in claim.finditer(answer)]
    told = [match for match in found if not DENIED.search(answer, max(0, match.start() - LOOKED_BACK), match.start())]
    yield from dict.fromkeys(match["path"] for match in told)


def claims_work(answer: str) -> bool:
    """Whether an answer says that work was done, not only what is so."""
    return WORK.search(answer) is not None


def admits_failure(answer: str) -> bool:
    """Whether an answer says that something went wrong; "no errors" does not."""
    return ADMITS.search(DENIES.sub("", answer)) is not None
