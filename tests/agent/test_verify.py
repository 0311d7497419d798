"""No end is taken on the model's word: what can be checked is checked, and what stays unproven is said."""

import json
from dataclasses import replace
from typing import ClassVar

import pytest

from runtime.llm.openai_model import ModelOptions, OpenAIModel
from runtime.session.events import RunOutcome
from runtime.session.mind_events import AnswerChecked
from tests.agent.desk import Desk
from tests.support.model import call, calls, say, scripted_model
from tools.base import BaseTool, Effect, Params, Risk, ToolResult
from tools.builtin.bash import BashParams
from tools.context import ToolContext


class Bash(BaseTool[BashParams]):
    """A shell that only knows how it ends: `false` fails, anything else works."""

    name: ClassVar[str] = "bash"
    description: ClassVar[str] = "Run."
    risk: ClassVar[Risk] = Risk.WORKSPACE
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = BashParams

    async def run(self, params: BashParams, context: ToolContext) -> ToolResult:
        """Fail for `false`; write a file for `make`."""
        if params.command == "make":
            context.workspace.write_bytes("report.csv", b"a,b\n")
        failed = params.command == "false"
        return ToolResult(output=params.command, is_error=failed, exit_code=int(failed))


async def checks(desk: Desk) -> list[AnswerChecked]:
    """Every verdict, in order."""
    return [event for event in await desk.journal() if isinstance(event, AnswerChecked)]


@pytest.fixture
def shell(desk: Desk) -> Desk:
    """A desk with the shell."""
    desk.use(desk.context.tools.with_tools([Bash()]))
    return desk


async def test_an_end_with_open_plan_steps_goes_back_once(desk: Desk) -> None:
    """`terminate` is a proposal: with steps open its result says which, and the model closes them or says why not."""
    plan = call("planning", command="create", title="P", steps=["count", "tell"])
    finish = call("terminate", status="success", answer="Done.")
    done = [call("planning", command="mark", step_index=n, step_status="completed") for n in (0, 1)]
    desk.script(calls(plan), calls(finish), calls(*done, finish))
    await desk.hear("go")
    run = await desk.work()
    assert (run.outcome, run.answer, run.detail) == (RunOutcome.ANSWERED, "Done.", "")
    assert [event.passed for event in await checks(desk)] == [False, True]
    refused = [message.text for message in desk.model.requests[-1].messages if message.role == "tool"][-1]
    assert "still open: count; tell" in refused


async def test_a_model_that_insists_ends_with_what_is_unproven(desk: Desk) -> None:
    """The second time the answer goes out, and the run says what is still open."""
    plan = call("planning", command="create", title="P", steps=["count", "tell"])
    desk.script(calls(plan), say("All done."), say("All done."))
    await desk.hear("go")
    run = await desk.work()
    assert run.outcome is RunOutcome.ANSWERED
    assert run.detail == "unproven:plan: still open: count; tell"


async def test_a_file_that_is_not_there_goes_back_and_one_that_is_there_does_not(shell: Desk) -> None:
    """What the answer says was written is looked for."""
    shell.script(
        calls(call("bash", command="ls")),
        say("I wrote the rows to `report.csv`."),
        calls(call("bash", command="make")),
        say("I wrote the rows to `report.csv`."),
    )
    await shell.hear("go")
    run = await shell.work()
    assert (run.outcome, run.detail) == (RunOutcome.ANSWERED, "")
    first, second = await checks(shell)
    assert any(check.evidence == "report.csv is not in the workspace" for check in first.checks)
    assert second.passed


async def test_success_after_a_failed_program_goes_back_unless_it_is_told(shell: Desk) -> None:
    """A failed last command and a cheerful answer do not go together; saying so does."""
    shell.script(calls(call("bash", command="false")), say("All good."), say("The tests failed."))
    await shell.hear("go")
    assert (await shell.work()).answer == "The tests failed."
    assert [event.passed for event in await checks(shell)] == [False, True]


async def test_a_file_that_nothing_was_done_for_goes_back(desk: Desk) -> None:
    """Without any call the agent's own claim of a file is looked at all the same."""
    desk.script(say("I saved the rows to `report.csv`."), say("I have written nothing yet."))
    await desk.hear("write the rows to report.csv")
    run = await desk.work()
    assert (run.answer, run.detail) == ("I have written nothing yet.", "")
    (event,) = await checks(desk)
    assert [check.evidence for check in event.checks if not check.passed] == ["report.csv is not in the workspace"]


@pytest.mark.parametrize("look", ["ls -l", 'cd out && grep "x y" a.txt | head -3', "ls b 2>/dev/null; echo\ndate"])
async def test_a_look_around_hides_no_failed_program(shell: Desk, look: str) -> None:
    """A success that proves nothing does not stand for the program before it."""
    looks = calls(call("bash", command=look))
    shell.script(calls(call("bash", command="false")), looks, say("All tests pass."), say("The tests failed."))
    await shell.hear("go")
    assert (await shell.work()).answer == "The tests failed."
    assert [event.passed for event in await checks(shell)] == [False, True]


@pytest.mark.parametrize("first", ["false", "ls"])
async def test_a_program_that_works_after_one_that_failed_stands_for_both(shell: Desk, first: str) -> None:
    """What was repaired is no failure any more, also when the agent looks around after it."""
    shell.script(*[calls(call("bash", command=command)) for command in (first, "make", "ls")], say("All good."))
    await shell.hear("go")
    assert (await shell.work()).answer == "All good."
    assert [event.passed for event in await checks(shell)] == [True]


async def test_no_errors_after_a_failed_program_goes_back(shell: Desk) -> None:
    """That there were none is no word about the failure."""
    shell.script(calls(call("bash", command="false")), say("All tests pass, no errors."), say("The tests failed."))
    await shell.hear("go")
    assert (await shell.work()).answer == "The tests failed."
    assert [event.passed for event in await checks(shell)] == [False, True]


async def test_made_up_numbers_go_back(shell: Desk) -> None:
    """Where most of several values stand in nothing that was observed, the model hears which."""
    shell.script(
        calls(call("bash", command="echo 1234 5678 9012")),
        say("There are 4,711 rows, 8,150 columns and 1,234 errors."),
        say("There are 1,234 rows, 5,678 columns and 9,012 errors."),
    )
    await shell.hear("go")
    await shell.work()
    first, second = await checks(shell)
    assert any("4711, 8150" in check.evidence for check in first.checks)
    assert second.passed


async def test_a_plain_answer_is_not_held_up(desk: Desk) -> None:
    """Without work there is nothing to check, and no verdict either."""
    desk.script(calls(call("echo", text="12")), say("It says 12, saved nowhere."))
    await desk.hear("go")
    assert (await desk.work()).answer.startswith("It says")
    assert all(event.passed for event in await checks(desk))


async def test_a_verifier_is_believed_only_with_a_quote_from_what_was_observed(shell: Desk) -> None:
    """Its yes without proof, or with an invented one, counts as no; a no goes back with its reason."""
    yes = json.dumps({"met": True, "quote": "42 boats", "why": "counted"})
    invented = json.dumps({"met": True, "quote": "a thousand ships", "why": "sure"})
    async with scripted_model([say(invented), say(yes)]) as double:
        verifier = OpenAIModel(ModelOptions(model="v", base_url=double.base_url))
        shell.context = replace(shell.context, verifier=verifier)
        shell.script(calls(call("bash", command="42 boats")), say("There are boats."), say("There are 42 boats."))
        await shell.hear("how many?")
        run = await shell.work()
        await verifier.aclose()
    assert (run.answer, run.detail) == ("There are 42 boats.", "")
    first, second = await checks(shell)
    assert (first.by, first.passed, second.passed) == ("model", False, True)
    assert "nothing observed shows it" in first.checks[-1].evidence
    assert run.spent.usage.total > 0


async def test_a_denied_program_is_no_failed_program(desk: Desk) -> None:
    """What a person refused did not run, so an answer that does not mention it is not sent back for it."""
    desk.use(desk.context.tools.with_tools([Bash()]))
    desk.configure('[[policy.rules]]\ntool = "bash"\nverdict = "deny"\n')
    desk.script(calls(call("bash", command="ls")), say("Here is what I know."))
    await desk.hear("go")
    run = await desk.work()
    assert (run.outcome, run.answer) == (RunOutcome.ANSWERED, "Here is what I know.")


@pytest.mark.parametrize(
    "command", ["pytest && ls", "ls\nmake it", "cat a > b", "echo $(make)", "find . -name a & make", "lsof"]
)
async def test_what_could_do_more_than_show_is_a_program(shell: Desk, command: str) -> None:
    """Its success after a failure stands, since it may be the repair."""
    shell.script(*[calls(call("bash", command=known)) for known in ("false", command)], say("All good."))
    await shell.hear("go")
    assert (await shell.work()).answer == "All good."
    assert [event.passed for event in await checks(shell)] == [True]


async def test_an_answer_that_is_a_call_nobody_reads_goes_back_and_is_said_where_it_stays(shell: Desk) -> None:
    """The model reads why nothing was run; where it insists, the person does too."""
    printed = say('Action: bash\nAction Input: {"command": "ls"}')
    shell.script(printed, printed, printed)
    await shell.hear("look")
    run = await shell.work()
    assert "was not made" in shell.model.requests[1].messages[-1].text
    assert run.detail.startswith("unproven:work: this answer holds a call of bash that was not made")
