"""What the Dockerfile and the compose file promise, read from them: no container engine is needed for that."""

import re
from typing import Any, cast

import pytest
import yaml

from scripts.machine import ROOT

Instruction = tuple[str, str]


@pytest.fixture(scope="module")
def stages() -> list[list[Instruction]]:
    """Return the instructions of each build stage, comments dropped and continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    found: list[list[Instruction]] = []
    for line in joined.splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest.strip()))
    return found


def values(stage: list[Instruction], word: str) -> list[str]:
    """Return what follows each use of one instruction."""
    return [rest for name, rest in stage if name == word]


def test_the_image_has_two_stages_on_named_versions(stages: list[list[Instruction]]) -> None:
    """Both stages start from the same exact Python series: the environment is copied with its absolute paths."""
    images = [values(stage, "FROM")[0].split(" AS ")[0] for stage in stages]
    assert len(images) == 2
    assert images[0] == images[1]
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", images[0])


def test_packages_come_from_the_lock_files(stages: list[list[Instruction]]) -> None:
    """The image installs through the set-up, which checks hashes, and names no package of PyPI itself."""
    build, last = stages
    assert any("python -m scripts.prepare image" in line for line in values(build, "RUN"))
    assert not any("pip install" in line for stage in stages for line in values(stage, "RUN"))
    copied = " ".join(values(build, "COPY"))
    assert {"requirements.lock", "requirements-bootstrap.lock", "requirements-sandbox.lock"} <= set(copied.split())
    assert any(line.startswith("--from=build /var/lib/handrail") for line in values(last, "COPY"))


def test_the_process_is_not_root(stages: list[list[Instruction]]) -> None:
    """The last stage ends as uid 10001, and nothing that needs root comes after."""
    last = stages[-1]
    assert values(last, "USER") == ["10001:10001"]
    words = [word for word, _ in last]
    assert not {"RUN", "COPY"} & set(words[words.index("USER") :])


def test_the_image_says_whether_it_is_well(stages: list[list[Instruction]]) -> None:
    """A health check asks /healthz on the exposed port."""
    last = stages[-1]
    assert values(last, "EXPOSE") == ["8080"]
    assert "127.0.0.1:8080/healthz" in values(last, "HEALTHCHECK")[0]


def test_commands_are_lists_so_that_signals_arrive(stages: list[list[Instruction]]) -> None:
    """ENTRYPOINT and CMD are in exec form; a shell in between would swallow SIGTERM."""
    last = stages[-1]
    for word in ("ENTRYPOINT", "CMD"):
        assert all(line.startswith("[") for line in values(last, word))


def test_no_secret_enters_the_image(stages: list[list[Instruction]]) -> None:
    """The context holds only what is listed, and no variable of the environment is a token or a key."""
    ignore = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in ignore if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert "**/.env" in rules
    wanted = {line[1:] for line in rules if line.startswith("!")}
    sources = {name for stage in stages for line in values(stage, "COPY") for name in line.split()[:-1]}
    assert {name.removesuffix("/") for name in sources if not name.startswith(("-", "/"))} <= wanted
    assert not any(re.search(r"TOKEN|SECRET|API_KEY", line) for stage in stages for line in values(stage, "ENV"))


def test_what_the_image_copies_exists(stages: list[list[Instruction]]) -> None:
    """Each source of a COPY is in the repository."""
    sources = {
        name
        for stage in stages
        for line in values(stage, "COPY")
        if not line.startswith("--from")
        for name in line.split()[:-1]
    }
    assert [name for name in sorted(sources) if not (ROOT / name).exists()] == []


def test_the_compose_file_confines_every_service() -> None:
    """Every service has a read-only root, no capabilities it does not name, and no way to gain privileges."""
    compose = cast("dict[str, Any]", yaml.safe_load((ROOT / "deploy/compose.yml").read_text(encoding="utf-8")))
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not service["image"].endswith(":latest"), name
        assert "ports" not in service, name


def test_the_store_never_forgets() -> None:
    """The store of the compose file appends every write and evicts nothing."""
    compose = cast("dict[str, Any]", yaml.safe_load((ROOT / "deploy/compose.yml").read_text(encoding="utf-8")))
    command = compose["services"]["store"]["command"]
    assert command[command.index("--appendonly") + 1] == "yes"
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"
