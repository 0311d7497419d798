"""What a person can have happen again from the control page."""

from tests.support.slack import LocalSlack


async def test_the_page_offers_every_kind_of_fault(slack: LocalSlack) -> None:
    """429, 5xx, ok:false, resets, sealed streams, redelivery, changes without an edit, dropped sockets."""
    async with slack.http.get(f"{slack.url}/_local/control") as answer:
        page = await answer.text()
    kinds = ("ratelimited", "http_500", "error", "reset", "reset_after", "http_500_after", "html", "slow")
    assert all(f'value="{kind}"' in page for kind in kinds)
    for act in ("POST stream", "POST again", "POST socket", "DELETE faults"):
        assert f'data-do="{act}"' in page


async def test_the_newest_message_is_delivered_again_and_told_as_changed(slack: LocalSlack) -> None:
    """With the same event id; and with the same text before and after."""
    await slack.person("U0ANA").send("C0DATA", "hello")
    await slack.control("POST", "again", {"what": "event"})
    await slack.control("POST", "again", {"what": "edit"})
    first, again, changed = [item["payload"] for item in await slack.deliveries()]
    assert first["event_id"] == again["event_id"]
    assert changed["event"]["subtype"] == "message_changed"
    assert changed["event"]["message"]["text"] == changed["event"]["previous_message"]["text"] == "hello"


async def test_without_a_message_there_is_nothing_to_repeat(slack: LocalSlack) -> None:
    """The page says so."""
    async with slack.http.post(f"{slack.url}/_local/test/again", json={"what": "event"}) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"] == "no message was delivered yet"
