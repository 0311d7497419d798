"""What a run uses stands in the ledger in every scope, tokens by kind, and nothing stays held."""

import pytest

from bot.home.usage import server_ms
from runtime.budget.days import day_of
from runtime.budget.ledger import Ledger
from runtime.budget.values import Used
from tests.scenarios_budget.conftest import StageMaker
from tests.support.model import call, calls, hang, say
from tests.support.stage import BOT, DATA, Stage
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("noon")
KINDS = ("run", "thread", "person", "channel", "workspace")
PRICED = "[model]\nusd_per_million_input = 100\nusd_per_million_output = 100\n"


async def of_today(stage: Stage) -> dict[str, Used]:
    """Every scope of the day by its kind."""
    ledger = Ledger.beside(stage.core.store)
    day = day_of(await server_ms(stage.core.store), "UTC")
    return {name.partition("/")[0]: await ledger.used(name) for name in await ledger.scopes_of(day)}


async def test_each_request_and_call_is_counted_once_in_every_scope(on_stage: StageMaker) -> None:
    """Two requests and a call of one run: the same numbers for run, thread, person, channel and workspace."""
    async with on_stage(calls(call("bash", command="echo look")), say("Looked."), settings=PRICED) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        await stage.answer(sent)
        used = await of_today(stage)
        assert sorted(used) == sorted(KINDS)
        numbers = {(one.requests, one.calls, one.failed, one.input, one.output, one.micros) for one in used.values()}
        assert len(numbers) == 1
        requests, tool_calls, failed, read, written, micros = numbers.pop()
        assert (requests, tool_calls, failed) == (2, 1, 0)
        assert read > 0
        assert written > 0
        assert micros == (read + written) * 100
        assert not any(one.held_tokens or one.held_micros for one in used.values())
        assert used["person"].name.startswith("person/T0LOCAL/U0ANA/")


async def test_a_request_that_was_sent_and_brought_nothing_counts(on_stage: StageMaker) -> None:
    """Stopped in the middle of a request: what it asked is billed as an estimate, and nothing stays held."""
    async with on_stage(hang(), settings=PRICED) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} look")
        await stage.model.wait_for_requests(1)
        await stage.ana.send(DATA, "stop", sent.ts)
        await stage.answer(sent)

        async def settled() -> bool:
            return not any(one.held_tokens for one in (await of_today(stage)).values())

        await wait_until("nothing is held", settled)
        for used in (await of_today(stage)).values():
            assert (used.requests, used.failed) == (1, 1)
            assert used.input > 0
            assert used.micros > 0
