"""Who may decide. Bots never may: Slack's bots click nothing, and their ids are in no list of approvers."""

from collections.abc import Collection


def may_decide(approvers: Collection[str], user: str, requester: str, groups: Collection[str] = ()) -> bool:
    """Whether a person may approve or deny.

    Args:
        approvers: "requester", user ids and user groups ("@oncall"); empty means nobody.
        user: who clicked.
        requester: who asked for the run.
        groups: the groups `user` belongs to, each with its "@".
    """
    if not user:
        return False
    if user in approvers or (user == requester and "requester" in approvers):
        return True
    return any(group in approvers for group in groups if group.startswith("@"))
