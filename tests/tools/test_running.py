"""Python and bash in a real sandbox: what a person would expect stays, and every ending is told as it was."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.tools.conftest import Call
from tools.base import ToolResult
from tools.builtin.bash import Bash, BashParams
from tools.builtin.python_execute import PythonExecute, PythonExecuteParams
from tools.collection import ToolCollection, builtin_tools
from tools.errors import ToolInputError, ToolRefused
from tools.mounts import Mount
from tools.running import Ran, ending
from tools.sandbox.port import ENGINE_GONE, Completed, Sandbox
from tools.workspace import Workspace


class Machine:
    """Both tools in one workspace and one sandbox."""

    def __init__(self, call: Call, sandbox: Sandbox, mounts: tuple[Mount, ...] = ()) -> None:
        """Keep what makes contexts."""
        self.call = call
        self.sandbox = sandbox
        self.tools = PythonExecute(mounts), Bash(mounts)

    async def python(self, code: str, seconds: float | None = None) -> ToolResult:
        """Run Python."""
        params = PythonExecuteParams(code=code, timeout=seconds)
        return await self.tools[0].run(params, self.call(sandbox=self.sandbox))

    async def bash(self, command: str, seconds: float | None = None) -> ToolResult:
        """Run bash."""
        params = BashParams(command=command, timeout=seconds)
        return await self.tools[1].run(params, self.call(sandbox=self.sandbox))


@pytest.fixture
def machine(call: Call, sandbox: Sandbox) -> Machine:
    """The tools in the test's workspace."""
    return Machine(call, sandbox)


async def test_python_reports_streams_exit_code_and_the_last_value(machine: Machine) -> None:
    """Both streams are there, labelled, and the value of a last expression shows as in a notebook."""
    result = await machine.python("import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7")
    assert result.output == "exit code 0\n[stdout]\nout\n42\n[stderr]\nerr"
    assert (result.exit_code, result.is_error, result.brief) == (0, False, "out")
    assert (await machine.python("x = 1")).output == "exit code 0\n(no output)"


@pytest.mark.parametrize(
    ("code", "line", "last"),
    [
        ("a = 1\nb = a / 0", "    b = a / 0", "ZeroDivisionError: division by zero"),
        ("def f(:\n    pass", "    def f(:", "SyntaxError: invalid syntax"),
        ("input('name? ')", "    input('name? ')", "EOFError: EOF when reading a line"),
    ],
)
async def test_a_python_error_shows_the_codes_own_lines(machine: Machine, code: str, line: str, last: str) -> None:
    """The trace begins in the code, not in what runs it."""
    result = await machine.python(code)
    lines = result.output.splitlines()
    assert line in lines
    assert lines[-1] == last
    assert 'File "code.py", line' in result.output
    assert 'File "<string>"' not in result.output
    assert (result.exit_code, result.is_error, result.brief) == (1, True, f"exit code 1: {last}")


async def test_python_exit_codes_are_the_programs_own(machine: Machine) -> None:
    """sys.exit with a number or a text is no crash of ours."""
    assert (await machine.python("import sys; sys.exit(3)")).exit_code == 3
    assert "bye" in (await machine.python("import sys; sys.exit('bye')")).output


async def test_files_stay_between_python_and_bash(machine: Machine, workspace: Workspace) -> None:
    """Each sees what the other wrote and what the bot wrote; modules in the workspace can be imported."""
    workspace.write_bytes("helper.py", b"ANSWER = 42\n")
    await machine.python("open('made.csv', 'w').write('a,b')")
    assert "a,b" in (await machine.bash("cat made.csv; echo 1 >> helper.py; mkdir sub")).output
    assert "42" in (await machine.python("import helper; helper.ANSWER")).output


async def test_made_files_are_offered_and_others_are_not(machine: Machine) -> None:
    """Images and tables the call made or changed; not hidden files, code, or what was there before."""
    await machine.bash("echo 1 > old.csv; echo 1 > changed.txt")
    result = await machine.bash("echo 2 > changed.txt; mkdir out .cache; echo x | tee out/a.png .cache/b.png c.py d.o")
    assert [(file.path, file.title, file.size) for file in result.files] == [
        ("changed.txt", "changed.txt", 2),
        ("out/a.png", "a.png", 2),
    ]
    assert result.output.endswith("[files: changed.txt (2 bytes), out/a.png (2 bytes)]")


async def test_bash_goes_on_where_the_call_before_ended(machine: Machine) -> None:
    """Directory, exported and plain variables, arrays with odd content and functions stay."""
    first = await machine.bash(
        "mkdir -p a/b && cd a/b\nexport CITY='New York'\n"
        "plain='tab\there \"q\" $x'\nlist=(1 '2 3')\nhi() { echo hi $1; }"
    )
    assert "[working directory now: " in first.output
    assert first.output.count("\n") == 2
    again = await machine.bash('basename $PWD; env | grep CITY; echo "$plain"; echo ${#list[@]}; hi you; echo $#')
    assert again.output.splitlines()[2:] == ["b", "CITY=New York", 'tab\there "q" $x', "2", "hi you", "0"]


async def test_bash_keeps_its_state_over_exit_errors_and_options(machine: Machine) -> None:
    """A failed or strict script still leaves where it was; options do not leak into the next call."""
    result = await machine.bash("mkdir d; cd d; x=7; set -eu; IFS=,; false; echo never")
    assert (result.exit_code, result.is_error) == (1, True)
    assert (await machine.bash("echo $x $unset; basename $PWD; false; echo on")).output.splitlines()[2:] == [
        "7",
        "d",
        "on",
    ]
    assert (await machine.bash("exit 5")).exit_code == 5
    assert "7" in (await machine.bash("echo $x")).output


async def test_bash_reads_what_people_write(machine: Machine) -> None:
    """Heredocs, comments at the end, several lines, pipes and an unfinished quote."""
    result = await machine.bash("cat <<'EOT' | tr a-z A-Z\nit's $HOME\nEOT\necho done # a comment")
    assert result.output == "exit code 0\nIT'S $HOME\ndone"
    broken = await machine.bash("echo 'oops")
    assert broken.is_error
    assert "unexpected EOF" in broken.output
    assert "end of input" in (await machine.bash("read -r line || echo end of input")).output


async def test_a_directory_that_is_gone_is_told(machine: Machine) -> None:
    """The shell starts in the workspace again and says so."""
    await machine.bash("mkdir gone; cd gone")
    await machine.python("import os; os.rmdir('gone')")
    assert "gone; starting in" in (await machine.bash("pwd")).output


async def test_background_jobs_end_with_their_call(machine: Machine) -> None:
    """The result says so, and nothing of them is left."""
    result = await machine.bash("(sleep 60; echo late > late.txt) &\necho started")
    assert "[background jobs ended with this call: 1]" in result.output
    assert "started" in result.output


async def test_a_call_that_takes_too_long_is_stopped_and_says_so(machine: Machine) -> None:
    """The limit is named, what was printed is kept, and the state is as before."""
    await machine.bash("mkdir here; cd here")
    result = await machine.bash("echo before; cd /; x=1; sleep 60", seconds=4)
    assert result.output.startswith("Stopped after 4 s, the time limit of this call")
    assert "directory and variables are as before this call" in result.output
    assert "before" in result.output
    assert (result.exit_code, result.is_error, result.brief) == (None, True, "stopped after 4 s")
    assert "[working directory now: " in (await machine.bash("true")).output
    assert (await machine.python("while True: pass", seconds=0.5)).output.startswith("Stopped after 0.5 s")


async def test_large_output_is_cut_in_the_middle_and_kept_as_a_file(machine: Machine, workspace: Workspace) -> None:
    """Head and tail reach the model with the number of characters left out; the whole is in the workspace."""
    result = await machine.python("for i in range(20000): print('line', i)")
    assert len(result.output) < 31_000
    assert "line 0\n" in result.output
    assert "line 19999" in result.output
    assert "characters left out; the whole output is in .handrail/outputs/call-1.txt" in result.output
    assert workspace.read_bytes(".handrail/outputs/call-1.txt").decode().count("line") == 20_000
    assert result.files == ()


async def test_output_past_what_the_sandbox_keeps_is_counted(machine: Machine, workspace: Workspace) -> None:
    """Ten megabytes do not reach the bot's memory, and the file says how many bytes are missing."""
    result = await machine.python("import sys\nfor i in range(1000): sys.stdout.write('x' * 9999 + '\\n')")
    assert len(result.output) < 31_000
    whole = workspace.read_bytes(".handrail/outputs/call-1.txt").decode()
    assert "bytes were not kept" in whole
    assert len(whole) < 1_100_000


async def test_odd_bytes_and_secrets_in_output(machine: Machine) -> None:
    """Bytes that are no text are written out, colours go, and tokens never reach the model."""
    result = await machine.bash("printf '\\377\\033[31mred\\033[0m\\n'; echo xoxb-12345-abcdefghijkl")
    assert result.output == "exit code 0\n\\xffred\n[redacted: slack token]"


async def test_a_mount_is_seen_as_it_is_and_cannot_be_written(
    call: Call, sandbox: Sandbox, mount: Mount, session: Workspace
) -> None:
    """The agent can read the present original beside its copy; only publishing changes it."""
    context = call(workspace=session, sandbox=sandbox)
    shown = sandbox.mount_path("etl", mount.path)
    command = f"cat {shown}/import.py; echo x > {shown}/import.py; echo y > etl/import.py; cat etl/import.py"
    result = await Bash([mount]).run(BashParams(command=command), context)
    assert "def load(row):" in result.output
    assert result.output.splitlines()[-3:] != ["x"]
    assert (mount.path / "import.py").read_bytes() == b"def load(row):\n    return row\n"
    assert session.read_bytes("etl/import.py") == b"y\n"


async def test_without_a_sandbox_nothing_runs(call: Call) -> None:
    """The refusal says that nothing was run, and what would help."""
    with pytest.raises(ToolRefused, match="Nothing was run"):
        await PythonExecute().run(PythonExecuteParams(code="1"), call())
    with pytest.raises(ToolInputError, match="NUL"):
        await Bash().run(BashParams(command="a\0b"), call())


async def test_a_card_shows_the_exact_code_and_the_level(call: Call, sandbox: Sandbox) -> None:
    """Hidden characters show, and an approval under one kind of containment does not hold under another."""
    call_made = await Bash().prepare(BashParams(command="echo \u202ehi"), call(sandbox=sandbox))
    assert call_made.preview.body == "echo ⟨U+202E⟩hi"
    assert call_made.binding["level"] == sandbox.level.value
    code = await PythonExecute().prepare(PythonExecuteParams(code="1"), call(sandbox=sandbox))
    assert code.preview.language == "python"


async def test_python_goes_on_in_the_directory_and_environment_of_the_call_before(machine: Machine) -> None:
    """What a person at a prompt would expect stays, after an error too; what was unset stays unset."""
    first = await machine.python(
        "import os\nos.makedirs('a/b')\nos.chdir('a/b')\nos.environ['CITY'] = 'New York'\ndel os.environ['LANG']\n1/0"
    )
    assert "[working directory now: " in first.output
    again = await machine.python(
        "import os\nprint(os.path.basename(os.getcwd()), os.environ['CITY'], os.getenv('LANG'))"
    )
    assert again.output.splitlines()[-1] == "b New York None"
    await machine.bash("rm -r a; echo X = 3 > made.py")
    gone = await machine.python("import made; made.X")
    assert "a/b is gone; starting in" in gone.output
    assert "3" in gone.output


async def test_processes_that_python_leaves_behind_end_with_their_call(machine: Machine) -> None:
    """The result says how many there were, and one that hid its ending says nothing wrong."""
    result = await machine.python("import subprocess\nfor _ in range(2): subprocess.Popen(['sleep', '60'])")
    assert "[background processes ended with this call: 2]" in result.output
    assert "ended with this call" not in (await machine.python("import os; os._exit(0)")).output


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("bash", {"command": "sh deploy.sh"}, "deploy.sh"),
        ("bash", {"command": "env A=1 bash -e './deploy.sh' && echo done"}, "deploy.sh"),
        ("bash", {"command": "cat <in/list.txt | xargs rm"}, "in/list.txt"),
        ("bash", {"command": "python3 -m job.run"}, "job/run.py"),
        ("bash", {"command": "/workspace/deploy.sh"}, "deploy.sh"),
        ("bash", {"command": "cd job && python3 run.py"}, "job/run.py"),
        ("python_execute", {"code": "import job.run"}, "job/run.py"),
        ("python_execute", {"code": "exec(open('deploy.sh').read())"}, "deploy.sh"),
    ],
)
async def test_a_script_that_changed_after_the_card_does_not_run(
    call: Call, sandbox: Sandbox, workspace: Workspace, tool: str, arguments: dict[str, str], path: str
) -> None:
    """What was approved by its name is what it held then; changed or removed, nothing runs."""
    for file in ("deploy.sh", "in/list.txt", "job/run.py"):
        workspace.write_bytes(file, b"print('harmless')\n")
    parsed = ToolCollection(builtin_tools()).parse(tool, dict(arguments))
    prepared = await parsed.tool.prepare(parsed.params, call(sandbox=sandbox))
    assert path in prepared.preview.notes[1]
    approved = replace(call(sandbox=sandbox), binding=prepared.binding)
    workspace.write_bytes(path, b"print('evil')\n")
    with pytest.raises(ToolRefused, match=r"changed after the call was shown"):
        await parsed.tool.run(parsed.params, approved)
    workspace.delete(path)
    with pytest.raises(ToolRefused, match=r"changed after the call was shown"):
        await parsed.tool.run(parsed.params, approved)


async def test_a_command_that_changes_what_it_names_runs(machine: Machine, workspace: Workspace) -> None:
    """Only what changed between card and start counts, and names of folders and of nothing are no files."""
    workspace.write_bytes("a.txt", b"1\n")
    assert (await machine.bash("echo 2 >> a.txt; cat a.txt . missing.txt 2>/dev/null")).brief == "exit code 1: 2"


def test_a_lost_container_engine_is_not_told_as_an_end() -> None:
    """Nobody knows whether the program still runs, so neither "killed" nor "nothing was run" is said."""
    minute = timedelta(minutes=1)
    done = Completed(exit_code=None, stdout=b"", stderr=b"", killed=ENGINE_GONE, duration=minute)
    told = ending(Ran(completed=done, stdout="", stderr="", files=(), wall=minute))
    assert told.startswith("Not known how it ended: the container engine went away.")


def test_python_promises_no_closed_network() -> None:
    """The operator may have listed hosts, so the model is only told what is usual."""
    assert "mostly offline sandbox" in PythonExecute.description
