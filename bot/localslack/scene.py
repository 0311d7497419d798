"""The scene: who and what is in the workspace when the look-alike starts."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bot.localslack import limits


class SceneModel(BaseModel):
    """Base of everything a scene file holds: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Team(SceneModel):
    """The workspace."""

    id: str = "T0LOCAL"
    name: str = "Harbor Coffee"
    domain: str = "harbor-coffee"


class Bot(SceneModel):
    """The installed app and its bot user. `scopes` None means everything the look-alike knows."""

    user_id: str = "U0HANDRAIL"
    bot_id: str = "B0HANDRAIL"
    app_id: str = "A0HANDRAIL"
    name: str = "Handrail"
    bot_token: str = "xoxb-local-bot"  # noqa: S105 - a documented default of a local process
    app_token: str = "xapp-local-app"  # noqa: S105 - a documented default of a local process
    signing_secret: str = "local-signing-secret"  # noqa: S105 - a documented default of a local process
    scopes: tuple[str, ...] | None = None


class Person(SceneModel):
    """A human member, guest (`is_restricted`) or member of another organisation (`is_stranger`)."""

    id: str
    name: str
    real_name: str = ""
    is_restricted: bool = False
    is_stranger: bool = False
    is_admin: bool = False
    tz: str = "Europe/Berlin"
    color: str = "4bbe2e"


class Channel(SceneModel):
    """A public or private channel. Direct messages with the bot exist for each person without being listed."""

    id: str
    name: str
    topic: str = ""
    members: tuple[str, ...] | None = None
    bot_member: bool = True
    is_private: bool = False
    is_ext_shared: bool = False
    """Shared with another organisation through Slack Connect."""


class UserGroup(SceneModel):
    """A user group such as `@oncall`."""

    id: str
    handle: str
    users: tuple[str, ...] = ()


class Banner(SceneModel):
    """A notice at the top of the page."""

    text: str
    detail: str = ""


class Prompt(SceneModel):
    """A message the page offers to send with one click."""

    channel: str
    title: str
    message: str


class Hint(SceneModel):
    """A hint the page shows while an armed button's `action_id` starts with `when_action`."""

    when_action: str
    text: str


class Shortcut(SceneModel):
    """A shortcut the page offers: of a message, or global."""

    callback_id: str
    name: str
    type: Literal["message", "global"] = "message"


class Command(SceneModel):
    """A slash command the page completes."""

    command: str
    description: str = ""
    usage_hint: str = ""


class Settings(SceneModel):
    """How strictly and how fast the look-alike behaves; changeable at run time through the test API."""

    rate_limits: Literal["off", "slack"] = "off"
    rate_speed: float = 1.0
    """How many times faster than Slack's the limits refill, so that a test of many minutes takes seconds."""
    redelivery_seconds: float = limits.REDELIVERY_SECONDS
    ack_seconds: float = limits.ACK_SECONDS
    trigger_seconds: float = limits.TRIGGER_SECONDS
    stream_seconds: float = limits.STREAM_SECONDS
    file_share_seconds: float = 0.05
    mention_order: Literal["app_mention_first", "message_first"] = "app_mention_first"
    echo_own_events: bool = True
    reads_per_minute: int | None = None
    page_size_limit: int = limits.LARGEST_PAGE


class Scene(SceneModel):
    """The whole scene file; every part may be left out."""

    team: Team = Team()
    bot: Bot = Bot()
    users: tuple[Person, ...] = (
        Person(id="U0ANA", name="ana", real_name="Ana Ruiz", color="4bbe2e", is_admin=True),
        Person(id="U0BEN", name="ben", real_name="Ben Okafor", color="e7392d", tz="Europe/London"),
        Person(id="U0CLEO", name="cleo", real_name="Cleo Lind", color="3c989f", tz="Europe/Stockholm"),
        Person(id="U0GUS", name="gus", real_name="Gus Weber", color="9b3b45", is_restricted=True),
    )
    channels: tuple[Channel, ...] = (
        Channel(id="C0DATA", name="data-imports", topic="Nightly and hourly imports"),
        Channel(id="C0GENERAL", name="general", topic="Company-wide announcements"),
    )
    user_groups: tuple[UserGroup, ...] = (UserGroup(id="S0ONCALL", handle="oncall", users=("U0BEN", "U0CLEO")),)
    banner: Banner | None = None
    prompts: tuple[Prompt, ...] = ()
    hints: tuple[Hint, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    commands: tuple[Command, ...] = ()
    control_url: str | None = None
    events_url: str | None = None
    settings: Settings = Settings()

    def page_part(self) -> dict[str, Any]:
        """What the page shows of the scene."""
        return {
            "banner": self.banner.model_dump() if self.banner else None,
            "prompts": [prompt.model_dump() for prompt in self.prompts],
            "hints": [hint.model_dump() for hint in self.hints],
            "shortcuts": [shortcut.model_dump() for shortcut in self.shortcuts],
            "commands": [command.model_dump() for command in self.commands],
            "has_control": self.control_url is not None,
        }


def load_scene(path: Path | None) -> Scene:
    """The scene of a file, or the built-in one.

    Raises OSError when the file cannot be read and pydantic's ValidationError when it does not fit.
    """
    return Scene() if path is None else Scene.model_validate_json(path.read_bytes())
