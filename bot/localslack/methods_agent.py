"""agents.sessions.* and the older assistant.threads.*."""

from typing import Any

from bot.localslack import limits
from bot.localslack.call import Call, Method, Methods
from bot.localslack.errors import SlackRefusal, refused_arguments
from bot.localslack.methods_chat import tell_status
from bot.localslack.sessions import STATUSES
from bot.localslack.values import JsonObject, as_list, as_objects, as_text, parse_json


def thread_of(call: Call) -> tuple[str, str]:
    """The conversation and thread that a call about a session names."""
    channel = call.joined_channel("channel_id")
    return channel, call.thread(channel) or ""


async def set_session_status(call: Call) -> JsonObject:
    """agents.sessions.setStatus."""
    status = call.needed("status")
    if status not in STATUSES:
        raise refused_arguments(f"must be one of: {', '.join(STATUSES)} [json-pointer:/status]")
    channel, thread_ts = thread_of(call)
    title = _title(call)
    known = call.workspace.sessions.by_thread.get((channel, thread_ts))
    changes: JsonObject = {"status": status, **({"title": title} if title and known is None else {})}
    call.workspace.sessions.set(channel, thread_ts, changes)
    tell_status(call, channel, thread_ts)
    return {"agent_status": status}


async def rename_session(call: Call) -> JsonObject:
    """agents.sessions.rename."""
    call.needed("title")
    channel, thread_ts = thread_of(call)
    if call.workspace.sessions.status(channel, thread_ts) is None:
        raise SlackRefusal("session_not_found")
    call.workspace.sessions.set(channel, thread_ts, {"title": _title(call)})
    tell_status(call, channel, thread_ts)
    return {}


def _title(call: Call) -> str:
    title = call.text("title")
    if len(title) > limits.SESSION_TITLE:
        raise refused_arguments(f"must be less than {limits.SESSION_TITLE + 1} characters [json-pointer:/title]")
    return title


async def set_line(call: Call) -> JsonObject:
    """assistant.threads.setStatus: a line of text under the thread, empty to clear."""
    channel, thread_ts = thread_of(call)
    if not thread_ts:
        raise refused_arguments("missing required field: thread_ts")
    given: Any = call.args.get("loading_messages")
    loading = [as_text(text) for text in as_list(parse_json(given) if isinstance(given, str) else given)]
    if len(loading) > limits.LOADING_MESSAGES:
        raise refused_arguments(
            f"no more than {limits.LOADING_MESSAGES} items allowed [json-pointer:/loading_messages]"
        )
    call.workspace.sessions.set_line(channel, thread_ts, call.text("status"), loading)
    tell_status(call, channel, thread_ts)
    return {}


async def set_title(call: Call) -> JsonObject:
    """assistant.threads.setTitle."""
    call.needed("title")
    channel, thread_ts = thread_of(call)
    call.workspace.sessions.set(channel, thread_ts, {"title": _title(call)})
    tell_status(call, channel, thread_ts)
    return {}


async def set_prompts(call: Call) -> JsonObject:
    """assistant.threads.setSuggestedPrompts."""
    channel, thread_ts = thread_of(call)
    given: Any = call.args.get("prompts")
    prompts = as_objects(parse_json(given) if isinstance(given, str) else given)
    if not 1 <= len(prompts) <= limits.SUGGESTED_PROMPTS or not all(
        as_text(prompt.get("title")) and as_text(prompt.get("message")) for prompt in prompts
    ):
        raise refused_arguments("prompts must be 1 to 4 objects with title and message [json-pointer:/prompts]")
    suggested: JsonObject = {"title": call.text("title"), "prompts": prompts}
    call.workspace.sessions.prompts[channel, thread_ts] = suggested
    update = {"type": "suggested_prompts", "channel": channel, "thread_ts": thread_ts, **suggested}
    call.workspace.feed.publish(update, call.workspace.directory.members[channel])
    return {}


METHODS: Methods = {
    "agents.sessions.setStatus": Method(handler=set_session_status, scope="chat:write"),
    "agents.sessions.rename": Method(handler=rename_session, scope="chat:write"),
    "assistant.threads.setStatus": Method(handler=set_line, scope=("chat:write", "assistant:write")),
    "assistant.threads.setTitle": Method(handler=set_title, scope="assistant:write"),
    "assistant.threads.setSuggestedPrompts": Method(handler=set_prompts, scope="assistant:write", tier=4),
}
