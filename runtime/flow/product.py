"""Whether a text is a step's product or only says that there is one, as far as rules can tell."""

import re
from collections.abc import Sequence

CLAIM = re.compile(
    r"\b(?:done|complet\w*|finish\w*|accomplish\w*|success\w*|achiev\w*|fulfil\w*|satisf\w*|all set|"
    r"erledigt|fertig|abgeschlossen|termin\w*|fini|completad\w*|hech[oa]|conclu[ií]d\w*|completat\w*)\b",
    re.IGNORECASE,
)
"""Words that say an end was reached, in the languages most threads are in."""
EMPTY = frozenset(
    """
    a about above according after again all also an and any anything are as asked asks assigned at be been being below
    by can carried carefully check checked complete completed completely completion correct correctly criteria criterion
    delivered did do does doing done each end ended entire every everything exactly executed expected expectation
    expectations finish finished fine for from fulfilled full fully further given good had handled has have here i in
    instructed instruction instructions is issue issues it its job just left made may me meets met more must my
    necessary needed no nothing now objective of ok okay on one order out outcome over part perfectly performed
    planned problem
    problems properly provided ready request requested required requirement requirements result results said satisfied
    set should shown so specified step steps succeeded success successful successfully task tasks than that the their
    them then there these they this those to user was way we well were what when which will with without work worked
    working works you your accomplished achieved actions action
    """.split()
)
"""Words that say nothing by themselves, beside a claim."""
WORD = re.compile(r"[^\W_]+(?:['’.,]\w+)*")
STEM = 4
"""Letters by which a word counts as another form of one in the task: count, counted."""
ENOUGH = 2
"""Words of its own that a text needs; one number will do."""
LONG = 40
"""Words from which on a text that also claims its end can hold a product by rules."""


def says_something(answer: str, task: str) -> bool | None:
    """Whether the answer holds more than the claim that the task is done; None where rules cannot tell.

    Args:
        answer: the text that ought to be the product.
        task: the step's title and criterion, whose words add nothing.
    """
    words = [word.lower() for word in WORD.findall(answer)]
    own = own_words(words, task)
    if not CLAIM.search(answer):
        enough = len(own) >= ENOUGH or any(word.isdecimal() for word in own)
        return True if enough else None if words else False
    if not own:
        return None if CLAIM.search(task) else False  # "It is done" may be what was to be found out.
    return True if len(words) >= LONG and len(own) * 3 >= len(words) else None


def own_words(words: Sequence[str], task: str) -> list[str]:
    """The words that are neither empty nor the task's."""
    known = {stem(word.lower()) for word in WORD.findall(task)}
    return [word for word in words if word not in EMPTY and stem(word) not in known]


def stem(word: str) -> str:
    """What forms of one word have in common, roughly."""
    return word[:STEM]
