"""A call that takes a minute, there to be stopped."""

from bot.rehearsal.script import Demonstration, Ending, Script, Turn, python

COUNTING = """\
import time

for second in range(1, 61):
    print(f"counted={second}", flush=True)
    time.sleep(1)
"""


def perform() -> Script:
    """The whole demonstration."""
    (counted,) = yield Turn(
        (python(COUNTING, timeout=90),), "This counts for a minute. The Stop button or the word stop ends it at once."
    )
    seconds = [int(row["counted"]) for row in counted.rows("counted")]
    if seconds[-1] == 60:
        return Ending("Counted to 60; nobody stopped me.")
    return Ending(f"The count ended at {seconds[-1]}: {counted.first_line}", "failure")


SLOW = Demonstration(
    key="slow",
    title="Run something slow, so that I can stop it",
    pattern=r"\bslow|takes? a minute",
    perform=perform,
    tools=frozenset({"python_execute"}),
)
