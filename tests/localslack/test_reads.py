"""The methods that read: each answers in Slack's shape, and every method of the look-alike is called by some test."""

import re
from pathlib import Path
from typing import Any

from bot.localslack.wire import METHODS
from tests.support.slack import LocalSlack

HERE = Path(__file__).parent
INDIRECT = {
    "apps.connections.open": "the socket client",
    "files.getUploadURLExternal": "files_upload_v2",
    "files.completeUploadExternal": "files_upload_v2",
    "chat.scheduleMessage": "refused on purpose",
}


async def test_who_is_there(client: Any) -> None:
    """auth.test, team.info, bots.info, users and user groups tell of the scene."""
    me = await client.auth_test()
    assert (me["user_id"], me["bot_id"], me["team_id"]) == ("U0HANDRAIL", "B0HANDRAIL", "T0LOCAL")
    assert me.headers["x-oauth-scopes"]
    assert (await client.team_info())["team"]["domain"] == "harbor-coffee"
    assert (await client.bots_info(bot="B0HANDRAIL"))["bot"]["app_id"] == "A0HANDRAIL"
    people = (await client.users_list(limit=2))["members"]
    assert [person["id"] for person in people] == ["U0ANA", "U0BEN"]
    assert (await client.usergroups_list(include_users=True))["usergroups"][0]["users"] == ["U0BEN", "U0CLEO"]
    assert (await client.usergroups_users_list(usergroup="S0ONCALL"))["users"] == ["U0BEN", "U0CLEO"]
    assert (await client.api_test(foo="bar"))["args"] == {"foo": "bar"}


async def test_where_the_bot_is(slack: LocalSlack, client: Any) -> None:
    """Conversations are described, listed and opened; joining makes the bot a member."""
    assert (await client.conversations_info(channel="C0DATA"))["channel"]["name"] == "data-imports"
    assert (await client.conversations_info(channel="D0ANA"))["channel"]["user"] == "U0ANA"
    listed = (await client.conversations_list(types="public_channel,im"))["channels"]
    assert [channel["id"] for channel in listed][:3] == ["C0DATA", "C0GENERAL", "D0ANA"]
    await slack.set_member("C0GENERAL", "U0HANDRAIL", member=False)
    assert [entry["id"] for entry in (await client.users_conversations())["channels"]] == ["C0DATA"]
    await client.conversations_join(channel="C0GENERAL")
    assert "U0HANDRAIL" in (await client.conversations_members(channel="C0GENERAL"))["members"]
    assert (await client.conversations_open(users="U0BEN"))["channel"]["id"] == "D0BEN"


async def test_messages_and_files_can_be_pointed_at(slack: LocalSlack, client: Any) -> None:
    """Permalinks name channel and timestamp, reactions.get shows the message, files are listed and deleted."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    await client.reactions_add(channel="C0DATA", timestamp=root.ts, name="eyes")
    reply = await client.chat_postMessage(channel="C0DATA", thread_ts=root.ts, text="r")
    link = (await client.chat_getPermalink(channel="C0DATA", message_ts=reply["ts"]))["permalink"]
    assert link.endswith(f"/C0DATA/p{reply['ts'].replace('.', '')}?thread_ts={root.ts}&cid=C0DATA")
    shown = (await client.reactions_get(channel="C0DATA", timestamp=root.ts))["message"]
    assert shown["reactions"][0]["name"] == "eyes"
    file_id = (await client.files_upload_v2(content=b"x", filename="x.txt"))["file"]["id"]
    assert [file["id"] for file in (await client.files_list())["files"]] == [file_id]
    await client.files_delete(file=file_id)
    assert (await client.files_list())["files"] == []


async def test_threads_have_titles_and_prompts(slack: LocalSlack, client: Any) -> None:
    """The older assistant methods still answer."""
    root = await slack.person("U0ANA").send("D0ANA", "root")
    place = {"channel_id": "D0ANA", "thread_ts": root.ts}
    await client.assistant_threads_setTitle(**place, title="Imports")
    prompts = [{"title": "Rows", "message": "Why did rows drop?"}]
    await client.assistant_threads_setSuggestedPrompts(**place, prompts=prompts)
    sessions = (await slack.page("GET", "state", {"user": "U0ANA"}))["sessions"]
    assert [(entry["thread_ts"], entry["title"]) for entry in sessions] == [(root.ts, "Imports")]


async def test_views_are_updated_by_id_with_a_hash(slack: LocalSlack, client: Any) -> None:
    """views.update of a Home tab works by view_id and refuses an outdated hash."""
    home = {"type": "home", "blocks": [{"type": "divider"}]}
    first = (await client.views_publish(user_id="U0ANA", view=home))["view"]
    second = (await client.views_update(view_id=first["id"], hash=first["hash"], view=home))["view"]
    assert second["hash"] != first["hash"]
    outdated = await slack.http.post(
        slack.api_url + "views.update",
        json={"view_id": first["id"], "hash": first["hash"], "view": home},
        headers={"Authorization": f"Bearer {slack.bot_token}"},
    )
    assert (await outdated.json())["error"] == "hash_conflict"


def test_every_method_of_the_look_alike_is_called_by_a_test() -> None:
    """A method nobody calls is a promise nobody checks."""
    words = "\n".join(file.read_text(encoding="utf-8") for file in HERE.glob("test_*.py"))
    called = set(re.findall(r"client\.(\w+)\(", words)) | set(re.findall(r'"([a-z]+\.[\w.]+)"', words))
    missing = {
        name for name in METHODS if name.replace(".", "_") not in called and name not in called and name not in INDIRECT
    }
    assert missing == set()
