"""The table of hostile inputs and the tests belong together, in both directions."""

import ast
from functools import cache

from scripts.machine import ROOT
from tests.security.requirements import REQUIREMENTS

TESTS = ROOT / "tests"
SEVERAL = 3
"""Variants that make a kind."""
DRAWN = 20
"""A test that draws its inputs, or takes a list that stands elsewhere, counts as so many."""


@cache
def functions(folder: str) -> dict[str, int]:
    """The tests below a folder, wherever in it they stand at the moment, with how many variants each has."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (TESTS / folder).rglob("test_*.py")]
    return {
        node.name: variants(node)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def variants(test: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many inputs a test is run with, as its decorators and loops say."""
    count = 1
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call):
            name = ast.unparse(decorator.func)
            if name == "given":
                count *= DRAWN
            elif name.endswith("parametrize"):
                listed = decorator.args[1]
                count *= len(listed.elts) if isinstance(listed, ast.List | ast.Tuple) else DRAWN
    loops = [node.iter for node in ast.walk(test) if isinstance(node, ast.For)]
    return max(count, *(len(each.elts) for each in loops if isinstance(each, ast.List | ast.Tuple)), 1)


def test_every_input_is_a_kind_with_several_variants() -> None:
    """A single example proves little: each input is tried in at least three shapes or places."""
    thin = {
        number: tried
        for number, requirement in REQUIREMENTS.items()
        if (tried := sum(functions(folder).get(name, 0) for folder, _, name in map(parted, requirement.tests)))
        < SEVERAL
    }
    assert not thin


def parted(test: str) -> tuple[str, str, str]:
    """Folder and name of a test."""
    return test.partition("::")


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
    assert {f"security::{name}" for name in set(functions("security")) - of_the_table_itself} <= named
