"""Which permission of Slack each event and each feature needs: data only, for `doctor` and the check of manifest.yml.

Sources: the method and event pages of docs.slack.dev, as of 2026-11. Slack's own manifest schema does not know these
rules, and Slack refuses a manifest that breaks them.
"""

from dataclasses import dataclass
from types import MappingProxyType

APP_LEVEL_SCOPE = "connections:write"
"""The one scope of the app-level token, which Socket Mode connects with."""

EVENT_SCOPES: MappingProxyType[str, str | None] = MappingProxyType(
    {
        "agent_session_stopped": "assistant:write",
        "agent_session_title_changed": "assistant:write",
        "app_context_changed": "assistant:write",
        "app_home_opened": None,
        "app_mention": "app_mentions:read",
        "app_uninstalled": None,
        "message.channels": "channels:history",
        "message.groups": "groups:history",
        "message.im": "im:history",
        "message.mpim": "mpim:history",
        "reaction_added": "reactions:read",
        "tokens_revoked": None,
    }
)
"""Every event Handrail listens to, with the scope without which Slack does not deliver it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """Something Handrail does that needs scopes, the Web API methods behind it, and what is lost without."""

    scopes: tuple[str, ...]
    methods: tuple[str, ...]
    without: str
    optional: bool = False


FEATURES: MappingProxyType[str, Feature] = MappingProxyType(
    {
        "speak": Feature(
            scopes=("chat:write",),
            methods=(
                "chat.postMessage",
                "chat.update",
                "chat.delete",
                "chat.postEphemeral",
                "chat.startStream",
                "chat.appendStream",
                "chat.stopStream",
            ),
            without="Handrail cannot answer.",
        ),
        "agent_view": Feature(
            scopes=("assistant:write", "chat:write"),
            methods=("agents.sessions.setStatus", "agents.sessions.rename", "assistant.threads.setSuggestedPrompts"),
            without="No status, no native Stop button and no suggested prompts.",
        ),
        "thread_context": Feature(
            scopes=("channels:history", "groups:history", "im:history", "mpim:history"),
            methods=("conversations.replies",),
            without="A mention in the middle of a thread does not bring its earlier messages along.",
        ),
        "who_may": Feature(
            scopes=("users:read",),
            methods=("users.info",),
            without="Guests cannot be told from members, so nobody may start a run.",
        ),
        "direct_message": Feature(
            scopes=("im:write",),
            methods=("conversations.open",),
            without="Approvers outside of the channel and people who are waited for get no direct message.",
        ),
        "files_in": Feature(
            scopes=("files:read",),
            methods=("files.info",),
            without="Files attached to a message do not reach the workspace.",
        ),
        "files_out": Feature(
            scopes=("files:write",),
            methods=("files.getUploadURLExternal", "files.completeUploadExternal"),
            without="Charts, long output and results cannot be uploaded.",
        ),
        "commands": Feature(
            scopes=("commands",),
            methods=(),
            without="No /handrail and no message shortcut.",
        ),
        "reaction_ways": Feature(
            scopes=("reactions:read",),
            methods=(),
            without="A reaction can neither start nor stop a run.",
        ),
        "quick_sign": Feature(
            scopes=("reactions:write",),
            methods=("reactions.add", "reactions.remove"),
            without="No reaction as the first sign of life; the status and the plan message still show.",
            optional=True,
        ),
        "groups_as_approvers": Feature(
            scopes=("usergroups:read",),
            methods=("usergroups.list", "usergroups.users.list"),
            without='A user group such as "@oncall" cannot be named as approvers.',
            optional=True,
        ),
        "channel_facts": Feature(
            scopes=("channels:read", "groups:read"),
            methods=("conversations.info", "conversations.members"),
            without="Cards show a channel's id in place of its name, and every approver is also sent a direct message.",
            optional=True,
        ),
        "reading": Feature(
            scopes=("channels:read", "groups:read", "channels:history", "groups:history"),
            methods=("conversations.history",),
            without="The agent cannot read other channels, since nobody can tell who may see them.",
            optional=True,
        ),
    }
)
"""Everything Handrail does in Slack beyond receiving events."""


def required_scopes() -> frozenset[str]:
    """Return the bot scopes without which a part of the promised behaviour is missing."""
    of_events = {scope for scope in EVENT_SCOPES.values() if scope is not None}
    of_features = {scope for feature in FEATURES.values() if not feature.optional for scope in feature.scopes}
    return frozenset(of_events | of_features)


def optional_scopes() -> frozenset[str]:
    """Return the bot scopes that may be declined at installation."""
    wanted = {scope for feature in FEATURES.values() if feature.optional for scope in feature.scopes}
    return frozenset(wanted) - required_scopes()
