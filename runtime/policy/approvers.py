"""Who may decide: the third gate, apart from who is heard and who may start runs.

Bots never may. Guests and other organisations' people may only where they are named by their own id, or asked for the
run themselves: nobody becomes an approver by being put into a group.
"""

from collections.abc import Collection


def may_decide(
    approvers: Collection[str],
    user: str,
    requester: str,
    groups: Collection[str] = (),
    *,
    standing: str = "member",
    excluded: Collection[str] = (),
) -> bool:
    """Whether a person may approve or deny.

    Args:
        approvers: "requester", user ids and user groups ("@oncall"); empty means nobody.
        user: who clicked.
        requester: who asked for the run.
        groups: the groups `user` belongs to, each with its "@".
        standing: member, guest, external or bot; anything unknown counts as external.
        excluded: who may not in any case, under four eyes.
    """
    if not user or standing == "bot" or user in excluded:
        return False
    if user in approvers or (user == requester and "requester" in approvers):
        return True
    return standing == "member" and any(group in approvers for group in groups if group.startswith("@"))
