"""The files the demo writes for its processes: the scene of the local Slack and the settings of the bot."""

import json
from pathlib import Path

from pydantic import JsonValue

from bot.demo.places import Places
from bot.demo.world import World

BOT_USER = "U0HANDRAIL"
ANA = "U0ANA"
BEN = "U0BEN"
CHANNEL = "C0DATA"
BOT_TOKEN = "xoxb-local-bot"  # noqa: S105 - of the local Slack
APP_TOKEN = "xapp-local-app"  # noqa: S105
PROMPTS = (
    "Why did last night's import drop rows?",
    "Summarise sales.csv with a chart",
    "Put a new drink on the menu",
)
BANNER = "Scripted model: connect yours"
BANNER_DETAIL = (
    "Fixed demonstrations with real tools on sample files. Set OPENAI_API_KEY (for another OpenAI-compatible server "
    "also OPENAI_BASE_URL and OPENAI_MODEL) and start again."
)
KILL_HINT = "Kill the bot now, then start it again: the card still works. Ben decides here; switch to him to approve."


def write_scene(path: Path, *, control_url: str, scripted: bool) -> None:
    """The scene file of the local Slack."""
    prompts: list[JsonValue] = [
        {"channel": CHANNEL, "title": title, "message": f"<@{BOT_USER}> {title}"} for title in PROMPTS
    ]
    scene: dict[str, JsonValue] = {
        "prompts": prompts,
        "hints": [{"when_action": "approval_", "text": KILL_HINT}],
        "control_url": control_url,
    }
    if scripted:
        scene["banner"] = {"text": BANNER, "detail": BANNER_DETAIL}
    path.write_text(json.dumps(scene, indent=2), encoding="utf-8")


def write_settings(places: Places, world: World) -> None:
    """The bot's settings: the sample directories, and a second person who decides what is published."""
    places.settings.write_text(
        f"""\
# Written by `python -m bot demo` at each start; changes are lost.
data_dir = {quoted(places.data)}

[[policy.rules]]
tool = "publish"
verdict = "ask"
approvers = [{quoted(BEN)}]

[[workspace.mounts]]
name = "etl"
path = {quoted(world.etl)}

[[workspace.mounts]]
name = "shop"
path = {quoted(world.shop)}

[engine]
lease = "5s"  # a killed bot's threads go on soon after its return
""",
        encoding="utf-8",
    )


def quoted(value: str | Path) -> str:
    """A TOML string: JSON's escapes are all valid in one."""
    return json.dumps(str(value), ensure_ascii=False)
