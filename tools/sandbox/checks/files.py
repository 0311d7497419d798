"""Only the workspace can be written; of the host only system files and mounts can be read."""

import os
from pathlib import Path

from tools.sandbox.checks.bench import Bench, Check, expect
from tools.sandbox.probe import ProbeSpace

READ = "print(open(sys.argv[1], 'rb').read()[:200])"
LIST = "import os; print(os.listdir(sys.argv[1]))"
WRITE = "open(sys.argv[1], 'w').write('was here')"
LINK_AND_READ = "import os; os.symlink(sys.argv[1], 'link'); print(open('link').read())"
HARD_LINK = "import os; os.link(sys.argv[1], 'hard'); open('hard', 'a').write('was here')"
SOFTEN = "import os; os.chmod(sys.argv[1], 0o000)"
RENAME = "import os; os.rename(sys.argv[1], 'taken')"
REMOVE = "import os; os.unlink(sys.argv[1])"
TRUNCATE = "import os; os.truncate(sys.argv[1], 0)"


async def keeps_host_file(bench: Bench) -> str:
    """A file that every user of the host may read."""
    return await bench.refuses(READ, bench.host.file)


async def keeps_host_file_unchanged(bench: Bench) -> str:
    """A file that every user of the host may write: written, cut, moved, removed, locked."""
    findings: list[str] = []
    for what, code in (
        ("written", WRITE),
        ("cut", TRUNCATE),
        ("moved", RENAME),
        ("removed", REMOVE),
        ("locked", SOFTEN),
    ):
        victim = bench.host.directory / f"{what}.txt"
        victim.write_text("untouched", encoding="ascii")
        victim.chmod(0o666)
        await bench.refuses(code, victim)
        if not victim.exists() or victim.stat().st_mode & 0o777 != 0o666 or victim.read_bytes() != b"untouched":
            findings.append(f"a file of the host was {what}")
    return "; ".join(findings)


async def adds_nothing_to_host(bench: Bench) -> str:
    """A directory that every user of the host may write."""
    await bench.refuses(WRITE, bench.host.directory / "added.txt")
    return "a file appeared" if (bench.host.directory / "added.txt").exists() else ""


async def follows_no_symlink(bench: Bench) -> str:
    """A link in the workspace leads nowhere new."""
    return await bench.refuses(LINK_AND_READ, bench.host.file)


async def makes_no_hard_link(bench: Bench) -> str:
    """A second name for a host's file cannot be made in the workspace."""
    await bench.refuses(HARD_LINK, bench.host.file)
    return expect("content", bench.host.secret, bench.host.file.read_text(encoding="utf-8"))


async def keeps_other_workspace(bench: Bench) -> str:
    """Another session's files are neither read nor written nor listed."""
    theirs = bench.other.root / "theirs.txt"
    theirs.write_text("private", encoding="ascii")
    theirs.chmod(0o666)
    bench.other.root.chmod(0o777)
    findings = [await bench.refuses(code, theirs) for code in (READ, WRITE)]
    findings.append(await bench.refuses(LIST, bench.other.root))
    bench.other.root.chmod(0o700)
    return "; ".join(finding for finding in findings if finding)


async def keeps_passwords(bench: Bench) -> str:
    """The password file of the host."""
    return await bench.refuses(READ, "/etc/shadow")


async def keeps_home(bench: Bench) -> str:
    """The home directory of the user that runs the bot."""
    return await bench.refuses(LIST, os.path.expanduser("~"))


async def keeps_data(bench: Bench) -> str:
    """The names of other sessions' workspaces are not told by the directory in which they lie."""
    completed = await bench.python(f"import sys\n{LIST}", bench.other.root.parent)
    return "another workspace is listed" if bench.other.root.name.encode() in completed.stdout else ""


async def keeps_system(bench: Bench) -> str:
    """System directories cannot be written."""
    findings = [await bench.refuses(WRITE, f"{place}/handrail-check") for place in ("/usr/bin", "/etc", "/", "/var")]
    return "; ".join(finding for finding in findings if finding)


async def keeps_bot_process(bench: Bench) -> str:
    """Environment, memory and open files of the bot's process."""
    bot = Path("/proc") / str(os.getpid())
    findings = [await bench.refuses(READ, bot / name) for name in ("environ", "mem", "maps", "cmdline")]
    findings.append(await bench.refuses(LIST, bot / "fd"))
    return "; ".join(finding for finding in findings if finding)


async def keeps_launcher_process(bench: Bench) -> str:
    """Whatever started the program holds nothing of the bot: its environment is the program's own."""
    code = "import os; data = open('/proc/1/environ').read() if os.getpid() < 100 else ''; print(data)"
    completed = await bench.python(code)
    return "the bot's environment is visible" if b"SLACK" in completed.stdout else ""


async def shows_mount(bench: Bench) -> str:
    """A read-only directory is read, not written."""
    inside = f"{bench.sandbox.mount_path('host', bench.host.directory)}/secret.txt"
    mounts = {"host": bench.host.directory}
    reading = await bench.python(f"print(open({inside!r}).read())", read_only=mounts)
    writing = await bench.python(f"open({inside!r}, 'a').write('was here')", read_only=mounts)
    if writing.exit_code == 0:
        return "the mount was written"
    return expect("content", bench.host.secret, reading.stdout.decode().strip())


async def keeps_devices(bench: Bench) -> str:
    """No disk and no memory of the machine."""
    findings = [await bench.refuses(READ, f"/dev/{name}") for name in ("mem", "kmsg", "sda", "vda", "nvme0n1")]
    return "; ".join(finding for finding in findings if finding)


async def owns_its_files(bench: Bench) -> str:
    """Files in the workspace belong to the workspace's user on the host."""
    await bench.run("sh", "-c", "echo mine > mine.txt")
    found = (bench.workspace.root / "mine.txt").stat().st_uid
    return expect("owner", uid_of(bench.workspace), found)


def uid_of(space: ProbeSpace) -> int:
    """The user a workspace belongs to."""
    return space.owner[0] if space.owner else os.getuid()


CHECKS = (
    Check(name="host-file", promise="files of the host are not read", run=keeps_host_file, contained_only=True),
    Check(
        name="host-file-unchanged",
        promise="files of the host are not changed",
        run=keeps_host_file_unchanged,
        contained_only=True,
    ),
    Check(name="host-addition", promise="nothing is added to the host", run=adds_nothing_to_host, contained_only=True),
    Check(name="symlink", promise="links lead nowhere", run=follows_no_symlink, contained_only=True),
    Check(name="hard-link", promise="no hard links to the host", run=makes_no_hard_link, contained_only=True),
    Check(
        name="other-workspace",
        promise="other sessions' files are out of reach",
        run=keeps_other_workspace,
        contained_only=True,
    ),
    Check(name="passwords", promise="/etc/shadow is not read", run=keeps_passwords, contained_only=True),
    Check(name="home", promise="the bot's home is not listed", run=keeps_home, contained_only=True),
    Check(name="data", promise="the data directory is not listed", run=keeps_data, contained_only=True),
    Check(name="system", promise="system directories are not written", run=keeps_system, contained_only=True),
    Check(name="bot-process", promise="the bot's process is not read", run=keeps_bot_process, contained_only=True),
    Check(name="launcher-process", promise="no process inside shows secrets", run=keeps_launcher_process),
    Check(name="mount", promise="mounts are read-only", run=shows_mount, contained_only=True),
    Check(name="devices", promise="no devices of the machine", run=keeps_devices, contained_only=True),
    Check(name="ownership", promise="files belong to the workspace's user", run=owns_its_files),
)
