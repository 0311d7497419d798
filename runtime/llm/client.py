"""How one model is reached: its address, its key, its limits, and the `openai` client for it."""

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from ssl import SSLContext
from typing import Literal
from urllib.parse import urlsplit

from httpx2 import create_ssl_context
from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAsyncHttpx2Client, Timeout

from runtime.llm.retry import RetryPolicy

CONNECT_SECONDS = 10.0
KEY_FOR_NONE = "none"
"""Local servers want no key, yet the client insists on one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How requests to one model are made."""

    model: str
    base_url: str
    """Of an OpenAI-compatible API; with `azure_api_version`, the resource's own address."""
    profile: str = "main"
    key_name: str = "OPENAI_API_KEY"
    """The variable that holds the key, for what people are told."""
    azure_api_version: str = ""
    """Azure's dated API, such as `2024-10-21`; empty where the address takes OpenAI's own paths."""
    azure_deployment: str = ""
    """Empty: it is called as the model is."""
    context_window: int = 128_000
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning: bool = False
    """It takes no temperature, and its output limit counts what it thinks."""
    reasoning_effort: Literal["", "minimal", "low", "medium", "high"] = ""
    takes_images: bool | None = None
    """None: the first request with an image tells."""
    takes_schemas: bool = True
    """Answers may be held to a JSON schema; a refusal is noted for good."""
    silence: timedelta = timedelta(seconds=120)
    """No byte for so long ends the request."""
    whole: timedelta = timedelta(seconds=600)
    """All tries together."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)

    @property
    def where(self) -> str:
        """The address as people may see it: without credentials or query."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"

    @property
    def is_local(self) -> bool:
        """True when the model runs on this machine."""
        return urlsplit(self.base_url).hostname in {"127.0.0.1", "::1", "localhost"}

    @property
    def is_openai(self) -> bool:
        """True for OpenAI's own service, which names the output limit differently."""
        return urlsplit(self.base_url).hostname == "api.openai.com"


@cache
def authorities() -> SSLContext:
    """The usual certificate authorities, read once for all models of this machine."""
    return create_ssl_context(trust_env=False)


def client_of(options: ModelOptions, api_key: str) -> AsyncOpenAI:
    """The client; nothing is sent yet. Retries are the caller's, who knows which can help."""
    key = api_key or KEY_FOR_NONE
    timeout = Timeout(options.silence.total_seconds(), connect=CONNECT_SECONDS)
    # A proxy of the environment is for the outside; a model on this machine is not behind it.
    http = DefaultAsyncHttpx2Client(trust_env=False, verify=authorities()) if options.is_local else None
    if options.azure_api_version:
        return AsyncAzureOpenAI(
            api_key=key,
            azure_endpoint=options.base_url,
            azure_deployment=options.azure_deployment or options.model,
            api_version=options.azure_api_version,
            max_retries=0,
            timeout=timeout,
            http_client=http,
        )
    return AsyncOpenAI(api_key=key, base_url=options.base_url, max_retries=0, timeout=timeout, http_client=http)
