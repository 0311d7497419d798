"""Write the lock files anew: every supported Python and platform, with hashes, without the name of any registry."""

from pathlib import Path

from scripts.machine import ROOT, SetupError, must_run, say
from scripts.mcp_servers import LOCK as MCP_SERVERS_LOCK
from scripts.packages import BOOTSTRAP_LOCK, DEV_LOCK, RUNTIME_LOCK, SANDBOX_LOCK, bootstrap_uv, count

HEADER = "# Written by `make lock`; do not edit.\n"
COMPILE = ("pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header", "--no-annotate",
           "--no-emit-index-url", "--no-emit-find-links", "--python-version", "3.11")  # fmt: skip


def lock(target: Path, *what: str | Path) -> None:
    """Resolve one set of packages; pins that still fit are kept, so a change stays small.

    Raises:
        SetupError: uv is missing, or no set of versions fits.
    """
    uv = bootstrap_uv()
    if uv is None:
        msg = "Writing lock files needs uv, which could not be installed."
        raise SetupError(msg)
    must_run([uv, *COMPILE, *what, "--output-file", target], f"Resolving {target.name}")
    text = target.read_text(encoding="utf-8")
    target.write_text(HEADER + text.removeprefix(HEADER), encoding="utf-8")
    say(f"{target.name}: {count(target)} packages")


def main() -> None:
    """Write all five Python lock files; npm keeps `tests/mcp/servers/package-lock.json`."""
    project = ROOT / "pyproject.toml"
    lock(RUNTIME_LOCK, project)
    lock(DEV_LOCK, project, "--group", "dev", "--constraints", RUNTIME_LOCK)
    lock(SANDBOX_LOCK, "--group", "sandbox")
    lock(MCP_SERVERS_LOCK, "--group", "mcp-servers")
    lock(BOOTSTRAP_LOCK, "--group", "bootstrap")


if __name__ == "__main__":
    main()
