"""`python -m bot audit verify|export`: is the log whole, and what does it say."""

import argparse
import json
import sys
from collections.abc import Sequence

from bot.assembly import open_store
from bot.commands.start import Start, StartProblem, run_command
from runtime.audit.chain import AuditChain, problems
from runtime.audit.trail import AuditLog, digest


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bot audit", description="The log of requests and decisions.")
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="check every link; 1 when something was changed")
    verify.add_argument("--tip", default="", metavar="HASH", help="a hash noted earlier, to be found again")
    export = commands.add_parser("export", help="one JSON object per line")
    export.add_argument("--after", type=int, default=0, metavar="N", help="only entries after this number")
    export.add_argument("--names", action="store_true", help="with names where they have not been deleted")
    for command in (verify, export):
        command.add_argument("--workspace", default="", metavar="ID", help="one workspace; else all")
    options = parser.parse_args(arguments)
    return run_command(lambda start: audit(start, options))


async def audit(start: Start, options: argparse.Namespace) -> int:
    """Verify or export each workspace's chain.

    Raises:
        StartProblem: the workspace has no log.
    """
    async with open_store(start) as store:
        log = AuditLog(store=store, retention=start.settings.retention.audit)
        known = await log.workspaces()
        if options.workspace and options.workspace not in known:
            raise StartProblem(f"There is no audit log of {options.workspace}. There is one of: {', '.join(known)}.")
        chosen = [options.workspace] if options.workspace else known
        if not chosen:
            print("There is no audit log yet: nothing was asked for so far.", file=sys.stderr)
        whole = True
        for workspace in chosen:
            chain = log.chain(workspace)
            if options.command == "verify":
                whole &= await verified(workspace, chain, options.tip)
            else:
                await exported(workspace, chain, after=options.after, names=options.names)
    return 0 if whole else 1


async def verified(workspace: str, chain: AuditChain, noted: str) -> bool:
    """Print what is wrong, or that nothing is."""
    found = [problem async for problem in problems(chain)]
    if noted and noted not in {link.hash async for link in chain.links()}:
        found.append(f"the hash {noted} is not in the chain: it was rewritten, or is older than the retention")
    for problem in found:
        print(f"FIX  {workspace}: {problem}")
    tip = await chain.tip()
    if not found:
        print(f"ok   {workspace}: {tip.n} entries, tip {tip.hash}")
    return not found


async def exported(workspace: str, chain: AuditChain, *, after: int, names: bool) -> None:
    """Print the entries."""
    known = {digest(key, name): name.partition(":")[2] for name, key in (await chain.names()).items()}
    async for link in chain.links(after):
        entry = {"workspace": workspace, **json.loads(link.entry), "hash": link.hash}
        if names:
            entry |= {f"{field}_name": known.get(entry[field], "") for field in ("by", "session")}
        print(json.dumps(entry, ensure_ascii=False))
