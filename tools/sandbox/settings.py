"""What the operator may say about the sandbox."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from tools.sandbox.container import Container
from tools.sandbox.egress import Egress, is_address
from tools.sandbox.engine import Engine
from tools.sandbox.interpreter import Interpreter
from tools.web.addresses import Guard

HOST = re.compile(r"(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?")
Backend = Literal["auto", "bubblewrap", "landlock", "container", "seatbelt"]


def host_name(entry: str) -> str:
    """A host that code may reach.

    Raises:
        ValueError: it is no name, or a number.
    """
    if not HOST.fullmatch(entry) or is_address(entry.removeprefix("*.").partition(":")[0]):
        raise ValueError(
            f"{entry!r} is no host name in small letters, such as packages.example, *.example.org or name:8443"
        )
    return entry


HostName = Annotated[str, AfterValidator(host_name)]


class SandboxSettings(BaseModel):
    """The `[sandbox]` table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    backend: Backend = "auto"
    """Which back-end; `auto` takes the strongest one that works without an image."""
    unsafe_local: bool = False
    """Where no back-end works, run code uncontained; every call is then asked for."""
    python: Path | None = None
    """The interpreter; None: the prepared one."""
    network: tuple[HostName, ...] = ()
    """Hosts that code may reach; empty: no network at all."""
    private_hosts: tuple[str, ...] = ()
    """Of these, `host:port` pairs that need not be public."""
    container_image: str = ""
    """The image of the container back-end; it has a python3."""
    container_socket: Path = Path("/var/run/docker.sock")
    container_python: str = "/usr/bin/python3"

    @property
    def egress(self) -> Egress | None:
        """The way out, where there is one."""
        return Egress(hosts=self.network, guard=Guard(frozenset(self.private_hosts))) if self.network else None

    @property
    def container(self) -> Container | None:
        """The back-end for containers, where an image is set and no network is wanted."""
        if not self.container_image or self.network:
            return None
        python = Interpreter(python=self.container_python)
        return Container(engine=Engine(socket=self.container_socket), image=self.container_image, interpreter=python)
