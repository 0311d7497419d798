"""Starts bot processes fast: imports everything once, then forks one per plan that it reads as a line of JSON.

A forked child is a process like any other: its death is a real one. Prints a line of JSON when a child was started
and when one has ended.
"""

import asyncio
import gc
import importlib
import json
import os
import select
import signal
import sys
import traceback
from pathlib import Path

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.__main__ import COMMANDS
from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.llm.prices import prices_of
from runtime.settings import ModelSettings
from tests.durability import ablations, hooks
from tests.durability.plan import Plan

for name in ("serve", "worker"):
    importlib.import_module(COMMANDS[name].module)


def tell(**what: int | str) -> None:
    """Say one thing to the test."""
    os.write(1, (json.dumps(what) + "\n").encode())


def be_bot(plan: Plan) -> None:
    """What the child does; never returns."""
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        folder = Path(plan.folder)
        log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(folder)
        os.environ.update(plan.environment)
        hooks.install(plan)
        ablations.install(plan.without)
        module = sys.modules[COMMANDS[plan.command[0]].module]
        code = int(module.main(plan.command[1:]))
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:  # noqa: BLE001 - whatever it was, the copy of the zygote must end here
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


async def warm() -> None:
    """Do once what each bot would do first: libraries import parts of themselves late."""
    prices_of("scripted", ModelSettings())
    await OpenAIModel(ModelOptions(model="scripted", base_url="http://127.0.0.1:9/v1"), api_key="none").aclose()
    AsyncApp(client=AsyncWebClient(token="xoxb-none"))


def main() -> None:
    """Fork on request until the input ends."""
    asyncio.run(warm())
    gc.collect()
    gc.freeze()
    tell(ready=os.getpid())
    pending = b""
    while True:
        readable, _, _ = select.select([0], [], [], 0.005)
        if readable:
            got = os.read(0, 65536)
            if not got:
                return
            pending += got
        while b"\n" in pending:
            line, _, pending = pending.partition(b"\n")
            pid = os.fork()
            if pid == 0:
                be_bot(Plan.model_validate_json(line))
            tell(started=pid)
        reap()


def reap() -> None:
    """Report children that have ended."""
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            tell(ended=ended[0], code=os.waitstatus_to_exitcode(ended[1]))
    except ChildProcessError:
        return


if __name__ == "__main__":
    main()
