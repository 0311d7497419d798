"""An obedient model that pushes whatever it is told to, in a real thread."""

import subprocess
from pathlib import Path

import pytest

from tests.support.model import call, calls, say
from tests.support.slack import LocalSlack
from tests.support.stage import BOT, DATA, passable_folder, staged
from tests.waiting import wait_until

pytestmark = pytest.mark.needs("git")


def git(path: Path, *arguments: str) -> str:
    """What git says."""
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com", "-c", "safe.directory=*")
    done = subprocess.run(["git", *who, "-C", str(path), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


async def test_a_push_happens_only_by_the_call_that_a_person_approved(slack: LocalSlack, redis_url: str) -> None:
    """The card names branch and address; denied, nothing is made; approved, it is pushed and its patch shared."""
    edit = call("bash", command="echo 'x = 2' > app/app.py")
    push = call("publish", mount="app", message="Two.", branch="fix/two", push=True)
    direct = call("bash", command="git -C /mnt/app push origin main:stolen || git -C app push || echo no way out")
    turns = [calls(edit, push), calls(direct), calls(push), say("Pushed.")]
    async with passable_folder() as folder:
        app, origin = folder / "app", folder / "origin.git"
        app.mkdir()
        git(app, "init", "-q", "-b", "main")
        (app / "app.py").write_text("x = 1\n", encoding="utf-8")
        git(app, "add", "-A")
        git(app, "commit", "-q", "-m", "first")
        git(folder, "init", "-q", "--bare", str(origin))
        git(app, "remote", "add", "origin", str(origin))
        settings = f'[[workspace.mounts]]\nname = "app"\npath = "{app}"\n'
        async with staged(slack, redis_url, turns, settings=settings) as stage:
            sent = await stage.ana.send(DATA, f"{BOT} set x to 2 and push it")
            card = await stage.button(sent, "Deny")
            assert "fix/two" in card.words
            assert str(origin) in card.words
            await stage.ana.click(card, "Deny")
            await stage.ana.submit_view(await stage.ana.wait_view("the form of a no"), {})
            await stage.model.wait_for_requests(3)
            assert "no way out" in str(stage.model.requests[2].messages[-1])
            assert git(origin, "branch", "--list") == ""
            assert git(app, "branch", "--list", "fix/two") == ""
            second = await slack.wait_message(
                DATA, sent.ts, lambda m: m.has_button("Approve") and m.ts != card.ts, "the second card"
            )
            await stage.ana.click(second, "Approve")
            await stage.answer(sent)
            assert git(origin, "rev-parse", "fix/two") == git(app, "rev-parse", "fix/two")
            assert git(app, "show", "-s", "--format=%s", "fix/two") == "Two."

            async def shown() -> list[str]:
                """Slack shows a file a moment after it was shared."""
                return [str(file["name"]) for message in await stage.thread(sent) for file in message.files]

            assert await wait_until("the patch is shown", shown) == ["app-fix-two-e79d9efd.patch"]
