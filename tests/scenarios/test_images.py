"""A picture that somebody attaches reaches a model with eyes, and only once."""

import json

from tests.scenarios.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.pixels import png
from tests.support.stage import BOT, DATA


async def test_an_attached_picture_is_shown_to_the_model_once(on_stage: StageMaker) -> None:
    """From Slack into the workspace into one request; the ones after it hold its name only."""
    async with on_stage(calls(call("bash", command="ls")), say("A white square.")) as stage:
        file_id = await stage.ana.upload("square.png", png(40, 40))
        sent = await stage.ana.send(DATA, f"{BOT} what is this?", file_ids=[file_id])
        answer = await stage.answer(sent)
        assert "A white square." in answer.words
        shown = ["data:image/png;base64," in json.dumps(body) for body in stage.model.bodies]
        assert shown == [True, False]
        assert all("square.png" in json.dumps(body) for body in stage.model.bodies)
