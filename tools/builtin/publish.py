"""Proposes the changes of a mount's copy back to the host; a person reads the difference, exactly that is applied."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field, ValidationError

from tools.base import (
    BaseTool,
    CallPreview,
    Effect,
    Params,
    PreparedCall,
    Risk,
    ToolInputError,
    ToolRefused,
    ToolResult,
)
from tools.context import ToolContext
from tools.difference import Binding, propose
from tools.mounts import Mount, MountUnusable
from tools.publishing import apply
from tools.schema import JSON_OBJECT
from tools.text import visible


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
        try:
            difference = await asyncio.to_thread(propose, mount, context.workspace, params.merged)
        except MountUnusable as error:
            raise ToolRefused(str(error)) from error
        preview = CallPreview(
            title=difference.title, body=difference.body, language="diff", notes=(visible(params.message),)
        )
        return PreparedCall(
            preview=preview, binding=JSON_OBJECT.validate_python(difference.binding.model_dump(mode="json"))
        )

    async def run(self, params: PublishParams, context: ToolContext) -> ToolResult:
        """Apply what was approved. A cancellation waits until the files are all old or all new."""
        mount = self.mount(params.mount)
        try:
            binding = Binding.model_validate(dict(context.binding))
        except ValidationError as error:
            raise ToolRefused("Nothing was published: no difference was prepared for this call.") from error
        if binding.mount != mount.name:
            raise ToolRefused("Nothing was published: the difference that was shown is of another mount.")
        writing = asyncio.ensure_future(asyncio.to_thread(apply, binding, mount, context.workspace))
        try:
            applied = await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait({writing})
            writing.exception()
            raise
        except MountUnusable as error:
            raise ToolRefused(str(error)) from error
        files = f"{applied.files} file{'s' * (applied.files != 1)}"
        done = f"{files} in {mount.name}/ {'were already' if applied.already else 'are now'} as approved."
        names = "\n".join(f"- {mount.name}/{states.path}" for states in binding.files)
        return ToolResult(output=f"{done}\n{names}", brief=f"Published {files} to {mount.name}/")
