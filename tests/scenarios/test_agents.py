"""Who does the work: the agent of the settings, the one a message names, the one `/handrail as` names."""

import json

from runtime.agent.swe import SWEAgent
from tests.scenarios.conftest import StageMaker
from tests.support.model import call, calls, say
from tests.support.stage import BOT, DATA, FOOTER

SEES = "at work on source code"
FIX = (
    calls(call("bash", command="printf 'def f():\\n    return 1\\n' > f.py")),
    calls(call("str_replace_editor", command="str_replace", path="f.py", old_str="return 1", new_str="return 2")),
    calls(call("bash", command="python3 -c 'import f; assert f.f() == 2'")),
    say("f returned 1; it returns 2 now, and the check passes with exit code 0."),
)


async def test_the_settings_a_message_and_the_command_each_choose_the_agent(on_stage: StageMaker) -> None:
    """The default works alone on a small repair with its own tools; the others are named, each in a thread."""
    script = (*FIX, say("A table."), say("From the command."))
    async with on_stage(*script, settings='[agent]\ndefault = "swe"\n') as stage:
        sent = await stage.ana.send(DATA, f"{BOT} make f return 2")
        answer = await stage.answer(sent)
        assert "returns 2 now" in answer.words
        assert "Checked by rules: last program: exit code 0" in answer.words
        assert (await stage.workspace(sent)).read_bytes("f.py") == b"def f():\n    return 2\n"
        first = stage.model.requests[0]
        assert SEES in first.messages[0].text
        assert {spec.function.name for spec in first.tools or ()} <= set(SWEAgent.tool_names)

        named = await stage.ana.send(DATA, f"{BOT} as data_analysis: count the boats")
        await stage.answer(named)
        assert "at work on data" in stage.model.requests[-1].messages[0].text

        await stage.ana.slash(DATA, "/handrail", "as manus say hello")
        posted = await stage.slack.wait_message(
            DATA, None, lambda m: "asks `manus`" in m.text or "say hello" in m.words, "the task in the channel"
        )
        await stage.slack.wait_message(
            DATA, posted.ts, lambda m: FOOTER in m.words and "From the command." in m.words, "its answer", within=60
        )
        asked = json.dumps(stage.model.bodies[-1]["messages"])
        assert "as manus: say hello" in asked
        assert SEES not in asked


async def test_the_command_names_the_agents_there_are(on_stage: StageMaker) -> None:
    """An unknown agent, or no task, starts nothing and is answered privately."""
    async with on_stage() as stage:
        for words in ("as plumber fix the tap", "as swe", "as"):
            await stage.ana.slash(DATA, "/handrail", words)
        await stage.slack.wait_message(
            DATA, None, lambda m: m.is_ephemeral and "`data_analysis`" in m.words + m.text, "how it is used"
        )
        await stage.slack.wait_idle()
        assert stage.model.bodies == []
