"""What a question is dressed in: its number, what to do in so many words, where the data lies, how to put the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary as words_of
from gnomon.planning.reader.heading_names import HEADING
from gnomon.planning.reader.instructions import (
    is_instruction,
    is_of_looks,
    looks,
    rounding,
    spoken_tail,
    tools,
)
from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.parts import enumerated
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex

_NUMBERING = regex(
    r"\s*(?:(?:question|task|problem|exercise|query|prompt|q)\s*(?:no\.?\s*|#\s*)?(?:\d{1,3}[a-z]?)?\s*[:.)–-]\s+"
    r"|\(?(?:\d{1,2}|[a-h]|[ivx]{1,4})[.)]\s+|\#?\d{1,2}\s*:\s+|[-*•]\s+)(?=[^\W\d])",
    re.IGNORECASE,
)
_IMPERATIVES = words_of(
    "identify check analyze analyse explore investigate examine assess evaluate conduct perform undertake study inspect "
    "verify ascertain establish detect confirm discover uncover quantify measure output print obtain review observe notice select"
)
_LOOKING_AFTER = words_of("verify confirm check inspect review examine assess evaluate study")
_ASKING = (
    Op.AGGREGATE, Op.COUNT, Op.KIND, Op.MISSING, Op.RANK, Op.SHARE, Op.BY, Op.PER, Op.EACH, Op.CHANGE, Op.VERSUS,
)  # fmt: skip
_DOING = words_of("perform conduct undertake do run execute make carry")
_STUDIES = words_of(
    "analysis analyses study assessment examination investigation exploration check evaluation"
)
_DESCRIBING = words_of(
    "describe summarize summarise characterize characterise profile explore analyze analyse examine"
)
_THOROUGH = words_of(
    "a an the statistical descriptive comprehensive detailed thorough exploratory basic full data complete simple quick in depth"
)
_LEADING = words_of(
    "then additionally furthermore moreover also next finally lastly first firstly secondly thirdly specifically afterwards "
    "subsequently likewise similarly"
)
_LEADING_PHRASES = {
    ("in", "addition", ","),
    ("for", "instance", ","),
    ("for", "example", ","),
    ("to", "begin", ","),
}
_POINTING = words_of("looking at based on according to given considering using from in for with within")
_AIMS = words_of("task goal aim objective job question")
_WITHIN = words_of("in on from within of for across over inside throughout using")
_DETERMINERS = words_of(
    "the this our given provided entire whole available above following full complete raw original my"
)
_DATA = words_of("dataset datasets data table dataframe csv file spreadsheet sheet database")
_PARTS_OF_DATA = words_of(
    "training train test testing validation holdout sample sampled filtered cleaned clean new old previous other second "
    "first remaining resulting transformed balanced"
)
_ABBREVIATED = words_of("e g i vs mr mrs ms dr no approx etc avg st")


def sentences(question: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Where the sentences of a question begin and end, in words."""
    cuts = [0]
    for i in range(1, len(words)):
        gap = question[words[i - 1].end : words[i].start]
        stopped = re.search(r"[.!]\s", gap) and words[i - 1].lower not in _ABBREVIATED
        asked = words[i - 1].lower in {"?", ";"} or "\n" in gap
        if (stopped and words[i].text[:1] not in ")") or asked:
            cuts.append(i)
    return [(a, b) for a, b in zip(cuts, [*cuts[1:], len(words)], strict=True) if b > a]


_STATEMENT = regex(r"\bselect\b[^.?]*\bfrom\b[^.?]*;|\bselect\s+\*\s+from\b", re.IGNORECASE)


class Dressing:
    """Takes off what asks for nothing by itself.

    Args:
        model: What the tables mean.
        vocabulary: How its things are said; a word that names one is never taken off.
        index: The values of the data; nor is one of them.
    """

    def __init__(self, model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex) -> None:
        self._vocabulary = vocabulary
        self._index = index
        self._alone = len(model.tables) == 1
        self._tables = frozenset(
            w
            for t in model.tables
            for n in (t.name, t.label)
            for part in name_words(n)
            for w in (part, stem(part))
        )

    def off(self, question: str, words: Sequence[Word]) -> tuple[list[Word], list[str]]:
        """The words that ask, and the instructions that were left aside, as they were said."""
        if _STATEMENT.search(question):
            return list(words), []  # a statement of a query language is no question in words
        plain = _spelt_out(_without_number(question, words))
        plain, aside = self._without_instructions(question, plain)
        plain = self._without_opening(question, plain)
        placed = self._without_tools(question, _without_leading(question, plain))
        plain = self._without_place(question, placed)
        aside += [w.text for w in placed if w not in plain and self._is_unknown(w)]
        for step in (_described, _counting_rows, self._plainly):
            plain = step(question, plain)
        return (plain, aside) if any(w.kind != "symbol" for w in plain) else (list(words), [])

    def _names(self, word: Word) -> bool:
        """Whether a word is a name or a value of this data."""
        whole = any(x.quality > 0.9 for x in self._vocabulary.named(word.lower))
        return whole or any(m.kind == "exact" for m in self._index.find([word.lower]))

    def _without_instructions(self, question: str, words: Sequence[Word]) -> tuple[list[Word], list[str]]:
        """Without “Interpret the results.”, “and explain your answer”, “rounded to two decimals”."""
        kept: list[Word] = []
        aside: list[str] = []
        for n, (a, b) in enumerate(sentences(question, words)):
            clause = list(words[a:b])
            if n and is_instruction(clause):
                aside += [] if is_of_looks(clause) else [_text(question, clause)]
                continue
            cuts: list[Callable[[Sequence[Word]], tuple[int, int] | None]] = [rounding, spoken_tail]
            for cut in cuts:
                if (span := cut(clause)) is not None:
                    aside.append(_text(question, clause[span[0] : span[1]]))
                    clause[span[0] : span[1]] = []
            if (span := looks(clause)) is not None:
                clause[span[0] : span[1]] = []
            kept += clause
        return kept, aside

    def _without_opening(self, question: str, words: Sequence[Word]) -> list[Word]:
        """Without “Looking at the data,” and “Your task is to” before a sentence."""
        kept: list[Word] = []
        for a, b in sentences(question, words):
            said = [w.lower for w in words[a:b]]
            comma = said.index(",") if "," in said[:9] else 0
            lead = said[:comma]
            idle = all(w in _POINTING | _DETERMINERS | _DATA or stem(w) in self._tables for w in lead)
            if comma and idle and _DATA & {*lead} and comma + 1 < len(said):
                a += comma + 1
            elif said[1:2] and said[1] in _AIMS and said[2:4] == ["is", "to"]:
                a += 4
            kept += words[a:b]
        return kept

    def _without_tools(self, question: str, words: Sequence[Word]) -> list[Word]:
        """Without “using pandas”, “with Python's statistics module”: no tool changes a number."""
        kept: list[Word] = []
        for a, b in sentences(question, words):
            clause = list(words[a:b])
            if (span := tools(clause, self._names)) is not None:
                clause[span[0] : span[1]] = []
            kept += clause
        return kept

    def _without_place(self, question: str, words: Sequence[Word]) -> list[Word]:
        """Without “in the given dataset”, “of the table”, also where the table is called by its name."""
        kept: list[Word] = []
        i = 0
        while i < len(words):
            end = self._place_at(words, i)
            if end is None:
                kept.append(words[i])
                i += 1
            else:
                i = end
        return kept

    def _place_at(self, words: Sequence[Word], at: int) -> int | None:
        """Where a phrase for the data as a whole ends that begins at ``at``."""
        if words[at].lower not in _WITHIN or not at:
            return None
        before = words[at - 1].lower
        known = operators().get((before,))
        if before in {"is", "are", "what's", "was", "were"} or (known and known.op in (Op.COLUMNS, Op.ROWS)):
            return None  # "what is in the data", "rows of the table"
        end = at + 1
        while end < len(words) and words[end].lower in _DETERMINERS:
            end += 1
        if end == at + 1:
            return None
        while end < len(words) and words[end].kind == "word" and words[end].stem in self._tables:
            end += 1
        end += int(self._alone and self._is_called(words, end))
        last = words[end].lower if end < len(words) else ""
        if last == "data" and [w.lower for w in words[end + 1 : end + 2]] in (["set"], ["frame"]):
            return end + 2
        following = words[end + 1].lower if end + 1 < len(words) else ""
        if last not in _DATA or self._names(words[end]) or following in {"of", "for", "from", "on", "points"}:
            return None
        return end + 1

    def _is_called(self, words: Sequence[Word], at: int) -> bool:
        """“the Iris dataset”: whatever the asker calls the only table, unless it may be a part of it."""
        behind = [w.lower for w in words[at + 1 : at + 3]]
        data = behind[:1] in (["dataset"], ["dataframe"]) or behind in (["data", "set"], ["data", "frame"])
        return data and self._is_unknown(words[at]) and words[at].lower not in _PARTS_OF_DATA

    def _is_unknown(self, word: Word) -> bool:
        idle = word.lower in FILLERS | _DETERMINERS | _DATA or (word.lower,) in operators()
        return word.kind == "word" and not idle and word.stem not in self._tables and not self._names(word)

    def _plainly(self, question: str, words: Sequence[Word]) -> list[Word]:
        """“Identify …”, “Perform a distribution analysis on …”: what to do, where a sentence begins or goes on."""
        result = list(words)
        for a, b in sentences(question, words):
            for i in range(a, b):
                word = result[i]
                before = words[i - 1].lower if i > a else ""
                asks = i == a or before in {"please", "you", "we", "then", "and", ",", "also", "or"}
                following = words[i + 1].lower if i + 1 < b else ""
                asks = asks or (before == "to" and following in {"if", "whether"})
                told = (word.lower in _IMPERATIVES and _asks_something(words[i:b])) or _does(words[i:b])
                if asks and told and following not in {"", "-"} and not self._heads(words, i):
                    result[i] = Word(word.text, "give", "give", word.start, word.end, "word")
                    if word.lower in _DOING:
                        _drop_study(result, i, b)
        return [w for w in result if w.lower]

    def _heads(self, words: Sequence[Word], at: int) -> bool:
        """Whether a word that may tell what to do is a noun here: “check amounts”, “estimate error”."""
        named = self._names(words[at])
        pair = self._vocabulary.named(" ".join(w.lower for w in words[at : at + 2]))
        behind = words[at + 1].lower if at + 1 < len(words) else ""
        part = self._vocabulary.part(words[at].lower)
        nominal = part and behind not in _BEHIND_A_VERB
        return bool(named or [x for x in pair if x.kind is not LinkKind.TABLE or x.quality > 0.9] or nominal)


_BEHIND_A_VERB = words_of(
    "the a an if whether any all each how which what for that this these our whether there and"
)


def _described(question: str, words: Sequence[Word]) -> list[Word]:
    """“Describe the 'Age' column.”: of a column that is all a sentence names, its distribution."""
    result: list[Word] = []
    for a, b in sentences(question, words):
        said = [w for w in words[a:b] if w.lower not in _DETERMINERS and w.kind != "symbol"]
        lead = [w.lower for w in said[:-1]]
        told = lead in ([x] for x in _DESCRIBING) or lead in (
            ["tell", "me", "about"],
            ["tell", "us", "about"],
        )
        if told and said[-1].kind == HEADING:
            first = words[a]
            result += [replace(first, lower=w, stem=w) for w in ("distribution", "of")] + [said[-1]]
        else:
            result += words[a:b]
    return result


def _counting_rows(question: str, words: Sequence[Word]) -> list[Word]:
    """“Count the rows where …”: a verb there, also where a column is called count."""
    result: list[Word] = []
    for a, b in sentences(question, words):
        noun = next(
            (k for k in range(a + 1, b) if words[k].lower not in {"the", "all", "number", "of"}), None
        )
        known = operators().get((words[noun].lower,)) if noun is not None else None
        if noun is not None and words[a].lower == "count" and known is not None and known.op is Op.ROWS:
            result += [replace(words[a], lower=w, stem=w) for w in ("how", "many")]
            a = noun
        result += words[a:b]
    return result


def _asks_something(words: Sequence[Word]) -> bool:
    """Not “verify my account”: what is only to be looked after asks for no figure."""
    if words[0].lower not in _LOOKING_AFTER:
        return True
    known = [operators().get((w.lower,)) for w in words[1:]]
    asked = any(x is not None and x.op in _ASKING for x in known) or any(w.kind == HEADING for w in words)
    return asked or any(w.lower in {"if", "whether", "any", "how", "which", "what"} for w in words)


def _does(words: Sequence[Word]) -> bool:
    """“do a trend analysis”: a verb that says as much as the study behind it."""
    said = [w.lower for w in words[1:7]]
    return words[0].lower in _DOING and said[:1] in (["a"], ["an"], ["out"]) and bool(_STUDIES & {*said})


def _drop_study(words: list[Word], at: int, end: int) -> None:
    """Without the “analysis” that is to be performed, where the word before says of what sort."""
    for j in range(at + 1, min(end, at + 7)):
        if words[j].lower not in _STUDIES:
            continue
        known = operators().get((words[j - 1].lower,))
        if known is not None and known.op in (Op.KIND, Op.MISSING, Op.AGGREGATE):
            words[j] = replace(words[j], lower="", stem="")
        elif all(w.lower in _THOROUGH for w in words[at + 1 : j]) and j + 1 < end:
            split = any(w.lower in {"by", "per", "each", "across", "and"} for w in words[j + 1 : end])
            named = "" if split else "distribution"  # of one thing alone, how its values lie
            words[at + 1 : j] = [replace(w, lower="", stem="") for w in words[at + 1 : j]]
            words[j] = replace(words[j], lower=named, stem=named)
        return


def _without_number(question: str, words: Sequence[Word]) -> list[Word]:
    """Without the numbers of questions, “2.”, “b)”, “Question 3:”, unless a list counts on from one inside a sentence."""
    if enumerated(words):
        return list(words)
    match = _NUMBERING.match(question)
    plain = [w for w in words if w.start >= match.end()] if match is not None else list(words)
    idle: set[int] = set()
    for a, b in sentences(question, plain):
        mark = plain[a].lower
        marks = (mark.isdigit() and len(mark) < 3) or (mark.isalpha() and len(mark) == 1)
        closed = b - a > 1 and plain[a + 1].lower == ")"
        if marks and (b - a == 1 or closed):
            idle |= {a, a + 1} if closed else {a}
    return [w for i, w in enumerate(plain) if i not in idle]


def _spelt_out(words: Sequence[Word]) -> list[Word]:
    """“processing delay (PD) … the PD”: initials in brackets repeat the words before, and stand for them later."""
    result = list(words)
    i = 1
    while i + 2 < len(result):
        short = result[i + 1]
        n = len(short.lower)
        phrase = result[i - n : i] if i >= n else []
        bracket = result[i].lower == "(" and result[i + 2].lower == ")" and short.kind == "word"
        if bracket and 2 <= n <= 5 and "".join(w.lower[:1] for w in phrase) == short.lower:
            behind = [
                replace(p, text=w.text, start=w.start, end=w.end) if w.lower == short.lower else w
                for w in result[i + 3 :]
                for p in (phrase if w.lower == short.lower else phrase[:1])
            ]
            result = [*result[:i], *behind]
        i += 1
    return result


def _without_leading(question: str, words: Sequence[Word]) -> list[Word]:
    """Without “Then,”, “Additionally,” and “If so,” before a clause."""
    idle: set[int] = set()
    for a, b in sentences(question, words):
        if b - a > 2 and words[a].lower in _LEADING and words[a + 1].lower == ",":
            idle |= {a, a + 1}
        if b - a > 3 and tuple(w.lower for w in words[a : a + 3]) in _LEADING_PHRASES:
            idle |= {a, a + 1, a + 2}
        if b - a > 2 and words[a].lower == "if" and words[a + 1].lower in {"so", "yes", "true", "any"}:
            idle |= {a, a + 1, *([a + 2] if words[a + 2].lower == "," else [])}
    return [w for i, w in enumerate(words) if i not in idle]


def _text(question: str, words: Sequence[Word]) -> str:
    return question[words[0].start : words[-1].end].strip(" .,;")
