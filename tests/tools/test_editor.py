"""The editor changes what it was asked to change and nothing else, and can take it back."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.tools.conftest import Call
from tools.base import ToolResult
from tools.builtin.str_replace_editor import EditorParams, StrReplaceEditor
from tools.errors import ToolInputError
from tools.workspace import Workspace


class Editing:
    """The editor in one workspace, with commands as short calls."""

    def __init__(self, call: Call) -> None:
        """Keep what makes contexts."""
        self.call = call

    async def do(self, command: str, path: str = "a.txt", **fields: JsonValue) -> ToolResult:
        """One command; the field call_id repeats a call."""
        call_id = str(fields.pop("call_id", ""))
        params = EditorParams.model_validate({"command": command, "path": path, **fields})
        return await StrReplaceEditor().run(params, self.call(call_id))

    async def refuses(self, says: str, command: str, path: str = "a.txt", **fields: JsonValue) -> None:
        """One command that must fail with these words."""
        with pytest.raises(ToolInputError, match=says):
            await self.do(command, path, **fields)


@pytest.fixture
def editor(call: Call) -> Editing:
    """The editor in the test's workspace."""
    return Editing(call)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\tb\nold\n", b"a\tb\nnew\nline\n"),
        (b"a\r\nold\r\nb\r\n", b"a\r\nnew\r\nline\r\nb\r\n"),
        (b"\xef\xbb\xbfold", b"\xef\xbb\xbfnew\nline"),
        ("\ufeffé old\r\n".encode("utf-16-le"), "\ufeffé new\r\nline\r\n".encode("utf-16-le")),
        (b"caf\xe9 old \x80\n", b"caf\xe9 new\nline \x80\n"),
        (b"\x81\x8d old\n", b"\x81\x8d new\nline\n"),
        (b"form\x0cfeed old \xe2\x80\xa8x\n", b"form\x0cfeed new\nline \xe2\x80\xa8x\n"),
        (b"mixed\r\nold\nx\ny\nz\n", b"mixed\r\nnew\nline\nx\ny\nz\n"),
    ],
    ids=["tabs", "crlf", "bom", "utf16", "cp1252", "latin1", "odd separators", "mixed"],
)
async def test_an_edit_keeps_how_the_file_was_written(
    editor: Editing, workspace: Workspace, before: bytes, after: bytes
) -> None:
    """Tabs, line ends, byte order mark, encoding and the end of the file stay; undo brings back the very bytes."""
    workspace.write_bytes("a.txt", before)
    await editor.do("str_replace", old_str="old", new_str="new\nline")
    assert workspace.read_bytes("a.txt") == after
    await editor.do("undo_edit")
    assert workspace.read_bytes("a.txt") == before


async def test_a_passage_over_several_lines_is_found_in_a_file_of_windows(
    editor: Editing, workspace: Workspace
) -> None:
    """Models write plain line feeds whatever the file has."""
    workspace.write_bytes("a.txt", b"one\r\ntwo\r\nthree\r\n")
    await editor.do("str_replace", old_str="\ntwo\nthree", new_str="\n2\n3")
    assert workspace.read_bytes("a.txt") == b"one\r\n2\r\n3\r\n"


@pytest.mark.parametrize(
    ("line", "after"),
    [(0, b"new\na\nb"), (1, b"a\nnew\nb"), (2, b"a\nb\nnew")],
)
async def test_lines_are_inserted_without_touching_the_end_of_the_file(
    editor: Editing, workspace: Workspace, line: int, after: bytes
) -> None:
    """A last line without a line end stays without one, also when it is a new one."""
    workspace.write_bytes("a.txt", b"a\nb")
    await editor.do("insert", insert_line=line, new_str="new\n")
    assert workspace.read_bytes("a.txt") == after


async def test_inserting_into_an_empty_file_and_past_the_end(editor: Editing, workspace: Workspace) -> None:
    """Line 0 exists even in an empty file; a line past the end is named with the valid range."""
    workspace.write_bytes("a.txt", b"")
    await editor.do("insert", insert_line=0, new_str="x")
    assert workspace.read_bytes("a.txt") == b"x\n"
    await editor.refuses("between 0 and 1", "insert", insert_line=2, new_str="y")


async def test_create_makes_directories_and_keeps_the_line_ends_of_what_it_replaces(
    editor: Editing, workspace: Workspace
) -> None:
    """A new file has exactly the given text; a replaced one stays a file of Windows."""
    await editor.do("create", "/workspace/deep/er/b.txt", file_text="\ta\n")
    assert workspace.read_bytes("deep/er/b.txt") == b"\ta\n"
    workspace.write_bytes("w.txt", b"\xef\xbb\xbfa\r\nb\r\n")
    await editor.do("create", "w.txt", file_text="c\nd\n")
    assert workspace.read_bytes("w.txt") == b"\xef\xbb\xbfc\r\nd\r\n"


@pytest.mark.parametrize(
    ("old", "says"),
    [
        ("x", "occurs 3 times, at lines 1, 2, 4"),
        ("return  1", "Line.* differ from it in white space only"),
        ("retrun 1", "nearest is at line 3"),
        ("completely other", "View the file"),
        ("", "old_str is empty"),
    ],
)
async def test_a_passage_that_is_not_unique_is_refused_with_where_to_look(
    editor: Editing, workspace: Workspace, old: str, says: str
) -> None:
    """The model learns the lines of every match, or what comes nearest; the file stays."""
    content = b"x = 1\nx = 2\n\treturn 1\ny = x\n"
    workspace.write_bytes("a.txt", content)
    await editor.refuses(says, "str_replace", old_str=old, new_str="z")
    assert workspace.read_bytes("a.txt") == content


async def test_overlapping_matches_are_not_unique(editor: Editing, workspace: Workspace) -> None:
    """Two places that share characters are still two places."""
    workspace.write_bytes("a.txt", b"aaa")
    await editor.refuses("occurs 2 times", "str_replace", old_str="aa", new_str="b")


async def test_an_edit_that_cannot_be_written_leaves_the_file_alone(editor: Editing, workspace: Workspace) -> None:
    """A character the encoding lacks is named; equal texts, missing fields and binary files are refused."""
    workspace.write_bytes("a.txt", b"caf\xe9\n")
    await editor.refuses("cp1252, which has no '漢'", "str_replace", old_str="caf", new_str="漢")
    await editor.refuses("are the same", "str_replace", old_str="caf", new_str="caf")
    await editor.refuses("needs old_str", "str_replace")
    await editor.refuses("needs file_text", "create")
    await editor.refuses("insert needs", "insert", insert_line=0)
    await editor.refuses("no such file", "str_replace", "none.txt", old_str="a")
    await editor.refuses("is a directory", "create", ".", file_text="")
    assert workspace.read_bytes("a.txt") == b"caf\xe9\n"
    workspace.write_bytes("b.bin", b"PK\x00\x01")
    await editor.refuses("binary file of 4 bytes", "view", "b.bin")


async def test_a_view_numbers_the_lines_and_says_what_is_special(editor: Editing, workspace: Workspace) -> None:
    """Tabs stay, hidden characters show, and encoding and line ends are told."""
    workspace.write_bytes("a.txt", "\tone\r\ntw\u200bo\r\nthree".encode())
    result = await editor.do("view")
    assert result.output == (
        "     1\t\tone\n     2\ttw⟨U+200B⟩o\n     3\tthree\n"
        "[CRLF line ends, no line end after the last line; kept when edited]"
    )
    assert (await editor.do("view", view_range=[2, -1])).output.startswith("     2\ttw")
    assert (await editor.do("view", view_range=[3, 99])).output.startswith("     3\tthree")
    await editor.refuses("has 3 lines", "view", view_range=[4, 5])
    await editor.refuses("has 3 lines", "view", view_range=[3, 2])


async def test_a_large_view_is_cut_with_a_marker(editor: Editing, workspace: Workspace) -> None:
    """The model is told how much is missing and how to see it."""
    workspace.write_bytes("a.txt", b"line\n" * 20_000 + b"x" * 5000)
    output = (await editor.do("view")).output
    assert len(output) < 31_000
    assert "characters left out; ask for fewer lines with view_range" in output
    assert "3,000 characters of this line left out" in (await editor.do("view", view_range=[20_001, -1])).output


async def test_a_directory_is_listed_two_levels_deep(editor: Editing, workspace: Workspace) -> None:
    """Hidden files stay out and deeper ones show as their directory."""
    for path in ("b.txt", "d/c.csv", "d/e/f/g.txt", ".hidden/x", "d/.y"):
        workspace.write_bytes(path, b"1234")
    (workspace.root / "empty").mkdir()
    assert (await editor.do("view", ".")).output == "b.txt\t4 bytes\nd/\nd/c.csv\t4 bytes\nd/e/\nempty/"


async def test_edits_are_undone_newest_first(editor: Editing, workspace: Workspace) -> None:
    """Undo goes back edit by edit to the file that was not there."""
    await editor.do("create", file_text="1")
    await editor.do("str_replace", old_str="1", new_str="2")
    await editor.do("str_replace", old_str="2", new_str="3")
    await editor.do("undo_edit")
    assert workspace.read_bytes("a.txt") == b"2"
    await editor.do("undo_edit")
    assert workspace.read_bytes("a.txt") == b"1"
    assert "removed, as it was new" in (await editor.do("undo_edit")).output
    assert workspace.kind("a.txt") == "missing"
    await editor.refuses("no edit to undo", "undo_edit")


async def test_an_edit_is_not_undone_over_a_change_of_something_else(editor: Editing, workspace: Workspace) -> None:
    """What a script wrote meanwhile is not lost."""
    await editor.do("create", file_text="1")
    workspace.write_bytes("a.txt", b"from a script")
    await editor.refuses("changed by something else", "undo_edit")
    assert workspace.read_bytes("a.txt") == b"from a script"


async def test_a_call_repeated_after_a_crash_happens_once(editor: Editing, workspace: Workspace) -> None:
    """The call's own id tells that it took place, whether it was an edit or an undo."""
    workspace.write_bytes("a.txt", b"a\n")
    for _ in range(2):
        await editor.do("insert", call_id="one", insert_line=0, new_str="b")
    assert workspace.read_bytes("a.txt") == b"b\na\n"
    await editor.do("insert", insert_line=0, new_str="c")
    for _ in range(2):
        await editor.do("undo_edit", call_id="two")
    assert workspace.read_bytes("a.txt") == b"b\na\n"


async def test_a_call_that_crashed_before_writing_is_done_by_its_repeat(editor: Editing, workspace: Workspace) -> None:
    """An entry in the history alone does not count as the edit."""
    workspace.write_bytes("a.txt", b"a\n")
    await editor.do("insert", call_id="one", insert_line=0, new_str="b")
    workspace.write_bytes("a.txt", b"a\n")
    await editor.do("insert", call_id="one", insert_line=0, new_str="b")
    assert workspace.read_bytes("a.txt") == b"b\na\n"
    await editor.do("undo_edit")
    await editor.refuses("no edit to undo", "undo_edit")


async def test_the_history_is_out_of_reach_of_the_sandbox(editor: Editing, workspace: Workspace) -> None:
    """It lies beside the workspace, readable by the bot alone, and keeps a bounded number of edits."""
    for number in range(25):
        await editor.do("create", file_text=str(number))
    folder: Path = workspace.beside("undo")
    assert folder.stat().st_mode & 0o077 == 0
    assert len(list(folder.rglob("*.json"))) == 20
    assert workspace.list_files() == ("a.txt",)
