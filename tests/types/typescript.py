"""Recorded payloads as TypeScript literals, and the compiler's word on them."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

TYPES = Path(__file__).parent
TSC = TYPES / "node_modules" / ".bin" / "tsc"
CHECKED = frozenset(
    {
        "agents.sessions.rename",
        "agents.sessions.setStatus",
        "assistant.threads.setStatus",
        "assistant.threads.setSuggestedPrompts",
        "chat.appendStream",
        "chat.postEphemeral",
        "chat.postMessage",
        "chat.startStream",
        "chat.stopStream",
        "chat.update",
        "views.open",
        "views.publish",
    }
)
"""Methods whose arguments travel as JSON. What travels in a query is text, whatever its type."""
UNDEFINED = "(undefined)"
UNTYPED = frozenset({"app_id", "bot_profile", "source_team"})
"""Keys of real events that the types leave out, or know in part."""
NESTED = frozenset({"message_changed", "message_deleted"})
"""Events whose inner messages the types describe as if they were events of their own."""
HEAD = """\
import type { WebClient } from "@slack/web-api";
import type { HomeView, KnownBlock, ModalView, PlanBlock, SlackEvent, TaskCardBlock } from "@slack/types";
type Args<F> = F extends (options: infer O) => unknown ? O : F extends (options?: infer O) => unknown ? O : never;
type Loose<T> = T extends string ? string : T extends object ? { [K in keyof T]: Loose<T[K]> } : T;
declare function told<T extends SlackEvent>(event: T): void;
type StrictPlan = Omit<PlanBlock, "tasks"> & { tasks: TaskCardBlock[] };
type StrictBlock = Exclude<KnownBlock, PlanBlock> | StrictPlan;
"""


def constant(number: int, kind: str, value: object) -> str:
    """One literal. A fresh literal is what the compiler checks for unknown keys as well.

    Real events have more keys than their types, so there only missing and wrong ones count.
    """
    if kind == "SlackEvent":
        literal = json.dumps(as_typed(value), ensure_ascii=True).replace(f'"{UNDEFINED}"', "undefined")
        return f"told({literal});\n"
    return f"export const p{number}: {kind} = {json.dumps(value, ensure_ascii=True)};\n"


def as_typed(value: object) -> object:
    """An event as its types want it: a plain message says that it has no subtype, and some real keys are unknown."""
    if isinstance(value, list):
        return [as_typed(item) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    kept = {key: as_typed(item) for key, item in cast("dict[str, object]", value).items() if key not in UNTYPED}
    return {"subtype": UNDEFINED, **kept} if kept.get("type") == "message" and "ts" in kept else kept


def path_of(method: str) -> str:
    """`chat.postMessage` as a type of the client."""
    return "WebClient" + "".join(f'["{part}"]' for part in method.split("."))


def literals(records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, object]]:
    """Type and value of everything that is checked."""
    for record in records:
        name, payload = str(record["name"]), record["payload"]
        if record["kind"] == "call" and name in CHECKED:
            yield f"Args<{path_of(name)}>", payload
            if payload.get("blocks"):
                yield "StrictBlock[]", payload["blocks"]
            view: Mapping[str, Any] = payload.get("view") or {}
            if "type" in view:  # Tests of the local Slack also send what it must refuse.
                yield "HomeView" if view["type"] == "home" else "ModalView", view
                yield "StrictBlock[]", view["blocks"]
        elif record["kind"] == "answer" and name in CHECKED:
            # The types of answers know neither of newer blocks nor of null; blocks and views are checked as they came.
            plain = {key: value for key, value in payload.items() if key not in {"message", "view"}}
            yield f"Loose<Awaited<ReturnType<{path_of(name)}>>>", plain
        elif record["kind"] == "event" and payload.get("subtype") not in NESTED:
            yield "SlackEvent", payload


def source(records: Sequence[Mapping[str, Any]]) -> str:
    """A module with one constant each."""
    return HEAD + "".join(constant(number, kind, value) for number, (kind, value) in enumerate(literals(records)))


async def complaints(records: Sequence[Mapping[str, Any]], folder: Path) -> list[str]:
    """What the compiler says; empty when everything fits."""
    text = source(records)
    file = folder / "payloads.ts"
    file.write_text(text, encoding="utf-8")
    (folder / "node_modules").symlink_to(TYPES / "node_modules")
    options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"]
    process = await asyncio.create_subprocess_exec(
        str(TSC), *options, str(file), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, cwd=folder
    )
    out, _ = await process.communicate()
    lines = text.splitlines()
    return [explained(line, lines) for line in out.decode().splitlines() if "error" in line]


def explained(line: str, lines: Sequence[str]) -> str:
    """A complaint with the beginning of what it is about."""
    place = line.partition("(")[2].partition(",")[0]
    about = lines[int(place) - 1][:300] if place.isdigit() else ""
    return f"{line[:400]}\n    {about}"
