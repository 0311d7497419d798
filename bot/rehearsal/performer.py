"""From the messages of a request to the next reply. Nothing is kept between requests.

The ids of the calls carry the demonstration, the performance and the turn, so that the place in the script is found
again in any history that still holds them.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue, TypeAdapter

from bot.rehearsal.catalogue import BY_KEY, CONNECT, HONEST, MENU, wanted
from bot.rehearsal.script import LABEL, Demonstration, Ending, OffScriptError, Result, Script, Turn, arguments_text
from bot.rehearsal.wire import Call, CallMessage, ChatRequest, Message, Reply

CALL_ID = re.compile(r"call_(?P<key>[a-z]+)_(?P<performance>[0-9a-f]{8})_(?P<turn>\d+)_(?P<index>\d+)")
RUN_ENDED = "[cancelled] The run ended"
SPEAKER = " says:\n"
ARGUMENTS = TypeAdapter(dict[str, JsonValue])


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """A demonstration under way: which one, and the results of its turns so far."""

    demonstration: Demonstration
    name: str
    """Tells two performances of one history apart."""
    past: tuple[tuple[Result, ...], ...] = ()


def reply_to(request: ChatRequest) -> Reply:
    """The next reply."""
    offered = {tool.function.name for tool in request.tools or ()}
    repeated = refused_ending(request.messages)
    if repeated:
        return Reply(text=repeated)
    performance = under_way(request.messages) or begun(request.messages)
    missing = sorted(performance.demonstration.tools - offered)
    if missing:
        return Reply(text=f"{HONEST} This one needs tools I was not offered: {', '.join(missing)}. {CONNECT} {LABEL}")
    step = play(performance.demonstration.perform(), performance.past)
    return spoken(step, f"call_{performance.demonstration.key}_{performance.name}_{len(performance.past)}", offered)


def play(script: Script, past: Sequence[tuple[Result, ...]]) -> Turn | Ending:
    """Play the script from its start on what has been answered so far."""
    try:
        turn = next(script)
        for results in past:
            known = results[: len(turn.calls)]
            turn = script.send((*known, *(Result("") for _ in turn.calls[len(known) :])))
    except StopIteration as stop:
        ending: Ending = stop.value
        return ending
    except OffScriptError as problem:
        said = problem.said.strip()[-1500:] or "nothing"
        return Ending(
            f"I cannot go on: I looked for {problem.wanted}, and the tool said:\n\n```\n{said}\n```", "failure"
        )
    return turn


def spoken(step: Turn | Ending, call_id: str, offered: set[str]) -> Reply:
    """The step as a reply, labelled as scripted wherever it has words."""
    if isinstance(step, Turn):
        calls = tuple(
            Call(id=f"{call_id}_{index}", name=call.tool, arguments=arguments_text(call))
            for index, call in enumerate(step.calls)
        )
        return Reply(text=f"{step.text} {LABEL}" if step.text else "", calls=calls)
    answer = f"{step.answer}\n\n_{LABEL}_ · Next: `python -m bot init` sets up your own workspace."
    if "terminate" not in offered:
        return Reply(text=answer)
    arguments = ARGUMENTS.dump_json({"status": step.status, "answer": answer}).decode()
    return Reply(calls=(Call(id=f"{call_id}_0", name="terminate", arguments=arguments),))


def last_assistant(messages: Sequence[Message]) -> int:
    """The place of the last thing the assistant said, or -1."""
    return max((index for index, message in enumerate(messages) if message.role == "assistant"), default=-1)


def calls_at(messages: Sequence[Message], place: int) -> Sequence[CallMessage]:
    """The calls of the message at that place; none where there is no such place."""
    return messages[place].tool_calls or [] if place >= 0 else []


def refused_ending(messages: Sequence[Message]) -> str:
    """The answer of an ending that the runtime did not take, or an empty text: then it is said in plain words."""
    place = last_assistant(messages)
    calls = calls_at(messages, place)
    if not calls or calls[0].function.name != "terminate" or any(m.role == "user" for m in messages[place:]):
        return ""
    return str(ARGUMENTS.validate_json(calls[0].function.arguments)["answer"])


def under_way(messages: Sequence[Message]) -> Performance | None:
    """The performance that the last reply belongs to, unless it ended or a new task followed."""
    place = last_assistant(messages)
    calls = calls_at(messages, place)
    found = CALL_ID.fullmatch(calls[0].id) if calls else None
    if found is None or calls[0].function.name == "terminate":
        return None
    after = messages[place + 1 :]
    ended = any(message.role == "tool" and message.text.startswith(RUN_ENDED) for message in after)
    if ended or wanted(task_of(after)) is not None:
        return None
    results = results_of(messages, found["key"], found["performance"])
    past = tuple(results.get(turn, ()) for turn in range(int(found["turn"]) + 1))
    return Performance(demonstration=BY_KEY[found["key"]], name=found["performance"], past=past)


def results_of(messages: Sequence[Message], key: str, performance: str) -> dict[int, tuple[Result, ...]]:
    """What the calls of each turn gave, in the order of the calls."""
    results: dict[int, dict[int, Result]] = {}
    for message in messages:
        found = CALL_ID.fullmatch(message.tool_call_id or "") if message.role == "tool" else None
        if found is not None and (found["key"], found["performance"]) == (key, performance):
            results.setdefault(int(found["turn"]), {})[int(found["index"])] = Result(message.text)
    return {turn: tuple(calls[index] for index in sorted(calls)) for turn, calls in results.items()}


def begun(messages: Sequence[Message]) -> Performance:
    """A performance that starts with this request, for the newest task."""
    demonstration = wanted(task_of(messages[last_assistant(messages) + 1 :])) or MENU
    seed = "".join(message.model_dump_json() for message in messages)
    return Performance(demonstration=demonstration, name=hashlib.sha256(seed.encode()).hexdigest()[:8])


def task_of(messages: Sequence[Message]) -> str:
    """What people said, without the quoted records that came along."""
    return "\n".join(m.text.rpartition(SPEAKER)[2] for m in messages if m.role == "user")
