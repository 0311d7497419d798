"""The sandbox as the operator's settings want it."""

from bot.commands.start import Start
from tools.sandbox.settings import SandboxSettings


def wanted_sandbox(start: Start) -> SandboxSettings:
    """What to choose from; hosts that are not public may be reached where the web tools may reach them."""
    said = start.settings.sandbox.model_dump()
    return SandboxSettings.model_validate({**said, "private_hosts": start.settings.web.private_hosts})
