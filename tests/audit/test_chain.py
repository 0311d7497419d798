"""The chain itself: links, tampering that is found where it happened, digests that can be made meaningless."""

import asyncio
import json
from datetime import timedelta

import pytest

from runtime.audit.chain import AuditChain, problems
from runtime.audit.trail import AuditLog, SessionTrail, digest
from runtime.audit.values import AuditEntry, Fact
from runtime.session.approval_events import ApprovalVoted
from runtime.store.redis_store import SessionStore

SID = "T1:C1:1.0"
LATER = 2**42
"""Server time in milliseconds that no retention has reached yet."""


@pytest.fixture
def chain(store: SessionStore) -> AuditChain:
    """An empty chain."""
    return AuditLog(store=store, retention=timedelta(days=1)).chain("T1")


async def fill(chain: AuditChain, count: int, session: str = "s", *, at_ms: int = LATER) -> None:
    """So many entries, one commit each."""
    known = await chain.position(session)
    for seq in range(known + 1, known + count + 1):
        await chain.append(session, seq, [(seq, at_ms + seq, "somebody", Fact(what="voted", details={"x": str(seq)}))])


async def found(chain: AuditChain) -> list[str]:
    """Everything that verification finds."""
    return [problem async for problem in problems(chain)]


async def test_an_untouched_chain_is_whole(chain: AuditChain) -> None:
    """Every entry carries the hash of the one before."""
    await fill(chain, 5)
    links = [link async for link in chain.links()]
    assert [link.n for link in links] == [1, 2, 3, 4, 5]
    assert json.loads(links[3].entry)["prev"] == links[2].hash
    assert (await chain.tip()).hash == links[4].hash
    assert await found(chain) == []


async def test_nothing_is_recorded_twice(chain: AuditChain) -> None:
    """A repeat after a lost reply, or a takeover that reads the same journal, changes nothing."""
    await fill(chain, 2)
    await chain.append("s", 2, [(2, 1, "", Fact(what="voted"))])
    assert (await chain.tip()).n == 2


async def test_sessions_of_one_workspace_share_a_chain_without_losing_an_entry(chain: AuditChain) -> None:
    """Many replicas append at once; each entry is there once, and the links hold."""
    await asyncio.gather(*(fill(chain, 5, f"s{number}") for number in range(6)))
    assert (await chain.tip()).n == 30
    assert await found(chain) == []


async def tamper(chain: AuditChain, number: int, /, **changes: object) -> None:
    """Rewrite one entry in place, as somebody with access to Redis could."""
    links = [link async for link in chain.links()]
    commands = chain.clients.commands
    await commands.delete(chain.keys.chain)
    for link in links:
        entry = json.dumps({**json.loads(link.entry), **(changes if link.n == number else {})})
        await commands.xadd(chain.keys.chain, {"e": entry, "h": link.hash, "t": "1"}, id=f"{link.n}-0")
    await commands.expire(chain.keys.chain, 60)


async def test_a_changed_entry_is_found_where_it_is(chain: AuditChain) -> None:
    """Who decided, or what, cannot be rewritten unseen."""
    await fill(chain, 6)
    await tamper(chain, 4, by="somebody else")
    assert await found(chain) == ["entry 4 was changed"]


async def test_a_changed_entry_with_its_own_new_hash_is_found_too(chain: AuditChain) -> None:
    """Its successor still carries the hash of what stood there."""
    await fill(chain, 6)
    links = [link async for link in chain.links()]
    commands = chain.clients.commands
    await commands.delete(chain.keys.chain)
    for link in links:
        entry, hashed = link.entry, link.hash
        if link.n == 3:
            forged = AuditEntry.model_validate_json(link.entry).model_copy(update={"by": "nobody"})
            entry, hashed = forged.model_dump_json(), forged.hash
        await commands.xadd(chain.keys.chain, {"e": entry, "h": hashed, "t": "1"}, id=f"{link.n}-0")
    await commands.expire(chain.keys.chain, 60)
    assert await found(chain) == [
        "entry 4 does not follow from the one before: that one was changed, or this one put in"
    ]


async def test_a_missing_entry_is_found_in_the_middle_and_at_the_end(chain: AuditChain) -> None:
    """Nothing can be left out: the numbers and the record of the tip say so."""
    await fill(chain, 6)
    await chain.clients.commands.xdel(chain.keys.chain, "3-0", "4-0")
    assert await found(chain) == ["entries 3 to 4 are missing"]
    await chain.clients.commands.xdel(chain.keys.chain, "6-0")
    assert (await found(chain))[-1] == "entries 6 to 6 are missing at the end"


async def test_an_unreadable_entry_is_named(chain: AuditChain) -> None:
    """Half an entry is no reason to stop looking at the others."""
    await fill(chain, 3)
    await tamper(chain, 2, n="two")
    assert await found(chain) == ["entry 2 cannot be read"]


async def test_what_is_older_than_the_retention_goes_and_the_rest_still_verifies(store: SessionStore) -> None:
    """The hash of the last entry gone anchors what stays."""
    chain = AuditLog(store=store, retention=timedelta(days=1)).chain("T1")
    await fill(chain, 3, at_ms=1_000)
    await chain.append("s", 4, [(4, LATER, "", Fact(what="voted"))])
    assert [link.n async for link in chain.links()] == [4]
    assert await found(chain) == []


async def test_deleting_a_persons_key_makes_their_entries_anonymous_and_keeps_the_chain(chain: AuditChain) -> None:
    """The digests stay where they are; nobody can tell any more whose they were."""
    trail = SessionTrail(chain=chain, session_id=SID)
    await trail.saw([ApprovalVoted(run_id="r1", approval_id="a", by="U0ANA")], 1, LATER)
    (link,) = [link async for link in chain.links()]
    assert "U0ANA" not in link.entry
    by = json.loads(link.entry)["by"]
    assert digest(await chain.key_of("person:U0ANA"), "person:U0ANA") == by
    await chain.forget("person:U0ANA")
    assert digest(await chain.key_of("person:U0ANA"), "person:U0ANA") != by
    assert await found(chain) == []
