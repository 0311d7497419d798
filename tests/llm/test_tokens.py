"""Counting tokens: on the safe side without a vocabulary, and at the same cost at every step."""

import base64
import hashlib
import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.tokens import NAME, counter
from runtime.llm.tokens import TOKENS_PER_MESSAGE, Tally, estimated, estimated_messages
from runtime.llm.vocabulary import ADDRESS, counter_of

TEXTS: Mapping[str, tuple[str, int]] = {
    "english": ("The quick brown fox jumps over the lazy dog, and nobody minds that it does so every day. " * 4, 81),
    "json": (json.dumps([{"id": n, "name": f"item {n}", "ok": True, "price": n * 1.25} for n in range(60)]), 1621),
    "numbers": ("\n".join(str(10_000 + n) for n in range(300)), 899),
    "table": ("\n".join(f"{n},{n * 37 % 1000},{n * 0.37:.2f},2026-01-{n % 28 + 1:02d}" for n in range(200)), 2999),
    "hashes": ("\n".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(30)), 1127),
    "base64": (base64.b64encode(b"".join(hashlib.sha256(bytes([n])).digest() for n in range(30))).decode(), 931),
    "python": ("def total(rows):\n    return sum(row['amount'] for row in rows if row['state'] == 'open')\n" * 5, 120),
    "html": ('<div class="row"><a href="https://example.com/a/b?c=d&e=f">x</a></div>\n' * 8, 208),
    "german": ("Die Prüfung der Rechnungen für größere Aufträge läuft über das Büro in Köln. " * 4, 97),
    "russian": ("Проверка счетов для крупных заказов проходит через офис, хотя сборы выше. " * 4, 129),
    "chinese": ("请检查上个月的订单导入是否成功，并把错误的行列成一张表。需要在星期五之前完成。" * 4, 132),
    "japanese": ("先月の注文のインポートが成功したかどうかを確認し、エラーの行を表にまとめてください。" * 4, 148),
    "korean": ("지난달 주문 가져오기가 성공했는지 확인하고 오류가 있는 행을 표로 정리해 주세요. " * 4, 153),
    "arabic": ("يرجى التحقق مما إذا كان استيراد الطلبات قد نجح في الشهر الماضي. " * 4, 156),
    "pictures": ("😀🚀🔥✅ done 🎉🎉 " * 10, 162),
}
"""Texts with their tokens as `cl100k_base` counts them; `o200k_base` and later ones have fewer."""


@pytest.mark.parametrize("kind", TEXTS)
def test_the_estimate_errs_on_the_safe_side(kind: str) -> None:
    """Whatever a text is made of, it is never thought shorter than it is, nor two and a half times longer."""
    text, tokens = TEXTS[kind]
    assert tokens <= estimated(text) <= tokens * 2.5


@pytest.mark.skipif(counter()[1] != NAME, reason="the vocabulary is not on this machine")
def test_the_recorded_counts_are_those_of_the_vocabulary() -> None:
    """Where the vocabulary is at hand, the table above is held against it."""
    count, _ = counter()
    assert {kind: count(text) for kind, (text, _) in TEXTS.items()} == {k: tokens for k, (_, tokens) in TEXTS.items()}


def test_each_message_is_counted_once_however_often_the_total_is_asked_for() -> None:
    """Three hundred steps that each ask three times count every message a single time, and come to the same total."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return estimated(text)

    tally, memory = Tally(count), ()
    for number in range(300):
        memory = (*memory, f"call {number}", f"result {number}")
        assert tally.of(memory) == tally.of(memory) == tally.of(memory)
    assert tally.total == estimated_messages(memory)
    assert counted == list(memory)


def test_a_message_that_is_made_anew_is_not_counted_anew() -> None:
    """The last one is folded again when the server's time for it becomes known: another object with the same text."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return estimated(text)

    tally = Tally(count)
    before, after = (("first", f"result {'of'} {number}") for number in (1, 1))
    assert before[-1] is not after[-1]
    assert tally.of(before) == tally.of(after)
    assert counted == list(before)


def test_a_memory_that_was_shortened_is_counted_anew() -> None:
    """A summary in place of the older part, with the task kept in front, gives the total of what is there now."""
    tally = Tally()
    memory = tuple(f"message number {number} " * 5 for number in range(40))
    tally.of(memory)
    shortened = (memory[0], "summary", *memory[20:])
    assert tally.of(shortened) == estimated_messages(shortened)
    assert tally.of((*shortened, "more")) == estimated_messages((*shortened, "more"))
    assert tally.of(()) == 0
    assert Tally(len).of(("abc",)) == 3 + TOKENS_PER_MESSAGE


PACKAGE = """
fetched = []


class Encoding:
    def encode_ordinary(self, text):
        return text.split()


def encoding_name_for_model(name):
    return {"known": "words"}[name]


def get_encoding(name):
    fetched.append(name)
    return Encoding()
"""
"""A stand-in for `tiktoken` that notes what it is asked for."""


def test_a_vocabulary_is_asked_for_only_where_its_data_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package would fetch missing data from the network; without the file, or for other models, it is estimated."""
    (tmp_path / "lib" / "tiktoken").mkdir(parents=True)
    (tmp_path / "lib" / "tiktoken" / "__init__.py").write_text(PACKAGE)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "lib"), *sys.path])
    # Set first, so that what stands there now comes back in the end.
    monkeypatch.setitem(sys.modules, "tiktoken", sys)
    del sys.modules["tiktoken"]
    folder = tmp_path / "data"
    folder.mkdir()
    assert counter_of("known", folder) is estimated
    assert counter_of("unknown", folder) is estimated
    assert vars(importlib.import_module("tiktoken"))["fetched"] == []
    (folder / hashlib.sha1(ADDRESS.format(name="words").encode(), usedforsecurity=False).hexdigest()).touch()
    assert counter_of("known", folder)("a b c") == 3
    assert vars(importlib.import_module("tiktoken"))["fetched"] == ["words"]
