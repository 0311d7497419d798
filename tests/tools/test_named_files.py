"""Files that a command names are part of what was approved."""

from tests.tools.conftest import Call
from tests.waiting import wait_until
from tools.named import MAX_DIGESTED, named_files
from tools.workspace import Workspace


async def test_a_large_file_is_bound_by_its_last_change(call: Call, workspace: Workspace) -> None:
    """It is not read for every call that names it, and any write to it counts all the same."""
    workspace.write_bytes("big.csv", bytes(MAX_DIGESTED + 1))
    before = named_files("wc big.csv", call())
    assert before == named_files("wc big.csv", call())
    changed = (workspace.root / "big.csv").stat().st_ctime_ns

    def has_ticked() -> bool:
        (workspace.root / "later").touch()
        return (workspace.root / "later").stat().st_ctime_ns > changed

    # Kernels count the time of changes in ticks of some milliseconds; no approval is quicker.
    await wait_until("a later change has a later time", has_ticked)
    with (workspace.root / "big.csv").open("r+b") as file:
        file.write(b"x")
    assert before != named_files("wc big.csv", call())
