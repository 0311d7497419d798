"""Every way to reach it: shortcut, reaction, /handrail, App Home, suggested prompts."""

import asyncio
from datetime import timedelta

from bot import texts, texts_surface
from bot.listeners.as_agent import AsAgent, AskedAs
from bot.listeners.fairness import Fairness
from runtime.budget.ledger import Ledger
from runtime.schedule.records import Schedule
from runtime.schedule.store import Schedules
from runtime.session.commands import Commands
from runtime.settings_budget import FairSettings
from runtime.store.connection import connect
from runtime.store.redis_store import SessionStore
from tests.localslack.bolt import connected_client
from tests.support.model import call, calls, held, say
from tests.support.slack import LocalSlack, View
from tests.support.stage import BOT, DATA
from tests.surface.conftest import StageMaker, called
from tests.waiting import wait_until

BASH_ASKS = '[[policy.rules]]\ntool = "bash"\nverdict = "ask"\napprovers = ["U0BEN"]'


async def private(slack: LocalSlack, words: str) -> None:
    """Wait until Ana was told something privately in the channel."""
    await slack.wait_message(DATA, None, lambda m: m.is_ephemeral and words in m.words + m.text, words, user="U0ANA")


async def home_with(slack: LocalSlack, user: str, words: str) -> View:
    """The person's Home tab, once it says something."""

    async def look() -> View | None:
        view = await slack.person(user).home()
        return view if view is not None and words in view.words else None

    return await wait_until(f"App Home says {words!r}", look)


async def test_the_shortcut_starts_a_run_in_the_messages_thread(on_stage: StageMaker) -> None:
    """A form asks what to do; the message comes along as a quoted record."""
    async with on_stage(say("A slow disk.")) as stage:
        message = await stage.ben.send(DATA, "the import takes hours")
        await stage.ana.shortcut("ask_about", message)
        view = await stage.ana.wait_view("the form")
        assert (await stage.ana.submit_view(view, {"text": "why?"}))["closed"]
        answer = await stage.answer(message)
        assert "A slow disk." in answer.words
        asked = str(stage.model.bodies[0]["messages"])
        assert "the import takes hours" in asked
        assert "why?" in asked


async def test_the_shortcut_says_where_it_cannot_work(on_stage: StageMaker) -> None:
    """In a channel it is not in, the form says what to do, and nothing starts."""
    async with on_stage() as stage:
        message = await stage.ben.send(DATA, "the import takes hours")
        await stage.slack.set_member(DATA, "U0HANDRAIL", member=False)
        await stage.ana.shortcut("ask_about", message)
        view = await stage.ana.wait_view("the form")
        answered = await stage.ana.submit_view(view, {})
        assert texts_surface.NOT_A_MEMBER in str(answered.get("errors"))


async def test_a_reaction_starts_one_run_and_others_start_none(on_stage: StageMaker) -> None:
    """The configured reaction, once a person and message; in the thread of the message."""
    async with on_stage(say("Looked.")) as stage:
        message = await stage.ben.send(DATA, "the import takes hours")
        await stage.ana.react(message, "eyes")
        await stage.ana.react(message, "robot_face")
        await stage.answer(message)
        await stage.ana.react(message, "robot_face", remove=True)
        await stage.ana.react(message, "robot_face")
        await stage.slack.wait_idle()
        assert len(stage.model.bodies) == 1
        assert "the import takes hours" in str(stage.model.bodies[0]["messages"])


async def test_no_way_in_leads_past_the_requests_that_are_fair(on_stage: StageMaker) -> None:
    """After Ana's one request an hour neither reaction nor shortcut nor command starts anything, and each says why."""
    async with on_stage(say("One."), settings="[fair]\nrequests_per_person = 1\n") as stage:
        sent = await stage.ana.send(DATA, f"{BOT} one")
        await stage.answer(sent)
        message = await stage.ben.send(DATA, "the import takes hours")
        await stage.ana.react(message, "robot_face")
        await private(stage.slack, "which is the limit")
        await stage.ana.shortcut("ask_about", message)
        form = await stage.ana.wait_view("the form")
        assert "which is the limit" in str((await stage.ana.submit_view(form, {})).get("errors"))
        await stage.ana.slash(DATA, "/handrail", "as swe fix it")
        await stage.slack.wait_idle()
        told = [m.words + m.text for m in await stage.slack.messages(DATA, None, user="U0ANA") if m.is_ephemeral]
        assert len([words for words in told if "which is the limit" in words]) == 2
        assert not [m for m in await stage.slack.messages(DATA, None) if "asks `swe`" in m.words + m.text]
        assert len(stage.model.bodies) == 1


async def test_a_task_of_the_command_that_cannot_be_recorded_leaves_no_message(
    on_stage: StageMaker, slack: LocalSlack, store: SessionStore
) -> None:
    """It is taken back, and the person is told; so are they where the bot is not in the channel."""
    asked = AskedAs(user="U0ANA", team="T0LOCAL", channel=DATA, rest="swe fix it", trigger_id="1")
    away = Commands(SessionStore(connect("redis://127.0.0.1:1/0"), store.keys))
    fairness = Fairness(ledger=Ledger.beside(store), commands=away, settings=FairSettings(), idle=timedelta(days=1))
    async with connected_client(slack) as client:
        way = AsAgent(client=client, commands=away, fairness=fairness)
        assert await way.start(asked) == texts_surface.UNREACHABLE
    await away.store.aclose()
    assert [item["ok"] for item in await slack.calls("chat.postMessage")] == [True]
    assert [item["ok"] for item in await slack.calls("chat.delete")] == [True]
    async with on_stage() as stage:
        await slack.set_member(DATA, "U0HANDRAIL", member=False)
        await stage.ana.slash(DATA, "/handrail", "as swe fix it")
        await private(slack, texts_surface.NOT_A_MEMBER)


async def test_the_command_helps_and_says_what_it_does_not_know(on_stage: StageMaker) -> None:
    """Privately."""
    async with on_stage() as stage:
        await stage.ana.slash(DATA, "/handrail")
        await private(stage.slack, "/handrail status")
        await stage.ana.slash(DATA, "/handrail", "fly")
        await private(stage.slack, "I don't know `fly`")
        await stage.ana.slash(DATA, "/handrail", "settings")
        await private(stage.slack, "one a finished step")
        await stage.ana.slash(DATA, "/handrail", "usage")
        await private(stage.slack, "*Workspace*")


async def test_the_command_shows_what_runs_and_stops_it(on_stage: StageMaker) -> None:
    """Only the person's own runs in this channel; each thread gets its last word."""
    gate = asyncio.Event()
    async with on_stage(held(gate, say("Late."))) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count the orders")
        await stage.model.wait_for_requests(1)
        await stage.ana.slash(DATA, "/handrail", "status")
        await private(stage.slack, "count the orders")
        await stage.ana.slash(DATA, "/handrail", "stop")
        await private(stage.slack, "Stopping 1 run")
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "Stopped by" in m.words, "the last word")
        gate.set()
        await stage.ana.slash(DATA, "/handrail", "stop")
        await private(stage.slack, texts_surface.STOPPING_NONE)


async def test_app_home_shows_what_waits_and_its_button_decides(on_stage: StageMaker) -> None:
    """Ben approves the exact call from App Home; Ana sees her run there and nothing to decide."""
    async with on_stage(calls(call("bash", command="echo 42")), say("Done."), settings=BASH_ASKS) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count the orders")
        await stage.button(sent, "Approve")
        hers = await home_with(stage.slack, "U0ANA", texts_surface.HOME_RUNNING)
        assert "count the orders" in hers.words
        assert texts_surface.NOTHING_WAITS in hers.words
        his = await home_with(stage.slack, "U0BEN", "echo 42")
        await stage.ben.click_in_view(his, "home_approve")
        await stage.answer(sent)
        await home_with(stage.slack, "U0BEN", texts_surface.NOTHING_WAITS)


async def test_app_home_lists_schedules_and_their_buttons_work(on_stage: StageMaker) -> None:
    """Only the person's own: paused, resumed and deleted from there."""
    async with on_stage() as stage:
        schedules = Schedules.beside(stage.core.store)
        common = {"team": "T0LOCAL", "channel": DATA, "target": "channel", "kind": "cron", "zone": "UTC"}
        for owner, prompt in (("U0ANA", "look at the import"), ("U0BEN", "count the orders")):
            named = {"id": f"s{owner}", "owner": owner, "prompt": prompt, "spec": "0 9 * * *", "created_ms": 1}
            await schedules.put(Schedule.model_validate({**common, **named}), 4_000_000_000_000)
        view = await home_with(stage.slack, "U0ANA", "look at the import")
        assert "count the orders" not in view.words
        await stage.ana.click_in_view(view, "home_schedule_pause")
        view = await home_with(stage.slack, "U0ANA", "Resume")
        kept = await schedules.get("sU0ANA")
        assert kept is not None
        assert kept.paused
        await stage.ana.click_in_view(view, "home_schedule_resume")
        view = await home_with(stage.slack, "U0ANA", "Pause")
        await stage.ana.click_in_view(view, "home_schedule_delete")
        await home_with(stage.slack, "U0ANA", "You have no schedules")
        his = await home_with(stage.slack, "U0BEN", "count the orders")
        await stage.ben.click_in_view(his, "home_schedule_pause")
        await home_with(stage.slack, "U0BEN", "Resume")
        assert [one.id for one in await schedules.all()] == ["sU0BEN"]


async def test_a_schedule_that_is_over_says_so_in_app_home(on_stage: StageMaker) -> None:
    """Its Resume changes nothing; the tab says why, and it can still be deleted there."""
    async with on_stage() as stage:
        schedules = Schedules.beside(stage.core.store)
        over = {
            "id": "sover", "owner": "U0ANA", "team": "T0LOCAL", "channel": DATA, "target": "channel", "kind": "date",
            "spec": "2020-01-31T09:00", "zone": "UTC", "prompt": "look at it", "created_ms": 1, "paused": True,
        }  # fmt: skip
        await schedules.put(Schedule.model_validate(over), 0)
        view = await home_with(stage.slack, "U0ANA", "look at it")
        await stage.ana.click_in_view(view, "home_schedule_resume")
        view = await home_with(stage.slack, "U0ANA", "is already over")
        kept = await schedules.get("sover")
        assert kept is not None
        assert kept.paused
        await stage.ana.click_in_view(view, "home_schedule_delete")
        await home_with(stage.slack, "U0ANA", "You have no schedules")


async def test_app_home_stops_a_run(on_stage: StageMaker) -> None:
    """With its Stop button."""
    gate = asyncio.Event()
    async with on_stage(held(gate, say("Late."))) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count the orders")
        await stage.model.wait_for_requests(1)
        view = await home_with(stage.slack, "U0ANA", "count the orders")
        await stage.ana.click_in_view(view, "home_stop")
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "Stopped by" in m.words, "the last word")
        gate.set()


async def test_app_home_deletes_what_is_the_persons_alone(on_stage: StageMaker) -> None:
    """One chosen thread, then every other; files and what was heard go along, and what Ben spoke in stays.

    The note about it outlives further openings of the tab.
    """
    async with on_stage(say("One."), say("Two."), say("Three."), say("Four.")) as stage:
        store, direct = stage.core.store, stage.ana.direct
        first, alone = await stage.ana.send(DATA, f"{BOT} one"), await stage.ana.send(direct, "two")
        await stage.answer(first)
        await stage.answer(alone)
        shared = await stage.ana.send(DATA, f"{BOT} three")
        await stage.answer(shared)
        await stage.ben.send(DATA, "and four", shared.ts)
        await stage.slack.wait_message(DATA, shared.ts, lambda m: "Four." in m.words, "the fourth answer")
        view = await home_with(stage.slack, "U0ANA", texts_surface.HOME_DATA)
        await stage.ana.click_in_view(view, "home_forget_thread")
        form = await stage.ana.wait_view("the threads to choose from", showing="thread")
        (offered,) = [element["options"] for element in form.elements]
        sids = [f"T0LOCAL:{sent.channel}:{sent.ts}" for sent in (first, alone, shared)]
        assert {item["value"] for item in offered} == set(sids[:2])
        await stage.ana.submit_view(form, {"thread": sids[0]})
        view = await home_with(stage.slack, "U0ANA", "Deleted 1 thread")
        assert {row.sid for row in await store.list_sessions()} == set(sids[1:])
        await stage.ana.click_in_view(view, "home_forget")
        await home_with(stage.slack, "U0ANA", "1 thread with other people")
        await home_with(stage.slack, "U0ANA", "Deleted 1 thread")
        assert {row.sid for row in await store.list_sessions()} == {sids[2]}
        heard = [f"handrail:heard:{sid}" for sid in sids]
        assert [await store.clients.commands.exists(key) for key in heard] == [0, 0, 1]


async def test_the_command_deletes_after_a_question(on_stage: StageMaker) -> None:
    """A form says what is deleted and what stays."""
    async with on_stage(say("One.")) as stage:
        alone = await stage.ana.send(DATA, f"{BOT} one")
        await stage.answer(alone)
        await stage.ana.slash(DATA, "/handrail", "forget")
        view = await stage.ana.wait_view("the question")
        assert "digests" in view.words
        await stage.ana.submit_view(view, {})
        await private(stage.slack, "Deleted 1 thread")
        assert not await stage.core.store.list_sessions()


async def test_a_guest_learns_nothing_from_the_command(on_stage: StageMaker) -> None:
    """Status is for those who may start runs."""
    async with on_stage() as stage:
        await stage.slack.person("U0GUS").slash(DATA, "/handrail", "status")
        told = texts.refused_guest()
        await stage.slack.wait_message(DATA, None, lambda m: told in m.words, "the refusal", user="U0GUS")


async def test_the_messages_tab_suggests_how_to_begin(on_stage: StageMaker) -> None:
    """Prompts are set whenever the tab is opened."""
    async with on_stage() as stage:
        await stage.ana.open_messages()
        found = await called(stage.slack, "assistant.threads.setSuggestedPrompts")
        assert found[0]["ok"]
        assert len(found[0]["args"]["prompts"]) == 4


async def test_what_a_person_looks_at_comes_along(on_stage: StageMaker) -> None:
    """Slack tells of the open channel; a direct message brings it to the model as data."""
    async with on_stage(say("I see.")) as stage:
        entity = {"type": "slack#/types/channel_id", "value": DATA, "team_id": "T0LOCAL"}
        event = {"type": "app_context_changed", "user": "U0ANA", "context": {"entities": [entity]}}
        await stage.slack.deliver({**event, "channel": stage.ana.direct, "event_ts": "1.2"})
        await stage.slack.wait_idle()
        key = "handrail:looked-at:T0LOCAL:U0ANA"
        await wait_until("remembered", lambda: stage.core.store.clients.commands.exists(key))
        sent = await stage.ana.send(stage.ana.direct, "what is going on here?")
        await stage.answer(sent)
        assert f"channel {DATA}" in str(stage.model.bodies[0]["messages"])
