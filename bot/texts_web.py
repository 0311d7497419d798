"""Sentences on the pages that a browser shows."""

DECLINED = "Nothing was installed, since consent was not given. Close this page, or open /slack/install to start again."
STATE_GONE = "This way back has expired or belongs to another browser. Open /slack/install to start again."
REFUSED = "Slack refused the installation. Open /slack/install to start again; the log says why."


def installed(name: str) -> str:
    """The end of an installation."""
    return f"Handrail is installed in {name or 'your workspace'}. Mention it in a channel to begin."
