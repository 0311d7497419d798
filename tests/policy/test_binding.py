"""What a verdict covers and who may give it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from runtime.policy.approvers import may_decide
from runtime.policy.digest import call_digest

WORDS = st.text(max_size=6)
BINDINGS: st.SearchStrategy[dict[str, JsonValue]] = st.dictionaries(WORDS, st.one_of(WORDS, st.integers()), max_size=3)
Parts = tuple[str, str, str, str, dict[str, JsonValue], str]
PARTS: st.SearchStrategy[Parts] = st.tuples(WORDS, WORDS, WORDS, WORDS, BINDINGS, WORDS)


def digest_of(parts: Parts) -> str:
    """The digest of a call given as a tuple."""
    session, tool, definition, arguments, binding, approval = parts
    return call_digest(
        session_id=session,
        tool=tool,
        definition=definition,
        arguments=arguments,
        binding=binding,
        approval_id=approval,
    )


@given(PARTS, PARTS)
def test_two_calls_share_a_digest_only_if_they_are_the_same(left: Parts, right: Parts) -> None:
    """A change in any part, or a shift of text from one part to the next, changes the digest."""
    assert (digest_of(left) == digest_of(right)) == (left == right)


@given(BINDINGS)
def test_the_order_of_a_binding_does_not_matter(binding: dict[str, JsonValue]) -> None:
    """The same binding written in another order is the same binding."""
    turned = dict(reversed(binding.items()))
    assert digest_of(("s", "t", "d", "{}", binding, "a")) == digest_of(("s", "t", "d", "{}", turned, "a"))


@pytest.mark.parametrize(
    ("approvers", "user", "groups", "allowed"),
    [
        (("requester",), "U1", (), True),
        (("requester",), "U2", (), False),
        (("U2",), "U2", (), True),
        (("U2",), "U1", (), False),
        (("@oncall",), "U3", ("@oncall",), True),
        (("@oncall",), "U3", ("oncall", "@ops"), False),
        (("requester", "@oncall"), "U1", (), True),
        ((), "U1", ("@oncall",), False),
        (("requester",), "requester", (), True),
        (("",), "", (), False),
    ],
)
def test_only_the_named_may_decide(
    approvers: tuple[str, ...], user: str, groups: tuple[str, ...], allowed: bool
) -> None:
    """The requester where it says so, people by id, groups by handle; an empty list means nobody."""
    assert may_decide(approvers, user, "U1", groups) is allowed


@pytest.mark.parametrize(
    ("standing", "by_name", "by_group"),
    [
        ("member", True, True),
        ("guest", True, False),
        ("external", True, False),
        ("bot", False, False),
        ("?", True, False),
    ],
)
def test_bots_never_approve_and_guests_only_where_they_are_named(standing: str, by_name: bool, by_group: bool) -> None:
    """A group may hold people of other organisations, whom nobody meant; a bot does not decide even where it asked."""
    assert may_decide(("U3",), "U3", "U1", standing=standing) is by_name
    assert may_decide(("requester",), "U1", "U1", standing=standing) is by_name
    assert may_decide(("@oncall",), "U3", "U1", ("@oncall",), standing=standing) is by_group
