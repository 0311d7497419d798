"""An approved difference as a commit on a new branch of the original's git repository, and its push.

Working tree, index and present branch of the original stay as they are: the commit is made of blobs, a tree and one new
reference. Every command runs without hooks, filters, prompts and pagers, as the user whom the repository belongs to.
"""

import contextlib
import hashlib
import os
import pwd
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.difference import Binding, CommitPlan, FileStates
from tools.errors import ToolInputError, ToolRefused
from tools.mounts import Mount, read_original
from tools.publishing import approved_content
from tools.state import ABSENT
from tools.text import visible
from tools.workspace import Workspace

SECONDS = 60
LOOK_SECONDS = 0.2
AUTHOR = {"NAME": "Handrail", "EMAIL": "handrail@localhost"}
REMOTE = "origin"
SAFE = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("protocol.ext.allow", "never"),
    ("safe.directory", "*"),
)
"""A hook or monitor could be a file of the working tree, which an agent may have changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The commit that stands for the difference."""

    commit: str
    patch: bytes
    """It as a mail that `git am` takes."""
    already: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Runs git in the directory of a mount."""

    mount: Mount

    def __call__(self, *arguments: str, given: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
        """What a command writes.

        Raises:
            ToolRefused: it failed, took too long, or there is no git.
        """
        done = self.tried(*arguments, given=given, extra=extra)
        if done.returncode != 0:
            said = visible(done.stderr.decode(errors="replace").strip())[-400:]
            raise ToolRefused(f"git {arguments[0]} failed in {self.mount.name}/: {said or done.returncode}.")
        return done.stdout

    def tried(
        self,
        *arguments: str,
        given: bytes = b"",
        extra: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
        stop: threading.Event | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """How a command ended; one that takes too long, or is to stop, is ended with all that it started.

        Raises:
            ToolRefused: it took too long or was stopped, or there is no git.
        """
        owner = self.mount.path.stat()
        # A bot that is root works as the owner, so that no object becomes root's.
        drops = os.geteuid() == 0 and owner.st_uid != 0
        options = [part for name, value in SAFE for part in ("-c", f"{name}={value}")]
        try:
            process = subprocess.Popen(
                ["git", *options, "-C", str(self.mount.path), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**surroundings(owner.st_uid), **(extra or {})},
                user=owner.st_uid if drops else None,
                group=owner.st_gid if drops else None,
                extra_groups=[] if drops else None,
            )
        except FileNotFoundError as error:
            raise ToolRefused("There is no git on the bot's machine, so no branch can be made.") from error
        with process:
            try:
                out, err = ended(process, given, seconds, stop)
            except subprocess.TimeoutExpired as error:
                why = "was stopped" if stop and stop.is_set() else f"took longer than {seconds:.3g} s and was ended"
                raise ToolRefused(f"git {arguments[0]} {why}.") from error
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def line(self, *arguments: str) -> str:
        """The one line that a command writes."""
        return self(*arguments).decode(errors="replace").strip()


def ended(
    process: subprocess.Popen[bytes], given: bytes, seconds: float, stop: threading.Event | None
) -> tuple[bytes, bytes]:
    """What a process wrote until its end.

    Raises:
        subprocess.TimeoutExpired: it was ended with its whole group, which a push needs: ssh would hold the pipes.
    """
    ends = time.monotonic() + seconds
    rest: bytes | None = given
    while True:
        try:
            return process.communicate(rest, timeout=max(0.0, min(LOOK_SECONDS, ends - time.monotonic())))
        except subprocess.TimeoutExpired:
            rest = None
            if time.monotonic() >= ends or (stop is not None and stop.is_set()):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise


def surroundings(uid: int) -> dict[str, str]:
    """The environment of a command: nothing of the bot's own."""
    try:
        home = pwd.getpwuid(uid).pw_dir
    except KeyError:
        home = "/nonexistent"
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in AUTHOR.items()}
    return {
        **who,
        "PATH": os.defpath,
        "HOME": home,
        "LC_ALL": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    }


def plan(mount: Mount, binding: Binding, branch: str, *, push: bool) -> CommitPlan:
    """How the difference would become a commit. Has no effects; call it in a thread.

    Raises:
        ToolInputError: the mount is no repository, or the branch cannot be made.
        ToolRefused: an original differs from what is committed there.
    """
    git = Git(mount=mount)
    if git.tried("rev-parse", "--verify", "--quiet", "HEAD^{commit}").returncode != 0:
        raise ToolInputError(f"{mount.name}/ is no git repository with a commit; leave branch out.")
    if (
        branch.startswith("-")
        or visible(branch) != branch
        or git.tried("check-ref-format", f"refs/heads/{branch}").returncode != 0
    ):
        raise ToolInputError(f"{visible(branch)!r} is no name for a branch.")
    if git.tried("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}").returncode == 0:
        raise ToolInputError(f"{mount.name}/ has a branch {branch} already; choose another name.")
    made = CommitPlan(
        branch=branch,
        head=git.line("rev-parse", "HEAD"),
        prefix=git.line("rev-parse", "--show-prefix"),
        push_to=remote(git) if push else "",
    )
    for states in binding.files:
        if not is_as_committed(git, made, states):
            raise ToolRefused(
                f"{mount.name}/{visible(states.path)}: the original differs from what is committed in its repository, "
                "so a commit would take more with it than you changed. Publish without branch, or have a person "
                "commit the original first."
            )
    return made


def remote(git: Git) -> str:
    """The addresses that a push goes to, as a rule one, without a password in them.

    Raises:
        ToolInputError: the repository has no such remote.
    """
    found = git.tried("remote", "get-url", "--push", "--all", REMOTE)
    if found.returncode != 0:
        raise ToolInputError(f"{git.mount.name}/ has no remote called {REMOTE}; leave push out.")
    return ", ".join(without_password(visible(line)) for line in found.stdout.decode(errors="replace").splitlines())


def without_password(address: str) -> str:
    """An address as it may be shown."""
    scheme, separator, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if separator else address


def is_as_committed(git: Git, made: CommitPlan, states: FileStates) -> bool:
    """Whether a file of the working tree is what the commit holds that the new one will follow."""
    listed = git("ls-tree", "-z", made.head, "--", states.path)
    if states.before == ABSENT:
        return not listed
    if not listed:
        return False
    mode, _, blob = listed.decode(errors="replace").partition("\t")[0].split(" ")
    content = read_original(git.mount, states.path)
    mine = git("hash-object", "--stdin", "--no-filters", given=content.data).decode().strip()
    return (blob, mode) == (mine, mode_of(executable=content.executable))


def mode_of(*, executable: bool) -> str:
    """How git writes the kind of a file."""
    return "100755" if executable else "100644"


def commit(binding: Binding, made: CommitPlan, mount: Mount, workspace: Workspace, message: str) -> Committed:
    """Make the commit and its branch, or find that both are there. Blocks; call it in a thread.

    Raises:
        ToolRefused: the copy is not as it was shown, or git refuses; no branch was made then.
    """
    git = Git(mount=mount)
    tree = tree_of(git, made, list(index_lines(git, binding, made, mount, workspace)))
    reference = f"refs/heads/{made.branch}"
    found = git.tried("rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}")
    already = found.returncode == 0
    if already:
        name = found.stdout.decode().strip()
        if git.line("show", "--no-patch", "--format=%T %P", name) != f"{tree} {made.head}":
            raise ToolRefused(f"Nothing was committed: a branch {made.branch} with other content appeared meanwhile.")
    else:
        name = git("commit-tree", tree, "-p", made.head, given=message.encode()).decode().strip()
        # The zeroes say that the branch must not exist, so that none that appeared meanwhile is overwritten.
        git("update-ref", "-m", "Handrail: approved difference", reference, name, "0" * len(name))
    return Committed(commit=name, patch=git("format-patch", "-1", "--stdout", "--binary", name), already=already)


def index_lines(git: Git, binding: Binding, made: CommitPlan, mount: Mount, workspace: Workspace) -> Iterator[bytes]:
    """Each file as `git update-index --index-info` reads it, after writing its blob."""
    for states in binding.files:
        content = approved_content(states, mount, workspace)
        path = f"{made.prefix}{states.path}".encode(errors="surrogateescape")
        if content is None:
            yield b"0 " + b"0" * len(made.head) + b"\t" + path
            continue
        blob = git("hash-object", "-w", "--stdin", "--no-filters", given=content.data).strip()
        yield mode_of(executable=content.executable).encode() + b" " + blob + b"\t" + path


def tree_of(git: Git, made: CommitPlan, lines: Sequence[bytes]) -> str:
    """The tree of the commit before with these files changed, made in an index of its own."""
    owner = git.mount.path.stat()
    with tempfile.TemporaryDirectory(prefix="handrail-index-") as folder:
        if os.geteuid() == 0:
            os.chown(folder, owner.st_uid, owner.st_gid)
        own = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git("read-tree", made.head, extra=own)
        git("update-index", "-z", "--index-info", given=b"".join(line + b"\0" for line in lines), extra=own)
        return git("write-tree", extra=own).decode().strip()


def push(made: CommitPlan, mount: Mount, seconds: float, stop: threading.Event) -> str:
    """Push the branch, never over one that is there, and only to where was approved.

    Args:
        made: as approved.
        mount: whose repository.
        seconds: how long it may take.
        stop: ends it at once.

    Returns:
        An empty text, or why it failed: the commit stands all the same, and is told.
    """
    git, reference = Git(mount=mount), f"refs/heads/{made.branch}"
    try:
        now = remote(git)
        if now != made.push_to:
            return f"{REMOTE} now leads to {now}, which nobody approved."
        done = git.tried("push", "--porcelain", REMOTE, f"{reference}:{reference}", seconds=seconds, stop=stop)
    except (ToolInputError, ToolRefused) as error:
        return str(error)
    return "" if done.returncode == 0 else visible(done.stderr.decode(errors="replace").strip())[-600:]


def patch_name(mount: Mount, branch: str) -> str:
    """Where the patch lies in the workspace; two branches never share a name."""
    plain = "".join(character if character.isalnum() else "-" for character in branch)[:60].strip("-")
    digest = hashlib.sha256(branch.encode()).hexdigest()[:8]
    return f"patches/{'-'.join(filter(None, (mount.name, plain, digest)))}.patch"
