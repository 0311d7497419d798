"""Programs of the system: which are here, and installing the missing ones where that is allowed (root with apt)."""

from collections.abc import Sequence
from dataclasses import dataclass

from scripts.machine import is_root, program, run, say


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One program that some feature or test needs."""

    name: str
    programs: tuple[str, ...]
    package: str
    gives: str


PARTS = {
    part.name: part
    for part in (
        Part(name="bwrap", programs=("bwrap",), package="bubblewrap", gives="the stronger of the two sandboxes"),
        Part(
            name="chromium",
            programs=("chromium", "chromium-browser", "google-chrome"),
            package="chromium",
            gives="the browser tests",
        ),
        Part(name="redis-server", programs=("redis-server",), package="redis-server", gives="the tests on Redis"),
        Part(
            name="redis-sentinel",
            programs=("redis-sentinel",),
            package="redis-sentinel",
            gives="the fail-over tests",
        ),
        Part(name="git", programs=("git",), package="git", gives="commits of publish"),
        Part(name="ripgrep", programs=("rg",), package="ripgrep", gives="the faster search of files"),
        Part(name="node", programs=("node", "nodejs"), package="nodejs", gives="the checks of the page"),
        Part(name="npm", programs=("npm",), package="npm", gives="Slack's types and the MCP servers written for Node"),
    )
}
FOR_DEMO = ("bwrap", "git", "ripgrep")
FOR_TESTS = ("bwrap", "git", "ripgrep", "chromium", "redis-server", "redis-sentinel", "node", "npm")

# The packages' services must not start because a test needs their programs.
QUIET_APT = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1", "SYSTEMD_OFFLINE": "1"}


def missing(names: Sequence[str]) -> list[Part]:
    """Return the parts of which no program is found."""
    return [PARTS[name] for name in names if not any(program(item) for item in PARTS[name].programs)]


def apt_install(packages: Sequence[str]) -> bool:
    """Install packages as root with apt, and say whether that was possible and worked; never with sudo."""
    apt = program("apt-get")
    if apt is None or not is_root():
        return False
    say(f"installing system packages: {', '.join(packages)}")
    run([apt, "update", "-qq"], extra=QUIET_APT)
    done = run([apt, "install", "-y", "-qq", "--no-install-recommends", *packages], extra=QUIET_APT)
    if done.returncode != 0:
        say("apt-get did not succeed: " + " ".join(done.stdout.strip().splitlines()[-1:]))
    return done.returncode == 0


def install_missing(names: Sequence[str]) -> None:
    """Install missing parts where that is allowed; elsewhere say what is missing and go on without."""
    absent = missing(names)
    if absent:
        apt_install([part.package for part in absent])
    for part in missing(names):
        say(f"not here: {part.name} ({part.gives}; package {part.package}); going on without it")
