"""Files: the two-step upload, sharing, downloads with and without a token."""

from typing import Any

from tests.support.slack import LocalSlack

CONTENT = b"date,rows\n2026-11-29,312\n"


async def test_the_bot_uploads_a_file_into_a_thread(slack: LocalSlack, client: Any) -> None:
    """files_upload_v2 of Slack's library puts a message with the file into the thread; files.info knows where."""
    root = await slack.person("U0ANA").send("C0DATA", "root")
    answer = await client.files_upload_v2(
        content=CONTENT, filename="rows.csv", title="Rows", channel="C0DATA", thread_ts=root.ts, initial_comment="Here"
    )
    message = await slack.wait_message("C0DATA", root.ts, lambda m: bool(m.files), "the file")
    assert message.text == "Here"
    assert (message.files[0]["name"], message.files[0]["title"], message.files[0]["size"]) == (
        "rows.csv",
        "Rows",
        len(CONTENT),
    )
    info = (await client.files_info(file=answer["file"]["id"]))["file"]
    assert info["shares"]["public"]["C0DATA"][0]["ts"] == message.ts
    assert await slack.person("U0ANA").download(message.files[0]) == CONTENT


async def test_an_attached_file_makes_the_message_a_file_share(slack: LocalSlack) -> None:
    """The event of a message with a file has subtype file_share and the file; the mention has the file too."""
    ana = slack.person("U0ANA")
    file_id = await ana.upload("rows.csv", CONTENT)
    await ana.send("C0DATA", "<@U0HANDRAIL> look", file_ids=[file_id])
    events = [item["payload"]["event"] for item in await slack.deliveries()]
    kinds = [(event["type"], event.get("subtype")) for event in events]
    assert kinds == [("app_mention", None), ("message", "file_share"), ("file_shared", None)]
    assert [event["files"][0]["id"] for event in events[:2]] == [file_id, file_id]
    assert events[0]["files"][0]["mimetype"] == "text/csv"


async def test_a_download_without_the_token_is_a_sign_in_page_with_status_200(slack: LocalSlack) -> None:
    """The trap of the real service: HTML instead of the file."""
    ana = slack.person("U0ANA")
    file_id = await ana.upload("rows.csv", CONTENT)
    message = await ana.send("C0DATA", "look", file_ids=[file_id])
    url = message.files[0]["url_private"]
    async with slack.http.get(url) as response:
        assert (response.status, response.content_type) == (200, "text/html")
    async with slack.http.get(url, headers={"Authorization": f"Bearer {slack.bot_token}"}) as response:
        assert (response.status, await response.read()) == (200, CONTENT)
