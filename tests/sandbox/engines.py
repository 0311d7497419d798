"""A container engine, where the machine has one, and an image made of this machine's own files: nothing is fetched."""

import io
import os
import re
import subprocess
import tarfile
from functools import cache
from pathlib import Path

import httpx
import pytest

from tools.sandbox.engine import Engine

SOCKETS = ("/var/run/docker.sock", "/run/podman/podman.sock")
NAME = "handrail-sandbox-tests"
PROGRAMS = (
    "sh bash cat touch rm mkdir ls sleep head tail env true false echo id ln chmod setsid dd seq wc printf stat cp mv "
    "sort tr cut mkfifo kill uname grep sed yes"
).split()
LIBRARY = re.compile(r"(/\S+\.so\S*) \(0x")
EMPTY = ("tmp", "proc", "dev", "sys", "workspace", "mnt", "etc")


def find_engine() -> Engine:
    """The engine that DOCKER_HOST names, or the usual one; the test is skipped where none answers."""
    for path in sockets():
        if answers(path):
            return Engine(socket=Path(path))
    pytest.skip("no container engine answers: neither DOCKER_HOST nor " + " nor ".join(SOCKETS))


def sockets() -> list[str]:
    """Sockets of engines that exist, whether or not anybody answers."""
    host = os.environ.get("DOCKER_HOST", "").removeprefix("unix://")
    return [path for path in (host, *SOCKETS) if path and Path(path).is_socket()]


def answers(path: str) -> bool:
    """Whether an engine listens there."""
    try:
        return talk(path, "GET", "/version").is_success
    except httpx.HTTPError:
        return False


def talk(path: str, method: str, where: str, content: bytes = b"") -> httpx.Response:
    """One call."""
    transport = httpx.HTTPTransport(uds=path)
    with httpx.Client(transport=transport, base_url="http://engine", timeout=120) as client:
        return client.request(method, where, content=content, headers={"Content-Type": "application/x-tar"})


@cache
def image(path: str, python: str) -> str:
    """An image with this machine's Python and a few programs, made once and kept by the engine."""
    tag = f"{NAME}:{Path(python).name}"
    if not talk(path, "GET", f"/images/{tag}/json").is_success:
        # Podman reads over a `tag` of its own.
        made = talk(path, "POST", f"/images/create?fromSrc=-&repo={tag}", packed(python))
        assert made.is_success, made.text
    return tag


def packed(python: str) -> bytes:
    """The files as a tar archive."""
    chosen = [Path(python), *(Path("/usr/bin") / name for name in PROGRAMS)]
    files = {path for path in chosen if path.exists()}
    files |= {Path(library) for path in files for library in LIBRARY.findall(linked(path))}
    library = Path(python).parents[1] / "lib" / Path(python).name
    modules = [path for path in library.rglob("*.so") if path.is_file()]
    files |= {Path(found) for path in modules for found in LIBRARY.findall(linked(path))}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in EMPTY:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            archive.addfile(folder)
        for name in ("bin", "lib", "lib64"):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, f"usr/{name}"
            archive.addfile(link)
        for path in sorted(files):
            archive.add(path.resolve(), f"usr{str(path).removeprefix('/usr')}", recursive=False)
        archive.add(library, str(library).lstrip("/"), filter=without_caches)
    return buffer.getvalue()


def linked(path: Path) -> str:
    """What a program is linked with."""
    return subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout


def without_caches(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out what Python makes anew, and its own tests."""
    parts = Path(entry.name).parts
    return None if {"__pycache__", "test", "site-packages", "dist-packages"} & set(parts) else entry
