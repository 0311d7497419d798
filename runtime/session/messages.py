"""Model messages as the bytes that are sent: built once when an event is folded, never rewritten.

Text from outside is data: what people and tools say is framed as a quoted record with its speaker.
"""

import json

from runtime.session.events import (
    Attachment,
    CallFinished,
    CallStatus,
    MessageDeleted,
    MessageEdited,
    MessageReceived,
    PlanEdited,
    QuestionAnswered,
    RunOutcome,
    ToolsChanged,
)
from tools.plan import described as described_plan

QUOTED = "Earlier messages of this thread, quoted as data:"
"""The first line of a message that brings earlier ones along; an empty line ends them."""
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def serialised(message: dict[str, object]) -> str:
    """One message as compact JSON with the characters kept."""
    return COMPACT.encode(message)


def described(attachment: Attachment) -> str:
    """One line about a file that came with a message."""
    if attachment.problem:
        return f"[file {attachment.name!r} could not be fetched: {attachment.problem}]"
    return f"[file in the workspace: {attachment.path or attachment.name} ({attachment.size} bytes)]"


def of_person(event: MessageReceived) -> str:
    """A person's message as a user message: earlier messages of the thread first, each as a quoted record."""
    lines: list[str] = []
    if event.context:
        lines.append(QUOTED)
        lines.extend(json.dumps({"from": q.speaker, "text": q.text}, ensure_ascii=False) for q in event.context)
        lines.append("")
    lines.append(f"{event.speaker} says:")
    lines.append(event.text)
    lines.extend(described(attachment) for attachment in event.attachments)
    return serialised({"role": "user", "content": "\n".join(lines)})


def of_result(model_call_id: str, event: CallFinished, *, edited: str = "") -> str:
    """A call's result as a tool message. `edited`: the arguments as a person changed them before it ran."""
    prefix = f"[a person changed the arguments before this ran: {edited}]\n" if edited else ""
    prefix += "" if event.status is CallStatus.OK else f"[{event.status.value}] "
    content = prefix + (event.shown or event.output or "(no output)")
    return serialised({"role": "tool", "tool_call_id": model_call_id, "content": content})


def of_unfinished(model_call_id: str, outcome: RunOutcome) -> str:
    """The closing observation of a call that the end of its run left without a result."""
    text = f"[cancelled] The run ended ({outcome.value}) before this call had a result."
    return serialised({"role": "tool", "tool_call_id": model_call_id, "content": text})


def of_edit(event: MessageEdited) -> str:
    """A message that says something else now."""
    content = f"{event.speaker} changed an earlier message. It says now:\n{event.text}"
    return serialised({"role": "user", "content": content})


def of_deletion(event: MessageDeleted) -> str:
    """A message that was taken back."""
    was = json.dumps(event.text, ensure_ascii=False)
    content = f"{event.speaker} deleted an earlier message; do nothing more because of it. It said: {was}"
    return serialised({"role": "user", "content": content})


def of_answer(event: QuestionAnswered) -> str:
    """The answer to a question that the model asked in plain text."""
    if event.how == "expired":
        return serialised({"role": "user", "content": "Nobody answered your question in time."})
    return serialised({"role": "user", "content": f"{event.by} answers:\n{event.answer}"})


def of_start(event: QuestionAnswered) -> str:
    """The word that work may begin."""
    content = f"[note of the host] {event.by} approved the plan. Work by it now."
    return serialised({"role": "user", "content": content})


def of_plan(event: PlanEdited) -> str:
    """A plan that a person changed."""
    content = f"[note of the host] {event.speaker or event.by} changed the plan. Work by it as it is now:\n"
    return serialised({"role": "user", "content": content + described_plan(event.plan)})


def of_tools(event: ToolsChanged) -> str:
    """What became of the tools between two steps."""
    lines = ["[note of the host] The tools listed with this request are others than before."]
    if event.gone:
        lines.append(f"No longer here: {', '.join(event.gone)}. Do not call them; go on without them or say so.")
    if event.new:
        lines.append(f"New: {', '.join(event.new)}.")
    return serialised({"role": "user", "content": "\n".join(lines)})
