"""Text as models, tools and people may produce it: any characters, and what is known to be abused."""

from hypothesis import strategies as st

NASTY = (
    "<!channel>", "<!here>", "<!subteam^S0ONCALL>", "<@U0EVE>", "<#C0DATA>", "@channel", "@here", "@everyone",
    "<http://evil.example|your bank>", "<mailto:x@evil.example|help>", "[your bank](http://evil.example)",
    "[your\nbank](http://evil.example)", "[a [b] c](http://evil.example)", "[a\\]b](http://evil.example)",
    "[x](<http://evil.example/a b>)", '[x](http://evil.example "a\nb")', "[x](&#104;ttp://evil.example)",
    "![x](http://evil.example/pixel)", "[x][1]", "[1]: http://evil.example", "\n> [1]: http://evil.example\n",
    '<a href="http://evil.example">x</a>', "`", "``", "```", "\n```\n", "\n```py\n", "\n  ```\n", "\n~~~\n", "\n- ",
    "\n> ", "\n\n", "    ", "\\", "&amp;", "&", "<", ">", "|", "*", "_",
    "\u202e", "\u200b", "\u200f", "\u2066", "\x1b[31m",
    "\x00", "\r\n", "\u2028", "\U000e0041", "\ufeff", "𝔘𝔫𝔦", "👩‍💻", "日本語", "é", "\u0301",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "`[x](http://evil.example)`", "\\`[x](http://evil.example)\\`", "`a\n`[x](http://evil.example)`",
)  # fmt: skip

words: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(NASTY), st.text(max_size=12), st.sampled_from(("word ", "if a[0]:\n", "line\n"))
)


def joined(parts: list[str]) -> str:
    """Pieces as one text."""
    return "".join(parts)


def repeated(parts: list[str], times: int) -> str:
    """Pieces as one long text."""
    return "".join(parts) * times


short: st.SearchStrategy[str] = st.lists(words, max_size=6).map(joined)
"""A few words."""
long: st.SearchStrategy[str] = st.builds(repeated, st.lists(words, max_size=8), st.integers(1, 400))
"""Up to some ten thousand characters."""
texts: st.SearchStrategy[str] = st.one_of(short, short, long)
arrangements: st.SearchStrategy[str] = st.lists(
    st.sampled_from([*NASTY, "[x](http://e.example)", "\n", "a"]), max_size=12
).map(joined)
"""Mostly markup."""


def at_most(limit: int) -> st.SearchStrategy[str]:
    """Texts of at least one and at most so many characters."""
    return short.map(lambda text: (text or "-")[:limit])
