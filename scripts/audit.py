"""Hold every locked package against the known vulnerabilities that osv.dev lists, in one request.

Only names and versions of the lock files are sent. Without a network this says that nothing was audited, and passes.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from scripts.machine import ROOT

SERVICE = "https://api.osv.dev/v1/querybatch"
SECONDS = 20
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)", re.MULTILINE)
ACCEPTED: Mapping[str, str] = {}
"""Ids of weaknesses that do not concern this project, each with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Package:
    """One version of a package that some lock file names."""

    name: str
    version: str


class Known(BaseModel):
    """A weakness."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str


class OfPackage(BaseModel):
    """What is known of one package."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    vulns: tuple[Known, ...] = ()


class Answer(BaseModel):
    """The service's answer, in the order of the questions."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    results: tuple[OfPackage, ...]


def locked(folder: Path) -> list[Package]:
    """Every package of every lock file."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("requirements*.lock"))]
    return sorted(
        {Package(name=found["name"], version=found["version"]) for text in texts for found in PIN.finditer(text)}
    )


def weaknesses(packages: Sequence[Package], service: str) -> dict[Package, list[str]]:
    """The ids of what is known of each package and not accepted.

    Raises:
        httpx.HTTPError: the service does not answer.
        ValidationError: it answers something else.
    """
    queries = [{"package": {"name": one.name, "ecosystem": "PyPI"}, "version": one.version} for one in packages]
    reply = httpx.post(service, json={"queries": queries}, timeout=SECONDS).raise_for_status()
    results = Answer.model_validate_json(reply.content).results
    found = {
        package: [known.id for known in result.vulns if known.id not in ACCEPTED]
        for package, result in zip(packages, results, strict=True)
    }
    return {package: ids for package, ids in found.items() if ids}


def main(arguments: Sequence[str], folder: Path = ROOT) -> int:
    """Print what was found; 1 when a package has a known weakness."""
    packages = locked(folder)
    try:
        found = weaknesses(packages, arguments[0] if arguments else SERVICE)
    except (httpx.HTTPError, ValidationError, ValueError) as error:
        print(
            f"NOTICE: {len(packages)} packages were not audited, as the service does not answer: {type(error).__name__}"
        )
        return 0
    for package, ids in sorted(found.items()):
        print(f"{package.name} {package.version}: {', '.join(f'https://osv.dev/{one}' for one in ids)}")
    print(f"{len(packages)} packages audited, {len(found)} with known weaknesses")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
