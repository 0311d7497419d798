"""Calls in the spellings that models use where they print one: each is read, and what is no call stays an answer."""

import json

import pytest

from runtime.llm.printed import printed_calls, unread_call

NAMES = frozenset(("bash", "write"))
CALL = '{"name": "bash", "arguments": {"command": "ls"}}'
ONE = "```json\n" + CALL + "\n```"


@pytest.mark.parametrize(
    "text",
    [
        "<bash>\n<command>ls</command>\n</bash>",
        '<bash>{"command": "ls"}</bash>',
        f"<tool>{CALL}</tool>",
        '<tool name="bash"><command>ls</command></tool>',
        '<function name="bash"><parameter name="command">ls</parameter></function>',
        '<tool_call name="bash">{"command": "ls"}</tool_call>',
        '<tool_call name="bash"><command>ls</command></tool_call>',
        '<tool_call><name>bash</name><arguments>{"command": "ls"}</arguments></tool_call>',
        "<tool_call>\n<name>bash</name>\n<arguments>\n<command>ls</command>\n</arguments>\n</tool_call>",
        '<tool_call>{"name": "bash", "command": "ls"}</tool_call>',
        f"<tool_call>\n{ONE}\n</tool_call>",
        f"```json {CALL}```",
        f"```json\n{CALL}",
        '```json\n{"name": "bash", "arguments": {"command": "ls",}}\n```',
        "```json\n{'name': 'bash', 'arguments': {'command': 'ls'}}\n```",
        "{'name': 'bash', 'arguments': {'command': 'ls'}}",
    ],
)
def test_a_call_in_another_spelling_is_read(text: str) -> None:
    """Also with words before it, which stay words."""
    for before in ("", "I look.\n"):
        found = printed_calls(before + text, NAMES)
        assert found is not None
        assert [(name, json.loads(arguments)) for name, arguments in found.calls] == [("bash", {"command": "ls"})]
        assert found.text == before.strip()


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}\n{ONE}",
        f"{ONE}\n\n```python\nbash(command='ls')\n```",
        "<bash><command>ls</command></bash>\n<bash><command>ls</command></bash>",
        f"<tool>{CALL}</tool>\n<tool>{CALL}</tool>",
        '<tool_call name="bash">{"command": "ls"}\n<tool_call name="bash">{"command": "ls"}</tool_call>',
    ],
)
def test_two_in_a_row_are_two_calls(text: str) -> None:
    """Neither is lost, nor taken for the other's end."""
    found = printed_calls(text, NAMES)
    assert found is not None
    assert [json.loads(arguments) for _, arguments in found.calls] == [{"command": "ls"}] * 2


def test_a_tag_without_arguments_is_a_call_without_arguments() -> None:
    """The tool says what it needs."""
    found = printed_calls('<tool_call>{"name": "bash"}</tool_call>', NAMES)
    assert found is not None
    assert found.calls == (("bash", "{}"),)


def test_a_fence_that_was_left_open_in_the_middle_of_a_call_is_a_broken_call() -> None:
    """It is not completed by guessing: its arguments are refused, and the model reads why."""
    found = printed_calls('I look.\n```json\n{"name": "bash", "arguments": {"command": "ls', NAMES)
    assert found is not None
    assert (found.text, found.calls) == ("I look.", (("bash", '{"command": "ls'),))


def test_arguments_that_hold_a_fence_are_read_to_their_end() -> None:
    """A file with a code block in it, in a fence of its own."""
    text = "# Title\n```sh\nls\n```\n"
    found = printed_calls(f"```json\n{json.dumps({'name': 'write', 'arguments': {'text': text}})}\n```", NAMES)
    assert found is not None
    assert json.loads(found.calls[0][1]) == {"text": text}


def test_a_value_that_only_python_reads_stays_a_text() -> None:
    """What stands between two tags is repaired as little as possible."""
    found = printed_calls("<write><text>{'a': 1}</text><size>3</size></write>", NAMES)
    assert found is not None
    assert json.loads(found.calls[0][1]) == {"text": "{'a': 1}", "size": 3}


@pytest.mark.parametrize(
    "text",
    [
        "<bash>\n<command>ls</command>\n</bash>\nThat is how a call looks.",
        "<bash>ls -l</bash>",
        '<tools><tool name="hammer"><weight>2</weight></tool></tools>',
        '<tool>{"name": "hammer", "arguments": {}}</tool>',
        f"{ONE}\nThat is how a call looks.",
        f"{ONE}\nThat is how a call looks, and this is data:\n```json\n{{}}\n```",
        '```json\n{"name": "Ana", "arguments": {"age"',
        '```json\n{"name": "bash", "age": 3}\n```',
    ],
)
def test_data_and_explanations_stay_an_answer(text: str) -> None:
    """Tags of other things, a call that is explained, and objects that only have a name."""
    assert printed_calls(text, NAMES) is None


@pytest.mark.parametrize("text", ["<tool> " * 50_000 + "</tool>", "```\n" * 20_000 + "x", "</x> " * 60_000])
def test_a_text_full_of_beginnings_is_an_answer(text: str) -> None:
    """Reading it takes a moment, not minutes, however many beginnings have no end."""
    assert printed_calls(text, NAMES) is None


@pytest.mark.parametrize(
    "text",
    [
        '<tool_code>bash(command="ls")</tool_code>',
        '```tool_code\nprint(bash(command="ls"))\n```',
        'I look.\nprint(default_api.bash(command="ls"))',
        'Action: bash\nAction Input: {"command": "ls"}',
        '<|python_tag|>{"name": "bash", "parameters": {"command": "ls"}} and more',
        '[TOOL_CALLS]bash[ARGS]{"command": "ls"}',
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n{}",
        'bash("ls")',
        '`bash(command="ls")`',
    ],
)
def test_a_call_in_a_form_that_is_not_read_is_named(text: str) -> None:
    """Models mark such calls in ways that no answer has by chance, or end with one on a line of its own."""
    assert unread_call(text, NAMES) == "bash"


@pytest.mark.parametrize(
    "text",
    [
        'You could run `bash(command="ls")` yourself, but be careful.',
        "Action: none\nAction Input: none",
        "It counts:\nlen(rows)",
        "Done: bash (the shell) works.",
        "I used bash to look (twice)",
        "",
    ],
)
def test_words_about_tools_are_not_named(text: str) -> None:
    """A sentence that holds a tool's name, and a call of something else, are an answer."""
    assert unread_call(text, NAMES) == ""
