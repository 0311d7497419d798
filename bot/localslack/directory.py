"""People and conversations: who exists, who is a member of what, and how Slack describes them."""

from bot.localslack.scene import Bot, Channel, Person, Scene
from bot.localslack.store import Store
from bot.localslack.values import JsonObject

CREATED = 1_700_000_000


class Directory:
    """The users and channels of the scene, with memberships that may change and are kept."""

    def __init__(self, scene: Scene, store: Store) -> None:
        self.scene = scene
        self.store = store
        self.people: dict[str, Person] = {person.id: person for person in scene.users}
        self.channels: dict[str, Channel] = {channel.id: channel for channel in scene.channels}
        self.members: dict[str, list[str]] = {}
        for channel in scene.channels:
            named = channel.members if channel.members is not None else tuple(self.people)
            bot = (scene.bot.user_id,) if channel.bot_member else ()
            self.members[channel.id] = [*named, *bot]
        for person in scene.users:
            self.members[direct_channel(person.id)] = [person.id, scene.bot.user_id]
        for channel_id, body in store.all("members"):
            if channel_id in self.members:
                self.members[channel_id] = [str(user) for user in body["users"]]

    @property
    def bot(self) -> Bot:
        """The app's bot user."""
        return self.scene.bot

    def set_member(self, channel_id: str, user_id: str, *, member: bool) -> bool:
        """Let somebody join or leave; tells whether that changed anything."""
        users = self.members[channel_id]
        if (user_id in users) == member:
            return False
        self.members[channel_id] = [*users, user_id] if member else [user for user in users if user != user_id]
        self.store.put("members", channel_id, {"users": self.members[channel_id]})
        return True

    def is_member(self, channel_id: str, user_id: str) -> bool:
        """Whether the user is in the conversation."""
        return user_id in self.members.get(channel_id, ())

    def bot_in(self, channel_id: str) -> bool:
        """Whether the bot is in the conversation."""
        return self.is_member(channel_id, self.bot.user_id)

    def exists(self, channel_id: str) -> bool:
        """Whether there is such a conversation."""
        return channel_id in self.members

    def direct_with(self, channel_id: str) -> str | None:
        """The person of a direct message channel; None for a channel."""
        if not channel_id.startswith("D") or channel_id not in self.members:
            return None
        return self.members[channel_id][0]

    def find_channel(self, name_or_id: str) -> str | None:
        """The id of a conversation named by id, `#name`, name, or a person's id (their direct messages)."""
        if name_or_id in self.members:
            return name_or_id
        if name_or_id in self.people:
            return direct_channel(name_or_id)
        bare = name_or_id.removeprefix("#")
        return next((channel.id for channel in self.channels.values() if channel.name == bare), None)

    def channel_type(self, channel_id: str) -> str:
        """`im`, `group` or `channel`, as the `message` event says it."""
        if channel_id.startswith("D"):
            return "im"
        return "group" if self.channels[channel_id].is_private else "channel"

    def channel_name(self, channel_id: str) -> str:
        """The name in interaction payloads: `directmessage` for direct messages."""
        return "directmessage" if channel_id.startswith("D") else self.channels[channel_id].name

    def user_name(self, user_id: str) -> str:
        """The short name of a person or of the bot."""
        return self.people[user_id].name if user_id in self.people else self.bot.name.lower()

    def visible_to(self, user_id: str) -> list[str]:
        """The conversations of a user, channels first."""
        return [channel_id for channel_id, users in self.members.items() if user_id in users]

    def user_object(self, user_id: str) -> JsonObject | None:
        """A `user` as users.info shows it; None when there is nobody of that id."""
        if user_id == self.bot.user_id:
            return self._bot_user()
        person = self.people.get(user_id)
        if person is None:
            return None
        return {
            **self._user_base(person.id, person.name, person.real_name or person.name, person.color),
            "tz": person.tz,
            "tz_label": person.tz,
            "is_admin": person.is_admin,
            "is_owner": False,
            "is_primary_owner": False,
            "is_restricted": person.is_restricted,
            "is_ultra_restricted": False,
            "is_bot": False,
            **({"is_stranger": True, "team_id": "T0ELSEWHERE"} if person.is_stranger else {}),
        }

    def _bot_user(self) -> JsonObject:
        base = self._user_base(self.bot.user_id, self.bot.name.lower(), self.bot.name, "5a4bbe")
        base["profile"] = {**base["profile"], "bot_id": self.bot.bot_id, "api_app_id": self.bot.app_id}
        return {**base, "is_bot": True, "is_restricted": False, "is_admin": False, "tz": "Etc/UTC"}

    def _user_base(self, user_id: str, name: str, real_name: str, color: str) -> JsonObject:
        return {
            "id": user_id,
            "team_id": self.scene.team.id,
            "name": name,
            "deleted": False,
            "color": color,
            "real_name": real_name,
            "tz_offset": 3600,
            "profile": {
                "real_name": real_name,
                "display_name": name,
                "real_name_normalized": real_name,
                "display_name_normalized": name,
                "avatar_hash": f"g{user_id.lower()}",
                "email": f"{name}@{self.scene.team.domain}.example",
                "team": self.scene.team.id,
            },
            "is_app_user": False,
            "updated": CREATED,
        }

    def channel_object(self, channel_id: str, viewer: str | None = None) -> JsonObject:
        """A `channel` as conversations.info shows it to the viewer (the bot by default)."""
        person = self.direct_with(channel_id)
        base: JsonObject = {"id": channel_id, "created": CREATED, "is_archived": False, "is_org_shared": False}
        if person is not None:
            return {**base, "is_im": True, "user": person, "is_user_deleted": False, "priority": 0, "is_open": True}
        channel = self.channels[channel_id]
        return {
            **base,
            "name": channel.name,
            "name_normalized": channel.name,
            "is_channel": not channel.is_private,
            "is_group": channel.is_private,
            "is_im": False,
            "is_mpim": False,
            "is_private": channel.is_private,
            "is_general": channel.name == "general",
            "is_shared": False,
            "is_ext_shared": channel.is_ext_shared,
            "is_member": self.is_member(channel_id, viewer or self.bot.user_id),
            "creator": next(iter(self.people), ""),
            "context_team_id": self.scene.team.id,
            "topic": {"value": channel.topic, "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
            "previous_names": [],
            "num_members": len(self.members[channel_id]),
        }


def direct_channel(user_id: str) -> str:
    """The id of a person's direct messages with the bot: `U0ANA` has `D0ANA`."""
    return "D" + user_id[1:]
