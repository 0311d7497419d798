"""The same runtime in a terminal: plan, questions and approvals at the prompt."""

import asyncio
import os
import pty
import signal
import sys

from pydantic import JsonValue

from tests.support.model import call, calls, hang, say, scripted_model
from tests.support.serving import Shell, clean_environment
from tests.waiting import wait_until

ASKS_BASH = '[[policy.rules]]\ntool = "bash"\nverdict = "ask"\n'
PLAN = calls(call("planning", command="create", title="Do it", steps=["Ask", "Run"]))
ASK = calls(call("ask_human", question="Which one?", choices=["left", "right"]))
RISKY = calls(call("bash", command="echo ran"))
TICK = calls(*(call("planning", command="mark", step_index=n, step_status="completed") for n in range(2)))


async def test_a_task_is_answered_at_the_prompt(shell: Shell, redis_url: str) -> None:
    """A number chooses, the whole word approves, and the exit code says that it went well."""
    (shell.folder / "handrail.toml").write_text(ASKS_BASH, encoding="utf-8")
    async with scripted_model([PLAN, ASK, RISKY, TICK, say("Went right.")]) as model:
        environment = {"REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        ended = await shell.run("run", "do it", environment=environment, typed="2\napprove\n")
        assert ended.code == 0, ended
        assert "right" in str(model.requests[2].messages[-1])
        assert "ran" in str(model.requests[3].messages[-1])
    for words in ("[ ] Ask", "question: Which one?", "2. right", "approval needed:", "echo ran", "Went right."):
        assert words in ended.out


async def test_anything_but_the_word_is_a_no_with_its_reason(shell: Shell, redis_url: str) -> None:
    """A typed yes is none."""
    (shell.folder / "handrail.toml").write_text(ASKS_BASH, encoding="utf-8")
    async with scripted_model([RISKY, say("Not done.")]) as model:
        environment = {"REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        ended = await shell.run("run", "do it", environment=environment, typed="yes please\n")
        assert ended.code == 0, ended
        assert "Not approved (denied)" in str(model.requests[1].messages[-1])
        assert "yes please" in str(model.requests[1].messages[-1])


async def test_at_the_prompt_a_call_is_edited_allowed_and_a_form_filled_in(shell: Shell, redis_url: str) -> None:
    """Edit asks for each argument, allow spares the next card, a form checks each field, a file is brought."""
    (shell.folder / "handrail.toml").write_text(ASKS_BASH, encoding="utf-8")
    (shell.folder / "rows.csv").write_text("a,b\n", encoding="utf-8")
    fields: list[JsonValue] = [
        {"name": "amount", "label": "Amount", "kind": "number"},
        {"name": "shop", "label": "Shop", "kind": "choice", "choices": ["Berlin", "Hamburg"]},
    ]
    turns = [
        RISKY,
        calls(call("bash", command="echo again")),
        calls(call("ask_human", question="The order?", fields=fields)),
        calls(call("ask_human", question="The rows?", wants_file=True)),
        say("Went well."),
    ]
    async with scripted_model(turns) as model:
        environment = {"REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        typed = "edit\necho edited\nallow\nlots\n12.5\n2\nrows.csv\n"
        ended = await shell.run("run", "do it", environment=environment, typed=typed)
        assert ended.code == 0, ended
        assert "edited" in str(model.requests[1].messages[-1])
        assert "again" in str(model.requests[2].messages[-1])
        assert '{"amount": 12.5, "shop": "Hamburg"}' in model.requests[3].messages[-1].text
        assert "inbox/rows.csv" in model.requests[4].messages[-1].text
    for words in ("you edited the arguments", "echo edited", "Write a number", "[2] Hamburg", "Went well."):
        assert words in ended.out
    assert ended.out.count("approval needed:") == 2


async def test_whoever_may_not_decide_at_the_prompt_is_told_who_may(shell: Shell, redis_url: str) -> None:
    """The card stays, and nothing runs."""
    (shell.folder / "handrail.toml").write_text(ASKS_BASH + 'approvers = ["U0BEN"]\n', encoding="utf-8")
    async with scripted_model([RISKY]) as model:
        environment = {"REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        ended = await shell.run("run", "do it", environment=environment, typed="approve\n")
        assert ended.code == 1
        assert len(model.requests) == 1
    assert "This is for U0BEN to decide." in ended.out


async def test_the_end_of_the_input_stops_the_run(shell: Shell, redis_url: str) -> None:
    """Nobody is there to answer, so it does not wait."""
    async with scripted_model([ASK]) as model:
        environment = {"REDIS_URL": redis_url, "OPENAI_BASE_URL": model.base_url}
        ended = await shell.run("run", "do it", environment=environment)
    assert ended.code == 1
    assert "Stopped" in ended.out
    assert "Traceback" not in ended.out + ended.err


async def test_an_interrupt_in_a_terminal_ends_the_command_at_its_prompt(shell: Shell, redis_url: str) -> None:
    """Ctrl-C while it asks, without a further key."""
    async with scripted_model([ASK]) as model:
        environment = clean_environment(REDIS_URL=redis_url, OPENAI_BASE_URL=model.base_url)
        ours, theirs = pty.openpty()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "run", "do it", cwd=shell.folder, env=environment,
                stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            )  # fmt: skip
            os.set_blocking(ours, False)
            seen = bytearray()

            def asks() -> bool:
                try:
                    seen.extend(os.read(ours, 65536))
                except BlockingIOError:
                    return False
                return b"your answer> " in seen

            try:
                await wait_until("the prompt", asks, within=90)
                process.send_signal(signal.SIGINT)
                async with asyncio.timeout(60):
                    code = await process.wait()
                asks()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()
        finally:
            os.close(ours)
            os.close(theirs)
        assert code in {1, 130}
        assert b"Traceback" not in seen


async def test_an_interrupt_while_the_model_thinks_ends_the_command(shell: Shell, redis_url: str) -> None:
    """At once, whatever is under way."""
    async with scripted_model([hang()]) as model:
        environment = clean_environment(REDIS_URL=redis_url, OPENAI_BASE_URL=model.base_url)
        err = shell.folder / "err"
        running = await shell.launcher.start(shell.folder, ("run", "do it"), environment, err=err)
        await wait_until("the model is asked", lambda: model.bodies, within=90)
        running.send(signal.SIGINT)
        async with asyncio.timeout(60):
            assert await running.end() in {1, 130}
        assert "Traceback" not in err.read_text(encoding="utf-8")
