"""The demo's only look at the environment, and what it hands on to the processes it starts."""

import os
import sys
from collections.abc import Mapping

HANDED_ON_NOT = ("SLACK_", "HANDRAIL_")
"""Prefixes of variables that the demo sets itself."""
LOCAL = "127.0.0.1,localhost"


def own_environment() -> dict[str, str]:
    """The variables of this process."""
    return dict(os.environ)


def for_child(environ: Mapping[str, str], **changes: str) -> dict[str, str]:
    """The environment of a child: this one without other people's Slack settings, local addresses past any proxy."""
    kept = {name: value for name, value in environ.items() if not name.startswith(HANDED_ON_NOT)}
    bypass = {name: ",".join(filter(None, (kept.get(name), LOCAL))) for name in ("NO_PROXY", "no_proxy")}
    return {**kept, **bypass, "PYTHONUNBUFFERED": "1", **changes}


def has_browser(environ: Mapping[str, str]) -> bool:
    """True where opening an address shows a page; `BROWSER=none` or an empty `BROWSER` says no.

    Without a screen the standard library would fall back to a text browser in this terminal.
    """
    if "BROWSER" in environ:
        return environ["BROWSER"].lower() not in {"", "none", "false", "0", "/bin/true"}
    return sys.platform == "darwin" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
