"""The files the demo writes are understood by those who read them."""

from pathlib import Path

from bot.demo.places import Places
from bot.demo.scene import PROMPTS, write_scene, write_settings
from bot.demo.world import build_world
from bot.localslack.scene import load_scene
from bot.rehearsal.catalogue import wanted
from runtime.settings_file import load_settings


def test_the_local_slack_takes_the_scene(tmp_path: Path) -> None:
    """Banner, three prompts, the hint and the switch arrive; a real model has no banner."""
    path = tmp_path / "scene.json"
    write_scene(path, control_url="http://127.0.0.1:1/", scripted=True)
    scene = load_scene(path)
    assert scene.banner is not None
    assert scene.banner.text == "Scripted model: connect yours"
    assert [prompt.title for prompt in scene.prompts] == list(PROMPTS)
    assert scene.hints[0].text.startswith("Kill the bot now")
    assert scene.control_url == "http://127.0.0.1:1/"
    write_scene(path, control_url="http://127.0.0.1:1/", scripted=False)
    assert load_scene(path).banner is None


def test_each_prompt_has_a_demonstration() -> None:
    """A newcomer's first click never leads to the menu."""
    assert all(wanted(f"<@U0HANDRAIL> {prompt}") for prompt in PROMPTS)


def test_the_bot_takes_the_settings(tmp_path: Path) -> None:
    """Two mounts, and Ben decides what is published, also from a directory with odd characters in its name."""
    places = Places(data=tmp_path / 'a "b" \\ é')
    places.data.mkdir()
    world = build_world(places.world)
    write_settings(places, world)
    settings = load_settings(places.settings)
    assert {mount.name: mount.path for mount in settings.workspace.mounts} == {"etl": world.etl, "shop": world.shop}
    (rule,) = settings.policy.rules
    assert (rule.tool, rule.verdict, rule.approvers) == ("publish", "ask", ("U0BEN",))
