"""Arguments are read as models write them; what could mean two things is refused."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tools.arguments import read_arguments
from tools.errors import ToolInputError

EXPECTED = {"command": "create", "steps": ["a", "b"], "code": 'print("x")\nprint(1)'}
PLAIN = json.dumps(EXPECTED)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), json_values, max_size=4)


@pytest.mark.parametrize(
    "written",
    [
        PLAIN,
        json.dumps(PLAIN),
        json.dumps(json.dumps(PLAIN)),
        f"```json\n{PLAIN}\n```",
        f"  ```\n{PLAIN}```  ",
        PLAIN.replace("\\n", "\n"),
        PLAIN[:-1] + ",\n}",
        PLAIN.replace('"b"]', '"b", ]'),
        repr(EXPECTED),
        json.dumps(f"```json\n{PLAIN}\n```"),
    ],
    ids=["plain", "twice", "thrice", "fence", "bare fence", "raw newline", "comma", "list comma", "python", "mixed"],
)
def test_a_spelling_with_a_single_meaning_is_read(written: str) -> None:
    """Each habit of models that leaves no doubt gives the same object."""
    assert read_arguments(written) == EXPECTED


def test_an_object_and_nothing_at_all_are_taken_as_they_are() -> None:
    """Some servers hand over an object; calls without arguments come as empty text."""
    given_object: dict[str, JsonValue] = {"a": 1}
    assert read_arguments(given_object) == {"a": 1}
    assert read_arguments("") == read_arguments("  ") == {}


def test_arguments_that_were_cut_off_are_never_completed() -> None:
    """Wherever the output limit falls, nothing is made up; the model is told that it was cut off."""
    for length in range(1, len(PLAIN)):
        with pytest.raises(ToolInputError, match="cut off"):
            read_arguments(PLAIN[:length])


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('{"command": "ls", "command": "rm -rf ."}', "command twice"),
        ("{'command': 'ls', 'command': 'rm -rf .'}", "line 1 column 2"),
        ('{"a": NaN}', "NaN"),
        ("[1, 2]", "not a list"),
        ("12", "not a number"),
        ("null", "not null"),
        ('"hello"', "not valid JSON"),
        ('{"a": 1} {"a": 2}', "Extra data at line 1 column 10"),
        ('{"a": "x" "b": 2}', "line 1 column 11"),
        ("[" * 100_000, "arguments"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "arguments"),
        ('{"a": "\\ud800"}', "surrogate"),
        ("{'a': __import__('os').getcwd()}", "not valid JSON"),
        ("{'a': 1j}", "not valid JSON"),
        ("{" + "9" * 5000 + ": 1}", "not valid JSON"),
        ('{"a": ' + "9" * 5000 + "}", "arguments"),
    ],
)
def test_what_could_mean_two_things_is_refused_with_its_place(written: str, says: str) -> None:
    """Double keys, several objects, numbers that JSON has not and code are errors, not guesses."""
    with pytest.raises(ToolInputError, match=says):
        read_arguments(written)


@given(json_objects)
def test_every_object_survives_every_spelling(value: dict[str, JsonValue]) -> None:
    """Repairs never change the meaning of what was right already."""
    for written in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1), json.dumps(json.dumps(value))):
        assert read_arguments(written) == value


@given(st.text(st.characters(codec="utf-8"), max_size=60) | st.text(st.sampled_from("{}[]\"',:\\ \n`1at"), max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes reading fail in another way than by its own error."""
    with suppress(ToolInputError):
        assert isinstance(read_arguments(text), dict)
