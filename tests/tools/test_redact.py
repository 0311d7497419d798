"""Secrets never leave in a result; ordinary text is never touched."""

import base64
import json
import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.redact import Redactor

BODY = "1234567890AbCdEfGhIjKlMnOpQrStUvWxYz"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc/def+==\n-----END RSA PRIVATE KEY-----"

SECRETS = {
    "slack bot": f"xoxb-12345-{BODY}",
    "slack user": f"xoxp-12345-{BODY}",
    "slack app": f"xapp-1-A012-{BODY}",
    "slack rotating": f"xoxe.xoxp-1-{BODY}",
    "openai": f"sk-proj-{BODY}",
    "stripe": f"sk_live_{BODY}",
    "aws": "AKIA" + "ABCDEFGH12345678",
    "github": f"ghp_{BODY}",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMTIz",
    "pem": PEM,
    "pem cut off": PEM[:60],
    "google": "AIza" + BODY[:35],
}
filler = st.text(st.sampled_from(" \n.,:;()[]{}'\"é"), min_size=1, max_size=20)


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_found_by_its_form_wherever_it_stands(secret: str) -> None:
    """Quotes, brackets and line ends around it make no difference."""
    for around in ("{}", "key={}", 'x = "{}"', "<{}>", "a\n{}\nb", "({}),", "`{}`"):
        clean = Redactor()(around.format(secret))
        assert secret[8:] not in clean
        assert "[redacted: " in clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("redis://user:hunter2@cache:6379/0", "redis://user:[redacted: url password]@cache:6379/0"),
        ("redis://:p%40ss@cache", "redis://:[redacted: url password]@cache"),
        ("postgresql+psycopg://u:a:b@h/db", "postgresql+psycopg://u:[redacted: url password]@h/db"),
        ("Authorization: Bearer abcd", "Authorization: Bearer [redacted: credentials]"),
        ('{"Authorization": "Basic dXNlcjpwdw=="}', '{"Authorization": "Basic [redacted: credentials]"}'),
        ("curl -H 'bearer abcdefgh12345678'", "curl -H 'bearer [redacted: bearer]'"),
        ("export DB_PASSWORD=hunter22", "export DB_PASSWORD=[redacted: value]"),
        ('"AWS_SECRET_ACCESS_KEY": "abc/def+ghi"', '"AWS_SECRET_ACCESS_KEY": "[redacted: value]"'),
    ],
)
def test_a_secret_known_by_its_context_goes_and_the_context_stays(text: str, clean: str) -> None:
    """People still see which connection or variable it was."""
    assert Redactor()(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "risk-assessment-of-the-2026-quarter is ready",
        "sk-learn-style-pipelines are used",
        "disk-usage-report-2026-11-30.csv",
        "token = get_token()",
        "the bearer of this letter understands",
        "https://example.com:8080/path?x=1",
        "mailto:someone@example.com",
        "TOKEN=$SLACK_BOT_TOKEN",
        "MAX_TOKENS: 4096",
        "AKIA is a prefix",
        "eyJ is base64 for an opening brace",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    """Words, file names, code and public keys are not secrets."""
    assert Redactor()(text) == text


@given(st.text(st.characters(codec="utf-8", exclude_characters="[]"), min_size=6, max_size=40), filler, filler)
def test_a_literal_value_never_leaves_in_any_spelling(secret: str, before: str, after: str) -> None:
    """As it stands, in a URL, in JSON and in Base64."""
    redact = Redactor([secret])
    for spelling in (
        secret,
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        base64.b64encode(secret.encode()).decode(),
    ):
        assert "[redacted: " in redact(before + spelling + after)
    assert secret not in redact(f"{before}{secret}{after}")


@given(st.lists(st.sampled_from([*SECRETS.values(), " ", "\n", "a", "redis://u:pw1234@h", "TOKEN=abcdef12"])))
def test_redacting_twice_changes_nothing_more(pieces: list[str]) -> None:
    """Views and exports redact again what was stored redacted."""
    once = Redactor()("".join(pieces))
    assert Redactor()(once) == once


@given(st.text(st.sampled_from(string.ascii_lowercase + " \n"), max_size=300))
def test_plain_words_are_never_touched(text: str) -> None:
    """Nothing made of lower-case words alone is taken for a secret."""
    assert Redactor()(text) == text


def test_json_is_redacted_inside() -> None:
    """Texts and keys at any depth."""
    secret = SECRETS["slack bot"]
    clean = Redactor().json({"a": [1, None, {secret: secret}]})
    assert clean == {"a": [1, None, {"[redacted: slack token]": "[redacted: slack token]"}]}


@pytest.mark.parametrize(
    "piece", ["A", "a://b:", "sk-", "hf_", "bearer ", "-----BEGIN PRIVATE KEY-----", "eyJ-", "TOKEN", "Authorization: "]
)
def test_a_megabyte_of_near_misses_is_read_in_linear_steps(piece: str) -> None:
    """Hostile output cannot stall the bot; the suite's time limit would stop a quadratic search."""
    text = piece * (1_000_000 // len(piece))
    assert 0 < len(Redactor(["literal-value"])(text)) <= len(text)


def test_a_secret_that_is_learned_later_goes_too() -> None:
    """Whoever holds the redactor sees neither the new one nor those before; what is too short is left alone."""
    redact = Redactor(["first-secret"])
    redact.learn(["second-secret", "no"])
    assert redact("first-secret second-secret no") == "[redacted: secret] [redacted: secret] no"
