"""Turns what a page holds into text for a model: HTML into Markdown, nothing hidden, nothing loaded."""

from bs4 import BeautifulSoup
from markdownify import MarkdownConverter

from tools.text import visible
from tools.web.download import Page

MAX_HTML = 2 * 1024 * 1024
LEFT_OUT = ("script", "style", "noscript", "template", "iframe", "object", "svg", "head", "form", "nav", "footer")
TEXT_KINDS = ("text/", "application/json", "application/xml", "application/javascript", "application/ld+json")


def text_of(page: Page) -> str | None:
    """The page as text; None where it is none that can be read. Takes seconds at worst; call it in a thread."""
    if page.kind in {"text/html", "application/xhtml+xml"}:
        return markdown_of(decoded(page.body[:MAX_HTML], page.charset))
    if page.kind.startswith(TEXT_KINDS) or page.kind.endswith(("+json", "+xml")):
        return visible(decoded(page.body, page.charset))
    return None


def decoded(body: bytes, charset: str) -> str:
    """The bytes as text; what does not fit the named encoding is written out."""
    try:
        return body.decode(charset, errors="backslashreplace")
    except (LookupError, ValueError):
        # No encoding of that name, or one that is none of text, such as `idna`.
        return body.decode("utf-8", errors="backslashreplace")


def markdown_of(html: str) -> str:
    """HTML as Markdown with its links, without what is no content. Deeply nested HTML becomes plain text."""
    soup = BeautifulSoup(html, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for name in LEFT_OUT:
        for tag in soup.find_all(name):
            tag.decompose()
    try:
        text = MarkdownConverter(heading_style="ATX", strip=["img"]).convert_soup(soup)
    except RecursionError:
        text = soup.get_text("\n", strip=True)
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    body = visible("\n".join(kept).strip())
    return f"# {visible(title)}\n\n{body}" if title and not body.startswith("# ") else body
