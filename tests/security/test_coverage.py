"""The table of hostile inputs and the tests belong together, in both directions."""

import ast
from functools import cache

from scripts.machine import ROOT
from tests.security.requirements import REQUIREMENTS

TESTS = ROOT / "tests"


@cache
def functions(folder: str) -> frozenset[str]:
    """The names of the tests below a folder, wherever in it they stand at the moment."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (TESTS / folder).rglob("test_*.py")]
    return frozenset(
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )


def test_every_input_of_the_list_has_a_test_that_exists() -> None:
    """All forty-four, each with at least one test by its present name."""
    assert sorted(REQUIREMENTS) == list(range(1, 45))
    gone = [
        f"{number}: {test}"
        for number, requirement in REQUIREMENTS.items()
        for test in requirement.tests or ("none",)
        if test.partition("::")[2] not in functions(test.partition("::")[0])
    ]
    assert not gone


def test_every_test_of_this_folder_belongs_to_an_input() -> None:
    """A test here that no requirement names is a requirement that nobody wrote down."""
    named = {test for requirement in REQUIREMENTS.values() for test in requirement.tests}
    of_the_table_itself = {name for name in functions("security") if name.startswith("test_every_")}
    assert {f"security::{name}" for name in functions("security") - of_the_table_itself} <= named
