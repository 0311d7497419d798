"""What every command begins with: environment, settings, logs, and one clear sentence when something is wrong."""

import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.commands.logs import set_up_logs
from bot.environment import secret_values, variables
from runtime.environment import Environment, load_environment
from runtime.settings import Settings, SettingsError
from runtime.settings_file import load_settings
from runtime.store.errors import StoreError


class StartProblem(Exception):
    """The command cannot go on; the text is for the operator and says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What was read at start."""

    environment: Environment
    settings: Settings
    variables: Mapping[str, str]
    """The raw variables, for child processes."""

    @property
    def data(self) -> Path:
        """Where workspaces and the embedded server's files are."""
        return (self.environment.data or self.settings.data_dir).absolute()

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every secret of the environment, for redaction."""
        own = (secret.get_secret_value() for secret in self.environment.secrets)
        return (*own, *secret_values(self.variables))


def read(directory: Path | None = None) -> Start:
    """Read `.env` (where the environment itself is silent), the environment and the settings file.

    Raises:
        SettingsError: something in them cannot be right.
    """
    directory = directory or Path.cwd()
    found = variables(directory)
    environment = load_environment(found)
    return Start(
        environment=environment,
        settings=load_settings(environment.config, directory=directory),
        variables=found,
    )


def run_command(body: Callable[[Start], Coroutine[Any, Any, int]], *, level: int = logging.INFO) -> int:
    """Run a command's body; an expected problem ends it with one sentence per problem and no traceback."""
    set_up_logs(level)
    try:
        start = read()
        set_up_logs(level, start.secrets)
        return asyncio.run(body(start))
    except SettingsError as error:
        for problem in error.problems:
            print(f"handrail: {problem}", file=sys.stderr)
    except (StartProblem, StoreError) as error:
        print(f"handrail: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 1
