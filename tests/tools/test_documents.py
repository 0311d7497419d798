"""Reading what is no plain text: tables, JSON, PDF, Word and Excel, and files that only pretend to be one."""

import io
import zipfile

import pytest

from tests.tools.conftest import Call
from tools.base import ToolResult
from tools.builtin.python_execute import PythonExecute, PythonExecuteParams
from tools.builtin.str_replace_editor import EditorParams, StrReplaceEditor
from tools.errors import ToolInputError, ToolRefused
from tools.sandbox.port import Sandbox
from tools.workspace import Workspace

MAKE = """
import docx, openpyxl, pypdf
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
import matplotlib
matplotlib.rcParams["pdf.fonttype"] = 42
with PdfPages("two.pdf") as pages:
    for words in ("Revenue rose", "Costs fell"):
        figure = Figure()
        figure.text(0.1, 0.5, words)
        pages.savefig(figure)
writer = pypdf.PdfWriter(clone_from="two.pdf")
writer.encrypt("secret")
writer.write("locked.PDF")
word = docx.Document()
word.add_heading("Report", 1)
word.add_paragraph("First words.")
table = word.add_table(1, 2)
table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
word.save("a.docx")
book = openpyxl.Workbook()
book.active.title = "Sales"
book.active.append(["day", "sum"])
book.active.append(["Monday", 3.5])
book.create_sheet("Empty")
book.save("b.xlsx")
"""


async def view(call: Call, sandbox: Sandbox, path: str) -> ToolResult:
    """What the editor shows."""
    params = EditorParams(command="view", path=path)
    return await StrReplaceEditor().run(params, call(sandbox=sandbox))


async def test_documents_are_read_as_text(call: Call, prepared_sandbox: Sandbox) -> None:
    """PDF by pages, Word with headings and tables, Excel by sheets; a password is said; none can be edited."""
    made = await PythonExecute().run(PythonExecuteParams(code=MAKE), call(sandbox=prepared_sandbox))
    assert made.exit_code == 0, made.output
    pdf = await view(call, prepared_sandbox, "two.pdf")
    for words in ("[page 1 of 2]", "Revenue rose", "[page 2 of 2]", "Costs fell", "text of a PDF file"):
        assert words in pdf.output
    word = await view(call, prepared_sandbox, "a.docx")
    for words in ("# Report", "First words.", "left | right"):
        assert words in word.output
    excel = await view(call, prepared_sandbox, "/workspace/b.xlsx")
    for words in ("[sheet Sales]", "day,sum", "Monday,3.5", "[sheet Empty]"):
        assert words in excel.output
    with pytest.raises(ToolInputError, match="protected by a password"):
        await view(call, prepared_sandbox, "locked.PDF")
    edit = EditorParams(command="str_replace", path="two.pdf", old_str="a", new_str="b")
    with pytest.raises(ToolInputError):
        await StrReplaceEditor().run(edit, call(sandbox=prepared_sandbox))


def bomb() -> bytes:
    """A Word file that unpacks to most of a gigabyte, which its reader would hold several times."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<Types xmlns='x'/>")
        with archive.open("word/document.xml", "w") as member:
            for _ in range(45):
                member.write(bytes(16 * 1024 * 1024))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog"),
        ("empty.pdf", b"%PDF-"),
        ("no.docx", b"PK\x03\x04 but no archive"),
        ("no.xlsx", b"PK\x03\x04" + bytes(200)),
    ],
)
async def test_a_broken_document_is_refused_with_the_reason(
    call: Call, prepared_sandbox: Sandbox, workspace: Workspace, name: str, content: bytes
) -> None:
    """Whatever a library raises about it ends in a sentence."""
    workspace.write_bytes(name, content)
    with pytest.raises(ToolInputError, match="cannot be read"):
        await view(call, prepared_sandbox, name)


async def test_a_document_that_unpacks_to_more_than_memory_hurts_nobody(
    call: Call, prepared_sandbox: Sandbox, workspace: Workspace
) -> None:
    """It is read where memory is bounded, and the refusal says that it was too much."""
    workspace.write_bytes("bomb.docx", bomb())
    with pytest.raises(ToolInputError, match=r"bomb\.docx: cannot be read"):
        await view(call, prepared_sandbox, "bomb.docx")


async def test_without_a_sandbox_documents_are_not_read(call: Call, workspace: Workspace) -> None:
    """Nothing foreign is parsed by the bot itself; a text that only has the name is a text."""
    workspace.write_bytes("a.pdf", b"%PDF-1.7 x")
    with pytest.raises(ToolRefused, match="Nothing was run"):
        await StrReplaceEditor().run(EditorParams(command="view", path="a.pdf"), call())
    workspace.write_bytes("b.pdf", b"only words\n")
    assert "only words" in (await StrReplaceEditor().run(EditorParams(command="view", path="b.pdf"), call())).output


@pytest.mark.parametrize(
    ("name", "text", "fact"),
    [
        ("a.csv", "day;sum\nMo;3\nTu;4\n", "[2 lines below the first, 2 columns: day, sum]"),
        ("a.tsv", "a\tb\tc\n", "[0 lines below the first, 3 columns: a, b, c]"),
        ("a.json", '{"x": 1, "y": [1]}', "[JSON object with 2 keys: x, y]"),
        ("a.json", "[1, 2]", "[JSON list of 2]"),
        ("a.json", '{"x": ', "[not valid JSON: Expecting value in line 1, column 7]"),
        ("a.json", "[" * 100_000, "[not readable as JSON: nested too deeply, or a number too long]"),
    ],
)
async def test_tables_and_json_are_shown_with_what_they_hold(
    call: Call, workspace: Workspace, name: str, text: str, fact: str
) -> None:
    """Lines as they stand, so that they can be edited, and below them the shape of the whole."""
    workspace.write_bytes(name, text.encode())
    shown = (await StrReplaceEditor().run(EditorParams(command="view", path=name), call())).output
    assert shown.splitlines()[-1] == fact
    assert shown.lstrip().startswith("1")
