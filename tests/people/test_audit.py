"""The audit log of a real journey: what it has, what it has not, and the command that finds a forgery."""

import json
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

import pytest

from bot import texts_people
from bot.commands.forget import forget
from runtime.audit.chain import problems
from runtime.audit.trail import AuditLog
from runtime.session.events import ApprovalDecided
from tests.people.conftest import StageMaker, asked, bash_asks, cleo, once, seen, whispered
from tests.support.model import call, calls, say
from tests.support.serving import Launcher, Shell
from tests.support.stage import Stage
from tools.schema import JSON_OBJECT


def entries(text: str) -> list[dict[str, object]]:
    """The lines of an export."""
    return [dict(JSON_OBJECT.validate_json(line)) for line in text.splitlines() if line.startswith("{")]


Command = Callable[[Stage, str], Awaitable[tuple[int, str]]]


@pytest.fixture
def command(command_server: Launcher, tmp_path: Path) -> Command:
    """`python -m bot audit ...` as an operator would run it, on a stage's store: its exit code and what it said."""
    folders = (tmp_path / str(number) for number in count())

    async def run(stage: Stage, arguments: str) -> tuple[int, str]:
        folder = next(folders)
        folder.mkdir()
        environment = {"REDIS_URL": stage.core.start.variables["REDIS_URL"], "HANDRAIL_DATA": str(folder)}
        ended = await Shell(command_server, folder).run("audit", *arguments.split(), environment=environment)
        return ended.code, ended.out + ended.err

    return run


async def test_a_journey_is_recorded_verified_and_exported_and_a_forgery_is_found(
    on_stage: StageMaker, command: Command
) -> None:
    """Requests, edits, refusals, verdicts and allowances stand there as digests; a changed entry is named."""
    turns = (calls(call("bash", command="echo secret-word > a")), calls(call("bash", command="echo b > b")), say("Ok."))
    async with on_stage(*turns, settings=bash_asks(approvers=["U0BEN"])) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        await cleo(stage).click(card, "Approve")
        await whispered(stage, "U0CLEO", "<@U0BEN> to decide")
        await stage.ben.click(card, texts_people.EDIT)
        form = await stage.ben.wait_view("the form")
        await stage.ben.submit_view(form, {"arg-command": "echo c > c"})
        again = await seen(stage, sent, "This is the edited call.")
        await stage.ben.click(again, texts_people.ALLOW_THREAD)
        await stage.answer(sent)
        code, text = await command(stage, "export --names")
        assert code == 0
        log = entries(text)
        whats = [entry["what"] for entry in log]
        assert whats == ["requested", "refused", "edited", "requested", "decided", "granted", "grant_used"]
        assert [entry["by_name"] for entry in log[1:3]] == ["U0CLEO", "U0BEN"]
        assert "secret-word" not in text
        assert await command(stage, "verify") == (0, f"ok   T0LOCAL: 7 entries, tip {log[-1]['hash']}\n")
        commands = stage.core.store.clients.commands
        chain = AuditLog(store=stage.core.store, retention=stage.core.start.settings.retention.audit).chain("T0LOCAL")
        links = [link async for link in chain.links()]
        await commands.delete(chain.keys.chain)
        for link in links:
            forged = {**json.loads(link.entry), **({"by": "f" * 32} if link.n == 5 else {})}
            await commands.xadd(chain.keys.chain, {"e": json.dumps(forged), "h": link.hash}, id=f"{link.n}-0")
        await commands.expire(chain.keys.chain, 60)
        assert await command(stage, "verify") == (1, "FIX  T0LOCAL: entry 5 was changed\n")


async def test_forgetting_a_person_and_a_thread_leaves_digests_that_tell_nothing(on_stage: StageMaker) -> None:
    """Ben only decided and never spoke; afterwards nobody can tell who it was or where, and the chain is whole."""
    async with on_stage(*once(), settings=bash_asks(approvers=["U0BEN"])) as stage:
        sent = await asked(stage)
        await stage.ben.click(await stage.button(sent, "Approve"), "Approve")
        await stage.answer(sent)
        chain = AuditLog(store=stage.core.store).chain("T0LOCAL")
        sid = f"T0LOCAL:{sent.channel}:{sent.ts}"
        before = [link async for link in chain.links()]
        assert {f"session:{sid}", "person:U0BEN"} <= (await chain.names()).keys()
        assert await forget(stage.core.start, "", "U0BEN", really=False) == 0
        assert "person:U0BEN" in await chain.names()
        await forget(stage.core.start, "", "U0BEN", really=True)
        assert await stage.core.store.exists(sid)
        await forget(stage.core.start, sid, "", really=True)
        assert not await stage.core.store.exists(sid)
        assert {f"session:{sid}", "person:U0BEN"}.isdisjoint(await chain.names())
        assert [link async for link in chain.links()] == before
        assert [problem async for problem in problems(chain)] == []


async def test_what_a_crash_left_out_is_recorded_at_the_next_opening(on_stage: StageMaker) -> None:
    """The journal is the truth: a verdict that was committed and not recorded is caught up with, once."""
    async with on_stage(say("Hello.")) as stage:
        sent = await asked(stage)
        await stage.answer(sent)
        store, sid = stage.core.store, f"T0LOCAL:{sent.channel}:{sent.ts}"
        log = AuditLog(store=store, retention=stage.core.start.settings.retention.audit)
        seq = len(await store.read_log(sid))
        assert (await log.chain("T0LOCAL").tip()).n == 0
        trail = await log.open(sid, seq)
        lost = ApprovalDecided(run_id="r1", approval_id="a", verdict="approved", by="U0BEN")
        await trail.saw([lost], seq + 1, 2**42)
        await trail.saw([lost], seq + 1, 2**42)
        assert (await log.chain("T0LOCAL").tip()).n == 1
