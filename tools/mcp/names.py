"""Names of MCP tools: `mcp_<server>_<tool>`, valid for every model API, unique, and the same at each start."""

import hashlib
import re
from collections.abc import Iterable

MAX_NAME = 64
UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
HASH_CHARS = 8


def tool_name(server: str, tool: str, servers: Iterable[str]) -> str:
    """The name under which the model calls a tool.

    It is `mcp_<server>_<tool>` wherever that is valid, short enough and cannot be read as a tool of another configured
    server (`a` with `b_c`, `a_b` with `c`); else it is cut and ends in a hash of both names.
    """
    prefix, rest = UNFIT.sub("_", server), UNFIT.sub("_", tool)
    plain = f"mcp_{prefix}_{rest}"
    is_exact = prefix == server and rest == tool and len(plain) <= MAX_NAME and bool(rest)
    others = (UNFIT.sub("_", other) for other in servers if other != server)
    if is_exact and not any(len(other) > len(prefix) and plain.startswith(f"mcp_{other}_") for other in others):
        return plain
    digest = hashlib.sha256(f"{server}\0{tool}".encode(errors="surrogatepass")).hexdigest()[:HASH_CHARS]
    return f"{plain[: MAX_NAME - HASH_CHARS - 1]}_{digest}"
