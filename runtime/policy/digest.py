"""What an approval is bound to: one hash over everything that decides what will happen."""

import hashlib
from collections.abc import Mapping

from pydantic import JsonValue

from tools.schema import canonical


def call_digest(
    *,
    session_id: str,
    tool: str,
    definition: str,
    arguments: str,
    binding: Mapping[str, JsonValue],
    approval_id: str,
) -> str:
    """SHA-256 in hexadecimal; two calls have the same one only if they are the same call for the same request.

    Args:
        session_id: where it runs.
        tool: the exact name.
        definition: the hash of what the tool is (`ToolCollection.definition_hash`).
        arguments: in canonical JSON.
        binding: what `prepare` bound beside the arguments.
        approval_id: the request it answers, so that no verdict can be used twice.
    """
    whole: dict[str, JsonValue] = {
        "session": session_id,
        "tool": tool,
        "definition": definition,
        "arguments": arguments,
        "binding": dict(binding),
        "approval": approval_id,
    }
    return hashlib.sha256(canonical(whole)).hexdigest()
