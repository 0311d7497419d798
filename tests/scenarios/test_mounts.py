"""Directories of the host that cannot be had when a thread needs them."""

from pathlib import Path

from tests.scenarios.conftest import StageMaker, with_mount
from tests.support.model import call, calls, say
from tests.support.stage import BOT, DATA


async def test_a_directory_that_is_away_costs_its_files_and_not_the_run(on_stage: StageMaker, etl: Path) -> None:
    """The model is told why and can say so; the rest works. Once the directory is back a new thread has its copy."""
    turns = (calls(call("bash", command="echo here > here.txt")), say("There is no etl."), say("There it is."))
    away = etl.with_name(f"{etl.name}-away")
    async with on_stage(*turns, settings=with_mount(etl)) as stage:
        etl.rename(away)
        try:
            sent = await stage.ana.send(DATA, f"{BOT} look at etl")
            assert "There is no etl." in (await stage.answer(sent)).words
        finally:
            away.rename(etl)
        assert ((await stage.workspace(sent)).root / "here.txt").exists()
        prompt = str(stage.model.bodies[0]["messages"])
        assert "cannot be read: No such file or directory" in prompt
        assert "you may work on: etl" not in prompt
        other = await stage.ana.send(DATA, f"{BOT} and now?")
        assert "There it is." in (await stage.answer(other)).words
        prompt = str(stage.model.bodies[2]["messages"])
        assert "you may work on: etl" in prompt
        assert "cannot be read" not in prompt
        assert ((await stage.workspace(other)).root / "etl" / "limit.txt").exists()
