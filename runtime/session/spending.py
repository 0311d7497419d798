"""Model requests beside a run's steps (summaries, plans, verdicts) count for the run as well."""

from runtime.session.folding import replace
from runtime.session.state import RunState
from runtime.session.usage import Usage, added


def paid(run: RunState, usage: Usage, micros: int, elapsed_ms: int) -> RunState:
    """The run with what one such request used added; it is no step."""
    spent = replace(
        run.spent,
        usage=added(run.spent.usage, usage),
        micros=run.spent.micros + micros,
        working_ms=run.spent.working_ms + elapsed_ms,
    )
    return replace(run, spent=spent)
