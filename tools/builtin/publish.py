"""Proposes the changes of a mount's copy back to the host; a person reads the difference, exactly that is applied."""

import asyncio
import threading
import time
from collections.abc import Coroutine, Sequence
from typing import Annotated, ClassVar, TypeVar

from pydantic import Field, ValidationError

from tools.base import (
    BaseTool,
    CallPreview,
    Effect,
    Params,
    PreparedCall,
    ProducedFile,
    Risk,
    ToolInputError,
    ToolRefused,
    ToolResult,
)
from tools.context import ToolContext
from tools.difference import Binding, propose
from tools.mounts import Mount, MountUnusable
from tools.publishing import apply
from tools.repository import CommitPlan, commit, patch_name, plan, push
from tools.schema import JSON_OBJECT
from tools.text import visible

T = TypeVar("T")
TELLING_SECONDS = 3.0
"""Of a call's time, kept back from a push, so that what became of it can still be told."""


class PublishParams(Params):
    """Which mount, and what to tell the person who decides."""

    mount: str = Field(min_length=1, max_length=64, description="Name of the mounted directory, such as etl.")
    message: str = Field(
        min_length=1,
        max_length=500,
        description="What the change does and how you checked it, in one or two sentences.",
    )
    merged: tuple[Annotated[str, Field(max_length=4096)], ...] = Field(
        default=(),
        max_length=50,
        description="Only after a refusal: paths below the mount whose original changed meanwhile and whose present "
        "content you have merged into your copy.",
    )
    branch: str = Field(
        default="",
        max_length=200,
        description="For a git repository: commit to this new branch, with `message`, instead of changing the files.",
    )
    push: bool = Field(default=False, description="With branch: push it to origin as well.")


class Publish(BaseTool[PublishParams]):
    """A call that was lost in a crash may be repeated, so its effect is idempotent.

    The approval covers the state of each file before and after. A repeat touches only files still in the state before,
    turns them into the same approved content, and refuses at the sight of any third state; once all are in the state
    after, it writes nothing.
    """

    name: ClassVar[str] = "publish"
    description: ClassVar[str] = (
        "Propose the changes you made in your copy of a mounted directory back to the original. The person sees the "
        "whole difference and decides; it is applied exactly as shown or not at all. Test your copy first, and leave "
        "no files in it that do not belong there."
    )
    risk: ClassVar[Risk] = Risk.OUTSIDE
    effect: ClassVar[Effect] = Effect.IDEMPOTENT
    params: ClassVar[type[Params]] = PublishParams

    def __init__(self, mounts: Sequence[Mount]) -> None:
        """Publish to these mounts and to nothing else."""
        self.mounts = {mount.name: mount for mount in mounts}

    def mount(self, name: str) -> Mount:
        """The mount of this name.

        Raises:
            ToolInputError: there is none.
        """
        try:
            return self.mounts[name.strip("/")]
        except KeyError:
            known = ", ".join(self.mounts) or "none"
            raise ToolInputError(f"There is no mount called {visible(name)!r}. The mounts are: {known}.") from None

    async def prepare(self, params: PublishParams, context: ToolContext) -> PreparedCall:
        """Compare, and bind the approval to what is shown."""
        mount = self.mount(params.mount)
        if params.push and not params.branch:
            raise ToolInputError("push needs a branch.")
        try:
            difference = await asyncio.to_thread(propose, mount, context.workspace, params.merged)
        except MountUnusable as error:
            raise ToolRefused(str(error)) from error
        binding, title, body = difference.binding, difference.title, difference.body
        if params.branch:
            made = await asyncio.to_thread(plan, mount, binding, params.branch, push=params.push)
            binding = binding.model_copy(update={"commit": made})
            title, body = f"Commit to a new branch: {title}", f"{about(made)}\n{body}"
        merged = [f"merged by the agent, as the original had changed: {visible(path)}" for path in params.merged]
        preview = CallPreview(title=title, body=body, language="diff", notes=(visible(params.message), *merged))
        return PreparedCall(preview=preview, binding=JSON_OBJECT.validate_python(binding.model_dump(mode="json")))

    async def run(self, params: PublishParams, context: ToolContext) -> ToolResult:
        """Apply what was approved. A cancellation waits until the files are all old or all new, and ends a push."""
        mount = self.mount(params.mount)
        try:
            binding = Binding.model_validate(dict(context.binding))
        except ValidationError as error:
            raise ToolRefused("Nothing was published: no difference was prepared for this call.") from error
        if binding.mount != mount.name:
            raise ToolRefused("Nothing was published: the difference that was shown is of another mount.")
        if (binding.commit.branch if binding.commit else "") != params.branch:
            raise ToolRefused("Nothing was published: what was shown is about another branch.")
        try:
            if binding.commit:
                stop = threading.Event()
                work = asyncio.to_thread(committed, binding, binding.commit, mount, params, context, stop)
                return await uninterrupted(work, stop)
            applied = await uninterrupted(asyncio.to_thread(apply, binding, mount, context.workspace))
        except MountUnusable as error:
            raise ToolRefused(str(error)) from error
        files = f"{applied.files} file{'s' * (applied.files != 1)}"
        done = f"{files} in {mount.name}/ {'were already' if applied.already else 'are now'} as approved."
        names = "\n".join(f"- {mount.name}/{states.path}" for states in binding.files)
        return ToolResult(output=f"{done}\n{names}", brief=f"Published {files} to {mount.name}/")


def about(made: CommitPlan) -> str:
    """Where the commit goes, as the first lines of what is approved."""
    lines = [
        f"[branch {visible(made.branch)}, after commit {made.head[:12]}; files and present branch stay as they are]"
    ]
    return "\n".join([*lines, f"[then pushed to {made.push_to}]"] if made.push_to else lines)


async def uninterrupted(work: Coroutine[None, None, T], stop: threading.Event | None = None) -> T:
    """The result of work that a cancellation waits for, after it said so by `stop`."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if stop is not None:
            stop.set()
        await asyncio.wait({task})
        task.exception()
        raise


def committed(
    binding: Binding,
    made: CommitPlan,
    mount: Mount,
    params: PublishParams,
    context: ToolContext,
    stop: threading.Event,
) -> ToolResult:
    """The commit, its patch as a file for the person, and the push where it was approved. Blocks."""
    ends = time.monotonic() + context.timeout.total_seconds() - TELLING_SECONDS
    done = commit(binding, made, mount, context.workspace, params.message)
    name = patch_name(mount, made.branch)
    context.workspace.write_bytes(name, done.patch)
    file = ProducedFile(path=name, title=name.rpartition("/")[2], size=len(done.patch))
    lines = [f"Commit {done.commit[:12]} {'was' if done.already else 'is'} on branch {made.branch} of {mount.name}/."]
    problem = push(made, mount, max(0.0, ends - time.monotonic()), stop) if made.push_to else ""
    if made.push_to:
        lines.append(f"It was not pushed: {problem}" if problem else f"It is pushed to {made.push_to}.")
    lines.append(f"The patch for git am is in {name}.")
    brief = f"Committed to {made.branch}{', not pushed' if problem else ', pushed' if made.push_to else ''}"
    return ToolResult(output="\n".join(lines), brief=brief, is_error=bool(problem), files=(file,))
