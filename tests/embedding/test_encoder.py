"""The shipped encoder: meaning, determinism, limits."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from numpy.typing import NDArray

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.embedding import SentenceEncoder, get_encoder, graph
from gnomon.embedding.encoder import CACHED_QUERIES
from gnomon.embedding.model_folder import SHIPPED

# (anchor, close in meaning, far in meaning); few share words between anchor and close.
TRIPLES = [
    ("Why did my sales drop last week?", "What caused the decline in revenue?", "Show the list of brands."),
    ("show revenue by region", "income broken down by territory", "how old is the warehouse manager"),
    ("items that are out of stock", "products with no inventory left", "customers who left five stars"),
    ("how many people visited the page", "number of sessions on the site", "cost of shipping a parcel"),
    ("customers sent the goods back", "return rate of orders", "advertising budget for spring"),
    ("the competitor lowered its price", "a rival is selling it cheaper", "the supplier is on holiday"),
    ("predict demand for next month", "forecast future sales", "delete the old invoices"),
    ("find unusual values", "detect anomalies in the data", "sort the names alphabetically"),
    ("average order value", "mean basket size in money", "colour of the packaging"),
    ("parcels arrive late", "delivery is delayed", "the soup is too salty"),
    ("bad feedback from buyers", "negative customer reviews", "a new office was opened"),
    (
        "is the difference statistically significant?",
        "could this gap be chance?",
        "where is the train station?",
    ),
    ("compare this year with the last", "year over year growth", "the lid does not fit"),
    ("money spent on ads", "marketing expenditure", "broken zipper on the bag"),
    ("the listing was suspended", "our product page was taken down", "we hired two accountants"),
    ("profit after costs", "net margin", "number of employees"),
    ("correlation between price and units", "do cheaper goods sell more?", "who wrote this novel?"),
    ("The battery dies too quickly.", "It does not hold a charge.", "The colour is exactly as pictured."),
    ("The jacket is too small.", "The size runs tight.", "The manual is in Spanish."),
    ("It broke after two days.", "The thing stopped working within the week.", "It smells of lavender."),
    ("best selling products", "items with the most units sold", "staff meeting agenda"),
    ("missing values in the table", "how many nulls are there", "what is the weather tomorrow"),
    ("sales go up every December", "seasonal peak before Christmas", "the login page is blue"),
    ("group the customers into segments", "cluster buyers by behaviour", "translate the page to French"),
    ("The doctor examined the patient.", "A physician saw a sick man.", "The goalkeeper saved the penalty."),
    ("interest rates were raised", "the central bank tightened policy", "the cat slept on the sofa"),
    ("a man is playing a guitar", "someone performs music on strings", "a woman slices an onion"),
    ("conversion went down", "fewer visitors buy", "the logo was redesigned"),
    ("a power cut in the north", "an outage hit the northern region", "a sale on garden furniture"),
    ("refund the payment", "give the money back", "water the plants"),
    ("which month had the highest turnover", "peak revenue month", "spell the word necessary"),
    ("stock price of the company", "share value on the exchange", "recipe for apple pie"),
]


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return get_encoder()


@pytest.mark.parametrize("triple", TRIPLES, ids=lambda t: t[0][:30])
def test_what_means_the_same_is_nearer_than_what_does_not(
    encoder: SentenceEncoder, triple: tuple[str, str, str]
) -> None:
    anchor, close, far = encoder.encode(triple)
    assert anchor @ close > anchor @ far + 0.05


def test_published_similarities_survive_the_int8_form(encoder: SentenceEncoder) -> None:
    v = encoder.encode(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    published = np.array([[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]])
    assert np.abs(v @ v.T - published).max() < 0.02


def test_vectors_are_unit_float32_rows_in_the_order_given(encoder: SentenceEncoder) -> None:
    texts = ["a rather long sentence about the sales of kettles in the north", "x", "two words"]
    v = encoder.encode(texts)
    assert v.shape == (3, encoder.dim) == (3, 384)
    assert v.dtype == np.float32
    assert np.allclose(np.linalg.norm(v, axis=1), 1, atol=1e-5)
    assert np.allclose(v[1], encoder.encode_one("x"), atol=1e-6)
    assert encoder.encode([]).shape == (0, 384)


@pytest.mark.parametrize("batch_size", [1, 3, 32])
def test_a_text_gets_the_same_vector_whatever_its_batch(encoder: SentenceEncoder, batch_size: int) -> None:
    texts = [t for triple in TRIPLES for t in triple] + ["loud! " * 150, "", "42"]
    alone = np.vstack([encoder.encode([t]) for t in texts])
    assert np.abs(encoder.encode(texts, batch_size=batch_size) - alone).max() < 1e-3


def test_two_processes_agree_to_the_last_bit() -> None:
    code = (
        "import hashlib; from gnomon.embedding import get_encoder;"
        "print(hashlib.sha256(get_encoder().encode(['why did sales drop', 'x']).tobytes()).hexdigest())"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1] != ""


def test_text_beyond_the_token_limit_does_not_count(encoder: SentenceEncoder) -> None:
    long = "kettle " * 300
    assert np.array_equal(encoder.encode_one(long), encoder.encode_one(long + "and a dragon " * 1000))
    assert not np.allclose(
        encoder.encode_one("kettle " * 100), encoder.encode_one("kettle " * 100 + "dragon")
    )


def test_the_empty_text_has_a_vector_of_its_own(encoder: SentenceEncoder) -> None:
    empty, blank, word = encoder.encode(["", "  \n\t", "sales"])
    assert np.linalg.norm(empty) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(empty, blank)
    assert empty @ word < 0.9


def test_unicode_is_accepted_and_accents_and_case_do_not_matter(encoder: SentenceEncoder) -> None:
    cafe, plain, *rest = encoder.encode(
        ["CAFÉ prices", "cafe prices", "数据 分析", "📉📦", "a\ud800b", "a\x00b"]
    )
    assert cafe @ plain > 0.999
    assert all(np.isfinite(v).all() for v in rest)


def test_threads_share_one_encoder(encoder: SentenceEncoder) -> None:
    texts = [t for triple in TRIPLES[:8] for t in triple]
    expected = encoder.encode(texts)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: encoder.encode(texts), range(8)))
        same = set(pool.map(lambda _: id(get_encoder()), range(8)))
    assert all(np.array_equal(expected, f) for f in found)
    assert same == {id(get_encoder(SHIPPED))}


def test_recent_queries_are_remembered_within_a_bound() -> None:
    encoder = SentenceEncoder(SHIPPED)
    first = encoder.encode_one("first")
    assert encoder.encode_one("first") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0
    for i in range(CACHED_QUERIES):
        encoder._cache[str(i)] = first
    encoder.encode_one("one more")
    assert len(encoder._cache) == CACHED_QUERIES
    assert "first" not in encoder._cache


def test_misuse_is_explained(encoder: SentenceEncoder) -> None:
    with pytest.raises(InvalidInput, match="several texts"):
        encoder.encode("one text")
    with pytest.raises(InvalidInput, match="not int"):
        encoder.encode(["x", 3])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="batch_size must be at least 1"):
        encoder.encode(["x"], batch_size=0)


def test_importing_the_room_loads_neither_runtime_nor_tokenizer() -> None:
    code = "import sys, gnomon.embedding as e; e.get_encoder(); print({'onnxruntime', 'tokenizers'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_encoders_that_are_loaded_at_once_share_one_tokenizer() -> None:
    graph._read_tokenizer.cache_clear()
    loaded = [SentenceEncoder(SHIPPED), SentenceEncoder(SHIPPED)]
    together = Barrier(2)

    def load(encoder: SentenceEncoder) -> None:
        together.wait()
        encoder.load()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(load, loaded))
    assert graph._read_tokenizer.cache_info().misses == 1


def test_a_text_that_several_ask_for_at_once_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh, runs, together = SentenceEncoder(SHIPPED), [0], Barrier(4)
    real = fresh.encode

    def counted(texts: Sequence[str], batch_size: int = 32) -> NDArray[np.float32]:
        runs[0] += 1
        return real(texts, batch_size)

    def asked(text: str) -> NDArray[np.float32]:
        together.wait(10)
        return fresh.encode_one(text)

    monkeypatch.setattr(fresh, "encode", counted)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(asked, ["revenue by month"] * 4))
    assert runs == [1]
    assert all(np.array_equal(v, found[0]) for v in found)


def test_whoever_waits_for_a_text_hears_why_it_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = SentenceEncoder(SHIPPED)

    def broken(*_: object) -> NDArray[np.float32]:
        raise UnreadableSource("damaged")

    with monkeypatch.context() as m:
        m.setattr(fresh, "encode", broken)
        with pytest.raises(UnreadableSource):
            fresh.encode_one("revenue")
    assert fresh.encode_one("revenue").shape == (fresh.dim,)  # the next one tries anew


def test_a_long_question_is_encoded_by_its_beginning_and_its_end(encoder: SentenceEncoder) -> None:
    begin, end = "Please tell me which of our stores sold most", "in the north of the whole country last year"
    middle = "while we were all away on holiday and nobody was looking after them at all"
    whole = encoder.encode_question(f"{begin} {middle} {end}")
    assert np.array_equal(whole, encoder.encode_question(f"{begin} {middle} and so on and so forth {end}"))
    assert not np.array_equal(whole, encoder.encode_question(f"{begin} {middle} {end} by moonlight"))
    assert np.array_equal(encoder.encode_question("sales by month"), encoder.encode_one("sales by month"))
    huge = encoder.encode_question(f"{begin} " + "kettle " * 5000)
    assert float(huge @ huge) == pytest.approx(1.0, abs=1e-5)
