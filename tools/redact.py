"""Takes secrets out of text before it is stored or shown.

Two kinds: what looks like a secret by its form, and the literal values the operator's settings hold. Forms are chosen
so that ordinary words and code do not match; a value without a form must be given literally.
"""

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote

from pydantic import JsonValue

MIN_LITERAL_CHARS = 6

FORMS: tuple[tuple[str, str], ...] = (
    ("private_key", r"-----BEGIN[A-Z ]{0,40} PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END[A-Z ]{0,40}-----|\Z)"),
    ("slack_token", r"(?<![A-Za-z0-9])(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[A-Za-z0-9-]{8,}"),
    ("api_key", r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}"),
    ("aws_key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github_token", r"(?<![A-Za-z0-9])(?:gh[a-z]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("token", r"(?<![A-Za-z0-9])(?:glpat-|npm_|hf_|pypi-|dop_v1_|shpat_)(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}"),
    ("google_key", r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35,}"),
    ("jwt", r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,}"),
)
"""Name and form of secrets that are replaced as a whole."""

VARIABLE = (
    r"(?<![A-Za-z0-9])[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY|ACCESS_KEY|PRIVATE_KEY)"
    r"[A-Z0-9_]{0,20}[\"']?\s{0,3}[=:]\s{0,3}[\"']?"
)

CONTEXTS: tuple[tuple[str, str], ...] = (
    (
        "url_password",
        r"(?P<url_before>\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@\"'<>]{0,200}:)[^\s/@\"'<>\[]{1,500}(?=@)",
    ),
    (
        "credentials",
        r"(?P<header_before>(?i:authorization\"?'?\s{0,3}[:=]\s{0,3}\"?'?(?:bearer|basic|token|bot)\s{1,3}))[^\s\"',\[]{4,}",
    ),
    ("bearer", r"(?P<bearer_before>\b(?i:bearer)\s{1,3})(?=[A-Za-z._~+/-]{0,60}[0-9])[A-Za-z0-9._~+/=-]{16,}"),
    ("value", r"(?P<value_before>" + VARIABLE + r")(?![\"'$\[(])[^\s\"',;()]{6,}"),
)
"""Name and form of secrets that are known by what stands before them, which is kept."""


class Redactor:
    """Replaces secrets by `[redacted: kind]`. Applying it twice changes nothing more."""

    def __init__(self, literals: Iterable[str] = ()) -> None:
        """Look for the forms above, and for `literals` in the spellings they may take in files and logs.

        Values shorter than `MIN_LITERAL_CHARS` are left out: replacing them would hit ordinary text.
        """
        self.literals: frozenset[str] = frozenset()
        self._pattern = self.compiled()
        self.learn(literals)

    def learn(self, literals: Iterable[str]) -> None:
        """Look for further literals from now on, as tokens that were renewed; what was known stays known."""
        known = self.literals | {value for value in literals if len(value) >= MIN_LITERAL_CHARS}
        if known != self.literals:
            self.literals = known
            self._pattern = self.compiled()

    def compiled(self) -> re.Pattern[str]:
        """All that is looked for, as one pattern."""
        spellings = {spelling for value in self.literals for spelling in spellings_of(value)}
        alternatives = [f"(?P<{name}>{form})" for name, form in (*FORMS, *CONTEXTS)]
        if spellings:
            ordered = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
            alternatives.insert(0, f"(?P<secret>{'|'.join(map(re.escape, ordered))})")
        return re.compile("|".join(alternatives))

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        return self._pattern.sub(replacement, text)

    def json(self, value: JsonValue) -> JsonValue:
        """A JSON value with every text in it redacted, keys too."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self(key): self.json(item) for key, item in value.items()}
        return value


def replacement(found: re.Match[str]) -> str:
    """What stands in place of a secret: its context where that identified it, and the kind."""
    groups = found.groupdict()
    kept = next((text for name, text in groups.items() if name.endswith("_before") and text is not None), "")
    kind = next(name for name, text in groups.items() if text is not None and not name.endswith("_before"))
    return f"{kept}[redacted: {kind.replace('_', ' ')}]"


def spellings_of(value: str) -> set[str]:
    """A literal as it stands, as in a URL, as in JSON, and in Base64."""
    encoded = value.encode(errors="surrogatepass")
    return {
        value,
        quote(value, safe="", errors="surrogatepass"),
        json.dumps(value)[1:-1],
        base64.b64encode(encoded).decode().rstrip("="),
    }
