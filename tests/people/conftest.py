"""The stage of the scenarios, the desk of the agent's tests, and the settings that most of these need."""

from collections.abc import Sequence
from typing import Any

from tests.agent.conftest import desk
from tests.scenarios.conftest import StageMaker, click_late, on_stage
from tests.support.model import Turn, call, calls, say
from tests.support.slack import Person, SlackMessage
from tests.support.stage import BOT, DATA, Stage
from tests.waiting import wait_until

__all__ = ["StageMaker", "click_late", "desk", "on_stage"]


def bash_asks(**rule: object) -> str:
    """Settings in which Bash needs approval; further keys of the rule in TOML's own words."""
    lines = [f"{name} = {written(value)}" for name, value in rule.items()]
    return "\n".join(['[[policy.rules]]\ntool = "bash"\nverdict = "ask"', *lines])


def written(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return "[" + ", ".join(f'"{one}"' for one in value) + "]" if isinstance(value, list | tuple) else f'"{value}"'  # pyright: ignore[reportUnknownVariableType] - test values


def once(command: str = "echo done > done.txt", answer: str = "Done.") -> Sequence[Turn]:
    """One command, then the answer."""
    return (calls(call("bash", command=command)), say(answer))


async def asked(stage: Stage, text: str = "do it") -> SlackMessage:
    """Ana asks for something."""
    return await stage.ana.send(DATA, f"{BOT} {text}")


async def whispered(stage: Stage, user: str, words: str) -> dict[str, Any]:
    """A private notice that one person got."""

    async def look() -> dict[str, Any] | None:
        made = await stage.slack.calls("chat.postEphemeral")
        return next((c for c in made if c["args"]["user"] == user and words in c["args"]["text"]), None)

    return await wait_until(f"{user} is told {words!r}", look)


async def seen(stage: Stage, request: SlackMessage, words: str, *, user: str = "U0ANA") -> SlackMessage:
    """A message in the thread with these words."""
    return await stage.slack.wait_message(
        request.channel, request.thread_ts, lambda m: words in m.words, f"{words!r} in the thread", user=user
    )


async def wait_gone(stage: Stage, card: SlackMessage, name: str) -> SlackMessage:
    """The card once a button has left it."""
    return await stage.slack.wait_message(
        card.channel,
        card.thread_ts,
        lambda m: m.ts == card.ts and not m.has_button(name),
        f"the card without {name}",
    )


async def done(stage: Stage, request: SlackMessage, name: str = "done.txt") -> bool:
    """Whether the command had its effect."""
    return ((await stage.workspace(request)).root / name).exists()


def cleo(stage: Stage) -> Person:
    """A third person, in the same channel."""
    return stage.slack.person("U0CLEO")
