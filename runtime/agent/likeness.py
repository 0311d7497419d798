"""What two outputs, errors or texts have in common: what is left of them without what changes by itself."""

import re

CHANGING = re.compile(r"0x[0-9a-f]+|\d+([.:,]\d+)*|['\"`].{0,80}?['\"`]")
TIMED = re.compile(r"\d[\d.,]*\s?(?:ms|s|sec|seconds?)\b|\d+:\d\d(?::\d\d)?|['\"`].{0,80}?['\"`]")
"""How long something took, when it was, and quotes."""
NAMED = re.compile(r"[\w.-]*/[\w./-]+|\b[\w-]+\.[a-z]\w{0,4}\b")
"""Paths, and names of files."""
ENDED = re.compile(r"exit code \d+")
"""How the result of a tool that ran a program begins; the program's own words follow."""
FRAME = re.compile(r"exit code \d|\[(stdout|stderr)\]$|\[files: ")
TRACEBACK = "Traceback (most recent call last)"
LINE = 300
"""So much of a line is looked at."""
END = 4_000
"""So much of an output's beginning and end is looked at."""
WORD = re.compile(r"\w{3,}")
ALIKE = 0.5
STEM = 4
FILLERS = frozenset("the and but that this with have has been was were will would could can for are you not".split())


def steady(output: str) -> str:
    """What of an output stays the same while times, counts, addresses and names change: of a long one both ends."""
    ends = output if len(output) <= 2 * END else output[:END] + output[-END:]
    return CHANGING.sub("#", ends)


def untimed(answer: str) -> str:
    """A short answer without times and without what it quotes of its question; other numbers in it are findings."""
    return " ".join(TIMED.sub("#", answer).split())


def error_class(output: str) -> str:
    """What an error says without names, numbers and quotes: a program's last line, else the first one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    words = [line for line in lines if not FRAME.match(line)]
    by_program = ENDED.match(output) is not None or any(line.startswith(TRACEBACK) for line in words[:1])
    line = (words or lines or [""])[-1 if by_program else 0]
    return CHANGING.sub("#", NAMED.sub("#", line[:LINE]))[:80]


def alike(left: str, right: str) -> bool:
    """Whether two texts mean the same, as far as words tell: the shorter one's stems stand in the other."""
    mine, yours = stems(left), stems(right)
    shorter = min(len(mine), len(yours))
    return shorter > 0 and len(mine & yours) / shorter >= ALIKE


def stems(text: str) -> set[str]:
    """How the words of a text begin, so that "saved" and "saving" are one."""
    return {word[:STEM] for word in WORD.findall(text.casefold()) if word not in FILLERS}
