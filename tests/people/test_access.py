"""Who is heard, who may start runs, who may approve, and what rules say of a call, through the wire."""

from bot import texts, texts_people
from tests.people.conftest import StageMaker, asked, bash_asks, click_late, done, once, seen, whispered
from tests.support.model import call, calls, say
from tests.support.slack_fixtures import SlackMaker
from tests.support.stage import BOT, DATA, staged

CONNECT = {
    "users": [
        {"id": "U0ANA", "name": "ana", "real_name": "Ana Ruiz"},
        {"id": "U0BEN", "name": "ben", "real_name": "Ben Okafor"},
        {"id": "U0EVE", "name": "eve", "real_name": "Eve Elsewhere", "is_stranger": True},
    ],
    "user_groups": [{"id": "S0ONCALL", "handle": "oncall", "users": ["U0BEN", "U0EVE"]}],
    "settings": {"redelivery_seconds": 3.0},
}
RULES = """
[[policy.rules]]
tool = "bash"
when = [{ argument = "command", prefix = "rm" }]
verdict = "deny"

[[policy.rules]]
tool = "bash"
people = ["@oncall"]
channels = ["C0DATA"]
workspaces = ["T0LOCAL"]
origin = "local"
verdict = "allow"

[[policy.rules]]
tool_glob = "ba*"
verdict = "ask"
approvers = []
"""


async def test_another_organisations_member_starts_nothing_and_decides_nothing(
    slack_with: SlackMaker, redis_url: str
) -> None:
    """A shared channel makes Eve neither a user nor an approver, not even as a member of the group; she is told so."""
    settings = bash_asks(approvers=["@oncall"])
    async with slack_with(CONNECT) as slack, staged(slack, redis_url, once(), settings=settings) as stage:
        eve = slack.person("U0EVE")
        await eve.send(DATA, f"{BOT} hello")
        assert (await whispered(stage, "U0EVE", "full members"))["args"]["text"] == texts.refused_guest()
        assert stage.model.bodies == []
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        await eve.send(DATA, "stop", sent.ts)
        await eve.click(card, texts_people.ALLOW_THREAD)
        await whispered(stage, "U0EVE", "@oncall to decide")
        assert not await done(stage, sent)
        await stage.ben.click(card, "Approve")
        await stage.answer(sent)
        assert await done(stage, sent)


async def test_the_first_rule_that_fits_person_channel_workspace_origin_and_arguments_decides(
    on_stage: StageMaker,
) -> None:
    """A denied command tells the model; the group's call runs without a card; anybody else's asks nobody and waits."""
    turns = (
        calls(call("bash", command="rm -rf build"), call("bash", command="touch 1.txt")),
        say("The first was not allowed and failed."),
        calls(call("bash", command="touch 2.txt")),
    )
    async with on_stage(*turns, settings=RULES) as stage:
        sent = await stage.ben.send(DATA, f"{BOT} clean up")
        await stage.answer(sent)
        assert await done(stage, sent, "1.txt")
        assert "Policy (policy.rules[0]) does not allow this call" in str(stage.model.bodies[1])
        other = await asked(stage)
        card = await stage.button(other, "Approve")
        assert "nobody (policy) can decide" in card.words
        await stage.ana.click(card, "Approve")
        await whispered(stage, "U0ANA", "nobody (policy) to decide")
        assert not await done(stage, other, "2.txt")


async def test_a_click_that_slack_delivers_again_counts_once(on_stage: StageMaker) -> None:
    """The same payload three times: one verdict, one run of the command, no notice of a second one."""
    async with on_stage(*once("echo x >> x.txt"), settings=bash_asks(approvers=["U0BEN"], quorum=1)) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        for _ in range(3):
            await click_late(stage, card, "Approve", "U0BEN")
        await stage.answer(sent)
        await seen(stage, sent, "Ran.")
        assert (await stage.workspace(sent)).read_bytes("x.txt") == b"x\n"
        assert await stage.slack.calls("chat.postEphemeral") == []


async def test_what_cannot_be_seen_is_shown_on_the_card(on_stage: StageMaker) -> None:
    """A right-to-left override and a zero-width space stand there in words, and the bytes that run are those shown."""
    command = "echo ok > done.txt # \u202egpj\u200b"
    async with on_stage(*once(command), settings=bash_asks()) as stage:
        sent = await asked(stage)
        card = await stage.button(sent, "Approve")
        assert "⟨U+202E⟩gpj⟨U+200B⟩" in card.words
        await stage.ana.click(card, "Approve")
        await stage.answer(sent)
        assert await done(stage, sent)
