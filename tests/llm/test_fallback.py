"""Several models one after the other: who answers, whose failure is told, and that each one is paid."""

import pytest

from runtime.llm.client import ModelOptions
from runtime.llm.errors import ContextTooLong, ModelUnavailable
from runtime.llm.fallback import FallbackModel
from runtime.llm.profiles import profiles_of
from runtime.settings_file import parse_settings
from tests.llm.test_careful import REQUEST, careful
from tests.llm.test_streaming import HELLO, opened
from tests.support.model import breaks_off, fail, say, scripted_model


async def test_the_next_model_answers_where_the_first_is_away() -> None:
    """Failures of any kind but a too long conversation lead on, and the reply says who gave it."""
    async with careful(fail(503), fail(503)) as (first, _), careful(say("Here.")) as (second, _):
        got = await FallbackModel([first, second]).reply(REQUEST)
    assert (got.text, got.model) == ("Here.", "m")


async def test_the_first_failure_is_told_where_nobody_answers() -> None:
    """The stand-in's failure would lead an operator astray."""
    async with careful(fail(503), fail(503)) as (first, _), careful(fail(401)) as (second, _):
        with pytest.raises(ModelUnavailable):
            await FallbackModel([first, second]).reply(REQUEST)


async def test_a_model_that_broke_off_is_paid_by_the_reply_of_the_next() -> None:
    """What had come of the first one's answer, and what it read, is added."""
    broken = breaks_off("a very long answer that never ends " * 20)
    async with (
        scripted_model([broken]) as away,
        opened(away.base_url, tries=1) as first,
        scripted_model([say("Here."), say("Here.")]) as spare,
        opened(spare.base_url) as second,
    ):
        alone = await second.reply(HELLO)
        got = await FallbackModel([first, second]).reply(HELLO)
    assert got.text == "Here."
    assert got.usage.input > alone.usage.input
    assert got.usage.output > alone.usage.output


async def test_where_nobody_answers_every_one_is_paid() -> None:
    """The failure that is told carries the cost of all of them, also a conversation that the last finds too long."""
    broken = breaks_off("a very long answer that never ends " * 20)
    async with scripted_model([broken]) as server, opened(server.base_url, tries=1) as model:
        with pytest.raises(ModelUnavailable) as caught:
            await model.reply(HELLO)
    one = caught.value.usage
    async with scripted_model([broken, broken]) as server, opened(server.base_url, tries=1) as model:
        with pytest.raises(ModelUnavailable) as caught:
            await FallbackModel([model, model]).reply(HELLO)
    assert caught.value.usage.total == 2 * one.total
    too_long = fail(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded")
    async with scripted_model([broken, too_long]) as server, opened(server.base_url, tries=1) as model:
        with pytest.raises(ContextTooLong) as long:
            await FallbackModel([model, model]).reply(HELLO)
    assert long.value.usage.total == one.total


@pytest.mark.parametrize("name", ["planner", "verifier", "summariser", "vision"])
async def test_each_named_profile_falls_back(name: str) -> None:
    """A profile of any kind is followed by those that its settings name, in their order, the main one among them."""
    settings = parse_settings(
        f'[[models]]\nname = "{name}"\nmodel = "own"\nfallbacks = ["spare", "main"]\n'
        '[[models]]\nname = "spare"\nmodel = "small"\n'
    )
    async with scripted_model([fail(401), fail(404), say("Here.")]) as server:
        main = ModelOptions(model="big", base_url=server.base_url)
        models = profiles_of(main, settings.models, settings=settings.model)
        got = await models[name].reply(REQUEST)
        for model in models.values():
            await model.aclose()
    assert (got.text, got.model) == ("Here.", "big")
    assert [body["model"] for body in server.bodies] == ["own", "small", "big"]
