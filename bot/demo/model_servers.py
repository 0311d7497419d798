"""Looks whether a real model is set up or at hand: by the environment, or as a server on this machine."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import ClientError, ClientSession, ClientTimeout
from pydantic import BaseModel, ValidationError

KNOWN = {"Ollama": "http://127.0.0.1:11434/v1", "llama.cpp": "http://127.0.0.1:8080/v1"}
PATIENCE = ClientTimeout(total=1.0)


class Model(BaseModel):
    """One model a server has."""

    id: str


class Models(BaseModel):
    """The answer to `GET /v1/models`."""

    data: tuple[Model, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A model server of this machine."""

    name: str
    base_url: str
    model: str

    @property
    def hint(self) -> str:
        """How to use it."""
        return f"{self.name} runs here: OPENAI_BASE_URL={self.base_url} OPENAI_MODEL={self.model} make demo"


def is_set_up(environ: Mapping[str, str]) -> bool:
    """True when the environment names a real model."""
    return any(environ.get(name, "").strip() for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"))


async def find_servers() -> tuple[Found, ...]:
    """The known servers that answer on this machine."""
    async with ClientSession(timeout=PATIENCE) as session:
        found = await asyncio.gather(*(look(session, name, address) for name, address in KNOWN.items()))
    return tuple(one for one in found if one is not None)


async def look(session: ClientSession, name: str, base_url: str) -> Found | None:
    """The server at an address, when it is there and has a model."""
    try:
        async with session.get(f"{base_url}/models") as response:
            models = Models.model_validate_json(await response.read())
    except (ClientError, TimeoutError, OSError, ValidationError):
        return None
    return Found(name=name, base_url=base_url, model=models.data[0].id) if models.data else None
