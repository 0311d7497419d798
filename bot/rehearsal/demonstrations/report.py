"""Long output and a long answer: a log shown whole, numbers for each hour, a report as a file, code and tables."""

from bot.rehearsal.script import Demonstration, Ending, Result, Script, Turn, bash, mark, plan, python

SHOW = 'cat shop/server.log && echo "lines=$(wc -l < shop/server.log)"'
REPORT = """\
import re
from collections import Counter, defaultdict
from pathlib import Path

requests, errors, times, paths = Counter(), Counter(), defaultdict(list), Counter()
failing, slow = [], []
for line in Path("shop/server.log").read_text().splitlines():
    at, _, path, status, took = line.split()
    hour = at[11:13]
    requests[hour] += 1
    times[hour].append(int(took[:-2]))
    if status.startswith("5"):
        errors[hour] += 1
        paths[path] += 1
        failing.append(line)
    slow.append((int(took[:-2]), at[11:], path, status))

print(f"{sum(errors.values())} of {sum(requests.values())} requests failed")
out = ["# Server log of the web shop", "", "| Hour | Requests | Errors | Slowest, ms |", "|---|---:|---:|---:|"]
for hour in sorted(requests):
    out.append(f"| {hour} | {requests[hour]} | {errors[hour]} | {max(times[hour])} |")
    print(f"hour={hour}; requests={requests[hour]}; errors={errors[hour]}; slowest={max(times[hour])}")
out += ["", "## Failing paths", ""] + [f"- `{path}`: {count}" for path, count in paths.most_common()]
Path("server_report.md").write_text("\\n".join(out) + "\\n")
print(f"total={sum(requests.values())}")
print(f"failed={sum(errors.values())}")
for path, count in paths.most_common():
    print(f"path={path}; count={count}")
for line in failing:
    print(f"failing={line}")
for took, at, path, status in sorted(slow, reverse=True)[:20]:
    print(f"at={at}; slow={path}; status={status}; took={took}")
"""
ALARM = '''\
import sys

SHARE = 0.05


def too_many_errors(lines: list[str]) -> bool:
    """True when more than one request in twenty failed."""
    failed = sum(line.split()[3].startswith("5") for line in lines)
    return failed > SHARE * max(1, len(lines))


if __name__ == "__main__":
    sys.exit(too_many_errors(sys.stdin.read().splitlines()))
'''


def perform() -> Script:
    """The whole demonstration."""
    yield Turn((plan("Report on the server log", "Read the log", "Count by hour", "Write the report"),))
    _, _ = yield Turn((mark(0, "in_progress"), bash(SHOW)), "The log is long; all of it goes into the output.")
    _, _, counted = yield Turn((mark(0, "completed"), mark(1, "in_progress"), python(REPORT)))
    total, failed = counted.number("total"), counted.number("failed")
    yield Turn((mark(1, "completed", f"{failed} of {total} requests failed"), mark(2, "completed")))
    return Ending(answer(counted, total, failed))


def answer(counted: Result, total: int, failed: int) -> str:
    """A long text with everything Markdown has."""
    hours = counted.rows("hour", "requests", "errors", "slowest")
    worst = max(hours, key=lambda row: int(row["errors"]))
    table = "\n".join(f"| {row['hour']}:00 | {row['requests']} | {row['errors']} | {row['slowest']} |" for row in hours)
    prose = "\n".join(
        f"{index}. **{row['hour']}:00**: {row['requests']} requests, {row['errors']} failed, "
        f"the slowest took {row['slowest']} ms."
        + (" This hour needs a look." if row is worst else " Nothing stands out.")
        for index, row in enumerate(hours, start=1)
    )
    paths = "\n".join(f"- `{row['path']}`: {row['count']} times" for row in counted.rows("path", "count"))
    failing = "\n".join(row["failing"] for row in counted.rows("failing"))
    slowest = "\n".join(
        f"| {row['at']} | `{row['slow']}` | {row['status']} | {row['took']} |"
        for row in counted.rows("at", "slow", "status", "took")
    )
    return (
        f"{failed} of {total} requests failed, {worst['errors']} of them between {worst['hour']}:00 and "
        f"{int(worst['hour']) + 1}:00.\n\n"
        f"## By hour\n\n| Hour | Requests | Errors | Slowest, ms |\n|---|---:|---:|---:|\n{table}\n\n"
        f"## What failed\n\n{paths}\n\nThe failing lines:\n\n```\n{failing}\n```\n\n"
        f"## The slowest requests\n\n| At | Path | Status | ms |\n|---|---|---:|---:|\n{slowest}\n\n"
        f"## Hour after hour\n\n{prose}\n\n"
        f"## An alarm for next time\n\n```python\n{ALARM}```\n\n"
        "> Feed it the last hour of the log; it ends with 1 when more than one request in twenty failed.\n\n"
        "The numbers are also in `server_report.md`."
    )


REPORT_ON_LOG = Demonstration(
    key="report",
    title="Write a report on the server log",
    pattern=r"server log|report",
    perform=perform,
    tools=frozenset({"planning", "bash", "python_execute"}),
)
