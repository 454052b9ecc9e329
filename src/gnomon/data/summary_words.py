"""Words by which a row says that it sums up other rows, or tells their average or an extreme of them."""

from __future__ import annotations

from enum import StrEnum

from gnomon.core.patterns import regex


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TOTAL = _words(
    """
    total totals sum subtotal overall gesamt summe gesamtsumme zwischensumme insgesamt totale somma suma totaal som summa
    yhteensä razem ogółem celkem összesen itogo итого всего сумма subtotaal subtotale sous-total toplam σύνολο jumlah tổng
    合計 总计 合计 小計 小计 總計 총계 합계 소계 المجموع الإجمالي סה״כ סהכ कुल รวม σ
    """
)
"""Words for a total; compared in lower case."""

_WHOLE = _words("all alle alles tous toutes todos todas tutti tutte wszystkie все")
"""Words for everything: a label that is one names a total where its numbers add up."""

_BESIDE = _words("grand net all sub gross general général générale the of for whole report")
_CUT = regex(r"[\s:.,;()\[\]*=/|_]+")


class Statistic(StrEnum):
    """What a row may tell of the rows above it, other than their sum."""

    MEAN = "mean"
    MAX = "max"
    MIN = "min"
    MEDIAN = "median"
    COUNT = "count"
    DEVIATION = "deviation"


_STATISTICS = {
    Statistic.MEAN: "average averages mean avg durchschnitt mittelwert mittel schnitt moyenne promedio media média gemiddelde "
    "medel genomsnitt gennemsnit keskiarvo średnia průměr átlag среднее ortalama 平均 均值 평균 المتوسط ממוצע औसत",
    Statistic.MAX: "max maximum maximal höchstwert massimo máximo maks максимум 最大 最大値 最大值 최대",
    Statistic.MIN: "min minimum minimal tiefstwert minimo mínimo минимум 最小 最小値 最小值 최소",
    Statistic.MEDIAN: "median mediane médiane mediana медиана 中央値 中位数",
    Statistic.COUNT: "count anzahl nombre conteggio recuento aantal количество 件数 计数",
    Statistic.DEVIATION: "std stdev stddev stdabw sd standardabweichung",
}
_STATISTIC_OF = {word: statistic for statistic, words in _STATISTICS.items() for word in words.split()}
_WITH = _words("value values wert deviation standard dev arithmetic overall total the of all")


def words_of(label: str | None) -> list[str]:
    """The words of a label, in lower case."""
    text = (label or "").casefold()
    return [text] if text.isalnum() else [w for w in _CUT.split(text) if w]


def names_total(label: str | None) -> bool:
    """Whether a label says that it is a total: the word, alone or with what it is the total of."""
    words = words_of(label)
    return not TOTAL.isdisjoint(words) or _are_whole(words)


def is_total(label: str | None) -> bool:
    """Whether a label is a word for a total and nothing else."""
    return _are_total(words_of(label))


def is_whole(label: str | None) -> bool:
    """Whether a label is a word for a total or for everything, and nothing else."""
    words = words_of(label)
    return _are_total(words) or _are_whole(words)


def statistic_of(label: str | None) -> Statistic | None:
    """The statistic that a label names, where it names nothing else."""
    words = words_of(label)
    named = {_STATISTIC_OF[w] for w in words if w in _STATISTIC_OF}
    if "standard" in words and "deviation" in words:
        named = {Statistic.DEVIATION}
    if len(named) != 1 or any(w not in _STATISTIC_OF and w not in _WITH for w in words):
        return None
    return named.pop()


def _are_total(words: list[str]) -> bool:
    return not TOTAL.isdisjoint(words) and all(w in TOTAL or w in _BESIDE for w in words)


def _are_whole(words: list[str]) -> bool:
    return bool(words) and _WHOLE.issuperset(words)
