"""Starts commands of the bot fast: imports everything once, then forks a process for each one it is asked for.

A forked command is a process like any other: its death is a real one. Each connection to the socket stands for one
command: it sends a line of JSON, and gets the process id when it was started and the exit code when it has ended.
"""

import gc
import importlib
import json
import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

from bot.__main__ import COMMANDS
from bot.__main__ import main as command

PRELOADED = ("serve", "worker", "run", "doctor", "init", "mcp", "audit")


def become(request: dict[str, Any]) -> None:
    """Run the command in this process; never returns."""
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()  # Without a terminal, so that nobody is asked at it.
        folder = Path(request["folder"])
        for number, (name, flags) in enumerate((("in", os.O_RDONLY), ("out", APPENDING), ("err", APPENDING))):
            os.dup2(os.open(request[name], flags, 0o600), number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(request["environment"])
        code = command(request["arguments"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever it was, this copy of the server must end here
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


APPENDING = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def attend(connection: socket.socket) -> None:
    """Start one command and report its end; never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with connection.makefile("rw", encoding="utf-8") as wire:
        request = json.loads(wire.readline())
        pid = os.fork()
        if pid == 0:
            connection.close()
            become(request)
        wire.write(f"{pid}\n")
        wire.flush()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        wire.write(f"{code}\n")
        wire.flush()
    os._exit(0)


def main(path: str) -> None:
    """Serve until the process is ended."""
    for name in PRELOADED:
        importlib.import_module(COMMANDS[name].module)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(16)
        print("ready", flush=True)  # noqa: T201 - what the tests wait for
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                attend(connection)
            connection.close()


if __name__ == "__main__":
    main(sys.argv[1])
