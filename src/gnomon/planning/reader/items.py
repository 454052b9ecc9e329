"""Everything that the words of a question may mean: names, values, times, numbers and the closed vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from gnomon.core.parts import FilterOperator
from gnomon.core.patterns import regex
from gnomon.embedding.lexicon import get_lexicon
from gnomon.language import find_quantities
from gnomon.language.time_grammar import find_times
from gnomon.language.time_words import MONTHS
from gnomon.planning.reader.asked_periods import existing, peaks
from gnomon.planning.reader.associations import adjective, associations, is_meant_otherwise
from gnomon.planning.reader.date_names import date_names
from gnomon.planning.reader.elliptic_times import with_left_out
from gnomon.planning.reader.lattice import Item, is_filler, merge
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.number_items import number_items
from gnomon.planning.reader.operators import FILLERS, LONGEST, Op, Operator, operator_words, operators
from gnomon.planning.reader.owners import is_possessive
from gnomon.planning.reader.parts_of_values import (
    is_counted,
    is_head,
    is_kind_in_names,
    is_of_its_column,
    is_prefixed,
    is_title,
    names_rows,
    without_rows,
)
from gnomon.planning.reader.people import is_somebody
from gnomon.planning.reader.percentiles import covering, percentiles
from gnomon.planning.reader.period_changes import graded_changes
from gnomon.planning.reader.range_ends import begins_range
from gnomon.planning.reader.sides import PREFIXES
from gnomon.planning.reader.signed_values import signed
from gnomon.planning.reader.spans_between import spans_between
from gnomon.planning.reader.unheard import is_spoken_of
from gnomon.planning.reader.vocabulary import LinkKind, NamedSpan, Vocabulary
from gnomon.planning.reader.words import Word, fold, is_known_word
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.model import singular
from gnomon.semantic.values import ValueIndex, ValueMatch


def candidate_items(
    question: str, words: Sequence[Word], vocabulary: Vocabulary, index: ValueIndex, today: date
) -> list[Item]:
    """All items over the words, those over the same words merged."""
    found: list[Item] = []
    found += [
        Item(s.start, s.end, links=s.links)
        for s in vocabulary.find(words)
        if not _is_share_of_doers(words, s.start, s.end)
        and not _is_predicate(words, s, vocabulary)
        and not _is_done_by_us(words, s)
        and not is_possessive(question, words, s, vocabulary)
    ]
    found += spans_between(words, vocabulary.model)
    found += _flag_verbs(words, vocabulary) + date_names(words, vocabulary)
    found += _values(words, index, vocabulary)
    operators_said = _operators(words, vocabulary)
    found += _states_led_to(operators_said, found, vocabulary) + operators_said
    ordinals = _ordinals(words, vocabulary)
    counted = {x.start for x in ordinals}
    times = [
        t for t in _times(question, words, today, vocabulary) if not _is_called(t, found, words, vocabulary)
    ]
    found = [x for x in found if not (x.links and any(_is_month_of(x, t, words) for t in times))]
    found += [x for x in times if x.end - 1 not in counted] + ordinals
    found += number_items(question, words, vocabulary)
    found += percentiles(question, words)
    found += vocabulary.spoken.items(words) if vocabulary.spoken is not None else []
    found += [
        Item(i, i + 1, literal=w.text.strip("\"'“”")) for i, w in enumerate(words) if w.kind == "quoted"
    ]
    known = associations()
    for i, word in enumerate(words):
        if (association := known.get(word.lower) or known.get(fold(word.text))) is not None:
            found.append(Item(i, i + 1, association=association))
    found += _adjectives(words, vocabulary, found)
    if vocabulary.has_people:
        people = [i for i, w in enumerate(words) if w.lower in {"people", "persons", "individuals"}]
        found += [Item(i, i + 1, operator=Operator(Op.ROWS)) for i in people]
    if vocabulary.opaque:
        found += _row_nouns(words, found, vocabulary)
    items = merge(found)
    _date_states(items, vocabulary)
    _sooner_values(items, words, vocabulary)
    if vocabulary.spoken is not None:
        vocabulary.spoken.taken(items, words)
    common = vocabulary.words | operator_words()
    for item in items:
        said = [w.lower for w in words[item.start : item.end]]
        named = any(w in vocabulary.words and (w,) not in operators() for w in said)  # not "in progress"
        item.plain = len(said) > 1 and named and not item.is_placed and common.issuperset(said)
        item.text = question[words[item.start].start : words[item.end - 1].end]
    return items


_BEFORE = frozenset({"in", "the", "on", "at", "for", "of"})
_BETWEEN = frozenset({"between", "from", "of", "and", "or", "to", "-", "–", ",", "vs", "versus"})


def _is_called(time: Item, found: Sequence[Item], words: Sequence[Word], vocabulary: Vocabulary) -> bool:
    """“in the morning”, where the data itself calls a shift so: its own word goes before hours that are only usual.

    “Q1” is the first question where a heading says so, and its rows have no dates. “The highest hours” are those of a
    column of numbers that is called so, and no step of time.
    """
    if (
        time.time is not None
        and time.time.kind == "grain"
        and _is_amount_of_time(time, found, words, vocabulary)
    ):
        return True
    within = [x for x in found if time.start <= x.start and x.end <= time.end]
    links = [(x, k) for x in within for k in x.links if k.kind is LinkKind.DIMENSION and k.quality > 0.9]
    taken = {i for x, _ in links for i in range(x.start, x.end)}
    rest = {words[i].lower for i in range(time.start, time.end) if i not in taken}
    years = any(
        words[i].text.isdigit() for i in range(time.start, time.end)
    )  # of columns by year, all between two
    named = [k.name for _, k in links] if rest <= _BETWEEN and not years else []
    homes = {vocabulary.model.dimension(n).home.table for n in named}
    if homes and all(vocabulary.model.table(t).time_dimension is None for t in homes):
        return True
    vague = time.time is not None and time.time.kind == "recurring" and time.time.note != ""
    told = {i for x in within if x.values for i in range(x.start, x.end)}
    alone = all(
        i in told or words[i].lower in _BEFORE for i in range(time.start, time.end)
    )  # "in the evenings"
    kinds = ("exact", "stem") if alone else ("exact",)
    held = {v.dimension for x in within for v in x.values if v.kind in kinds}
    near = [x for x in found if time.end == x.start or x.end == time.start]
    beside = {k.name for x in near for k in x.links}  # "the spring term", "hall H2"
    return bool(held) and (vague or bool(held & beside))


def _states_led_to(said: Sequence[Item], found: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """“under warranty”: a word for less right before a flag bounds nothing and belongs to it; “over” may mean across."""
    flags = [x for x in found if any(
        k.kind is LinkKind.DIMENSION and k.quality > 0.9 and vocabulary.model.dimension(k.name).type is DimensionType.BOOLEAN
        for k in x.links[:1]
    )]  # fmt: skip
    less = [o for o in said if o.operator == Operator(Op.COMPARE_NUMBER, FilterOperator.LESS)]
    pairs = [(o, x) for o in less for x in flags if o.end == x.start]
    return [Item(o.start, x.end, links=x.links) for o, x in pairs]


def _is_amount_of_time(
    time: Item, found: Sequence[Item], words: Sequence[Word], vocabulary: Vocabulary
) -> bool:
    """Whether a unit of time is the whole name of a measure, and said to be large, small or averaged."""
    before = operators().get((words[time.start - 1].lower,)) if time.start else None
    measured = before is not None and before.op in (Op.RANK, Op.AGGREGATE)
    many = time.end == time.start + 1 and words[time.start].lower.endswith("s")
    links = [
        k for x in found if (x.start, x.end) == (time.start, time.end) for k in x.links if k.quality >= 1
    ]
    return measured and many and any(
        k.kind is LinkKind.METRIC
        or (k.kind is LinkKind.DIMENSION and vocabulary.model.dimension(k.name).type is DimensionType.NUMBER)
        for k in links
    )  # fmt: skip


def _is_month_of(item: Item, time: Item, words: Sequence[Word]) -> bool:
    """The March of “March 2010”, where a column is called so: its year tells the time."""
    last = item.end - 1
    return time.start <= last and item.end < time.end and words[last].lower in MONTHS


def _adjectives(words: Sequence[Word], vocabulary: Vocabulary, found: Sequence[Item]) -> list[Item]:
    """“the windiest day”, where the data has a column about wind and the word means nothing else."""
    bound = {i for item in found for i in range(item.start, item.end)}
    items: list[Item] = []
    for i, word in enumerate(words):
        if word.kind != "word" or i in bound or is_filler(word):
            continue
        ranked = i > 0 and words[i - 1].lower in {"most", "least"}
        meant = adjective(word.lower)
        if meant is None or not (ranked or meant.superlative or meant.comparative):
            continue
        if any(vocabulary.named(noun) or vocabulary.part(noun) for noun in meant.nouns):
            items.append(Item(i, i + 1, association=meant))
    return items


def _is_predicate(words: Sequence[Word], span: NamedSpan, vocabulary: Vocabulary) -> bool:
    """“orders valued at 150”, “exams scored between …”: before a number a participle says what its noun did."""
    last, following = words[span.end - 1], words[span.end].lower if span.end < len(words) else ""
    if span.end - span.start < 2 or not last.lower.endswith("ed") or span.links[0].quality >= 1:
        return False
    noun = vocabulary.named(" ".join(w.lower for w in words[span.start : span.end - 1]))
    return following in _TO_A_NUMBER and any(x.kind is LinkKind.TABLE for x in noun)


def _is_done_by_us(words: Sequence[Word], span: NamedSpan) -> bool:
    """“how much did we make”: behind “did we” stands a verb with a meaning of its own, not the make of a car."""
    word = words[span.start]
    asked = [w.lower for w in words[max(0, span.start - 2) : span.start]]
    doing = (
        len(asked) == 2 and asked[0] in {"did", "do", "does"} and asked[1] in {"we", "they", "you", "i", "it"}
    )
    named = all(x.kind is LinkKind.DIMENSION for x in span.links)
    return doing and named and span.end == span.start + 1 and word.lower in associations()


_TO_A_NUMBER = frozenset(
    {"at", "between", "over", "above", "under", "below", "more", "less", "from", "exactly"}
)
_ORDINAL = regex(r"(\d{1,3})(?:st|nd|rd|th)")


def _ordinals(words: Sequence[Word], vocabulary: Vocabulary) -> list[Item]:
    """“the 5th floor”: before a column that numbers things, one of them and no day of a month."""
    found: list[Item] = []
    for i, word in enumerate(words[:-1]):
        match = _ORDINAL.fullmatch(word.lower)
        named = vocabulary.named(words[i + 1].lower) if match else ()
        if match and any(x.kind is LinkKind.DIMENSION and not vocabulary.is_time(x.name) for x in named):
            found.append(Item(i, i + 1, operator=Operator(Op.ORDINAL, int(match[1]))))
    return found


_BEHIND_A_RATE = frozenset(
    {"in", "for", "by", "per", "on", "at", "during", "from", "of", "over", "and", "or", "vs", "versus", "than", "this",
     "last", "since", "until", "between", "before", "after", "today", "yesterday", "each", "every", "across", "among",
     "within", "with", "without", "excluding", "is", "was", "has", "did", "do", "does", "compared", "as", "to", "only"}
)  # fmt: skip


def _is_share_of_doers(words: Sequence[Word], start: int, end: int) -> bool:
    """“share of returned orders that came from …” is no rate: what follows says what those orders did."""
    if words[start].lower not in {"share", "percentage", "percent", "proportion", "fraction"} or end >= len(
        words
    ):
        return False
    behind = words[end]
    return behind.kind == "word" and behind.lower not in _BEHIND_A_RATE and not behind.text[:1].isupper()


def _values(words: Sequence[Word], index: ValueIndex, vocabulary: Vocabulary) -> list[Item]:
    """Values, unless they hang by too few of their words, or the words only hold the sentence together."""
    spans: dict[tuple[int, int], list[ValueMatch]] = {}
    short: list[ValueMatch] = []
    candidates = list(signed(index.find([w.lower for w in words]), words))
    sides = {m.dimension for m in candidates if _is_plainly(m, words)}
    for found in candidates:
        match = without_rows(found, words, vocabulary)
        span = words[match.start : match.end]
        told = sum(len(w.lower) for w in span) / max(1, len(str(match.value).replace(" ", "")))
        plain = all(w.lower in FILLERS for w in span)
        named = match.kind == "exact" and any(w.text[:1].isupper() and w.start > 0 for w in span)
        # "ended in a draw": behind an article it is a noun, whatever it does elsewhere
        named |= match.kind == "exact" and match.start > 0 and words[match.start - 1].lower in {"a", "an"}
        named |= match.kind == "exact" and _is_state(words, match, vocabulary)
        named |= span[-1].kind == "symbol"  # "A+" is no article
        # "website or agency bookings": beside another value of its column
        named |= match.kind == "exact" and match.dimension in sides and len(span[0].lower) > 3
        named |= match.kind == "exact" and is_of_its_column(words, match, vocabulary)
        single = match.kind == "exact" and match.end == match.start + 1
        named |= single and is_spoken_of(words, match.start, vocabulary)
        known = all(is_known_word(w.lower) for w in span) or _denies(span[0].lower, str(match.value).lower())
        if (match.kind == "fuzzy" and known) or is_title(words, match, vocabulary):
            continue  # "worth" is a word of its own, not a misspelt north; "uninsured" is not insured
        several = singular(span[0].lower) == str(match.value).lower() and vocabulary.tells_kinds(
            match.dimension
        )
        whole = match.kind == "exact" or (match.kind == "stem" and (several or len(span) > 1))
        loose = not whole and match.dimension in vocabulary.scattered
        loose |= match.kind == "fuzzy" and span[0].lower in {"a", "an", "the"}
        loose |= match.kind == "partial" and (is_counted(words, match) or is_prefixed(words, match))
        loose |= match.kind == "partial" and names_rows(span, vocabulary)
        loose |= match.kind == "partial" and is_kind_in_names(words, match, vocabulary)
        if (plain or loose) and not named:
            continue
        if match.kind == "partial" and told < 0.45 and not is_head(words, match, index):
            short.append(match)
            continue
        spans.setdefault((match.start, match.end), []).append(match)
    for match in short:  # a word that leads to one value of a column leads to the others that have it too
        held = spans.get((match.start, match.end), ())
        if held and match.dimension in {m.dimension for m in held} and held[0].kind == "partial":
            spans[match.start, match.end].append(match)
    for i, word in enumerate(words):
        end = _signed_end(words, i)
        text = "".join(w.text for w in words[i:end])
        coded = [d for d in vocabulary.dimensions if text in index.values(d)[:500]] if end > i + 1 else []
        if coded:  # "A+", whose letter is an article elsewhere, and another value here
            for span in [s for s in spans if i in range(*s) and s[1] <= i + 1]:
                del spans[span]
            spans[i, end] = [ValueMatch(i, end, d, text, 1.0, "exact") for d in coded]
            continue
        letter = len(word.text) == 1 and word.kind == "word" and i > 0 and word.text not in {"a", "i", "I"}
        if letter or (
            word.text.isupper()
            and len(word.text) > 1
            and (word.lower in FILLERS or (word.lower,) in operators())
        ):
            spans.setdefault((i, i + 1), []).extend(
                ValueMatch(i, i + 1, d, word.text, 1.0, "exact")
                for d in vocabulary.dimensions
                if word.text in index.values(d)[:500]
            )
    return [
        Item(start, end, values=tuple(sorted(matches, key=lambda m: (-m.score, m.dimension, str(m.value)))))
        for (start, end), matches in spans.items()
        if matches
    ]


def _is_plainly(match: ValueMatch, words: Sequence[Word]) -> bool:
    """Whether words say a value outright, and have no other part in a sentence."""
    span = words[match.start : match.end]
    return match.kind == "exact" and not any(w.lower in FILLERS or w.kind != "word" for w in span)


def _signed_end(words: Sequence[Word], i: int) -> int:
    """Where the signs end that are written to a word: A+, B-, C++, F#."""
    end = i + 1
    while (
        end < len(words)
        and words[end].start == words[end - 1].end
        and words[end].text in {"+", "-", "#", "*"}
    ):
        end += 1
    behind = words[end] if end < len(words) else None
    return (
        i + 1 if behind is not None and behind.start == words[end - 1].end and behind.kind == "word" else end
    )


def _denies(word: str, value: str) -> bool:
    """Whether one of two words is the other with a prefix that denies it."""
    return any(p + value == word or p + word == value for p in PREFIXES)


def _flag_verbs(words: Sequence[Word], vocabulary: Vocabulary) -> list[Item]:
    """“who smoke”, “smoked”, where a flag is called smoker."""
    found: list[Item] = []
    for i, word in enumerate(words):
        bases = [base for base, part in get_lexicon().bases(word.lower) if part == "v" and len(base) > 3]
        flag = next((x for base in bases if (x := vocabulary.flag_of_doers(base))), ())
        if flag and not vocabulary.named(word.lower):
            found.append(Item(i, i + 1, links=flag))
    return found


def _sooner_values(items: Sequence[Item], words: Sequence[Word], vocabulary: Vocabulary) -> None:
    """“severe events”, of a column severity that holds Severe: the value is said, the column only resembles it."""
    for item in items:
        held = {v.dimension for v in item.values if v.kind == "exact"}
        if held and item.links and item.links[0].name in held and item.links[0].quality < 1:
            item.links = tuple(x for x in item.links if x.name not in held)
        if held and item.end == item.start + 1 and get_lexicon().is_participle(words[item.start].lower):
            item.links = tuple(x for x in item.links if x.quality == 1 or not vocabulary.is_figure(x))


def _date_states(items: Sequence[Item], vocabulary: Vocabulary) -> None:
    """“were resolved in May”: before a time, a state that has a date of its own says which date is meant."""
    for item in items:
        if not item.values or not any(x.time and 0 <= x.start - item.end <= 2 for x in items):
            continue
        named = item.named(LinkKind.DIMENSION)
        if named is not None and named.quality > 0.9 and vocabulary.is_time(named.name):
            item.values = ()


_COPULAS = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "got", "still", "already", "not", "currently"}
)


def _is_state(words: Sequence[Word], match: ValueMatch, vocabulary: Vocabulary) -> bool:
    """“were issued”, “available rooms”: one of few states, said as one, though the word is idle elsewhere.

    Not before a time where a column holds the day on which it happened.
    """
    word = words[match.start]
    if match.end != match.start + 1 or match.dimension in vocabulary.scattered or not _describes(word.lower):
        return False
    behind = match.start > 0 and words[match.start - 1].lower in _COPULAS
    following = words[match.end] if match.end < len(words) else None
    before = following is not None and (
        any(x.kind is LinkKind.TABLE for x in vocabulary.named(following.lower))
        or (is_somebody(following.lower) and words[match.start - 1].lower not in {"every", "each", "a"})
    )
    return behind or before


def _describes(word: str) -> bool:
    """Whether a word is a participle or an adjective."""
    lexicon = get_lexicon()
    return lexicon.is_participle(word) or any(part == "a" for _, part in lexicon.bases(word))


def _operators(words: Sequence[Word], vocabulary: Vocabulary) -> list[Item]:
    known = operators()
    said = tuple(w.lower for w in words)
    found: list[Item] = []
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + LONGEST) + 1):
            operator = known.get(said[start:end])
            if operator and is_meant_otherwise(operator, said, start, vocabulary.words):
                continue  # "how many drivers were there" asks for people, not for causes
            if (
                operator is not None
                and operator.op is Op.COUNT
                and not vocabulary.counts.isdisjoint(said[start:end])
            ):
                continue  # the data has a column of counts: "total count of …" adds it up
            if (
                operator is not None
                and operator.op in (Op.BENCHMARK, Op.SHARE)
                and _is_column(words[start:end], vocabulary)
            ):
                continue  # "which industry", "which part": a column of the data goes before what others have
            if operator is not None and operator.op is Op.FILLER and _counts_places(words, end):
                continue  # "the three categories with the heaviest …"
            if operator is not None and operator.op is Op.RANK and _tops(words, start, end):
                operator = Operator(Op.COMPARE_NUMBER, FilterOperator.GREATER)
            if end == start + 1 and begins_range(words, start):
                operator = Operator(Op.COMPARE_NUMBER, FilterOperator.AT_LEAST)
            if operator is not None and words[start].lower == "within" and _is_length(words, end):
                operator = Operator(Op.COMPARE_NUMBER, FilterOperator.AT_MOST)
            if operator is not None:
                found.append(Item(start, end, operator=operator))
    return [
        *graded_changes(words),
        *peaks(words),
        *existing(words),
        *found,
        *_set_aside(words),
        *_or_graded(words),
    ]


def _is_column(words: Sequence[Word], vocabulary: Vocabulary) -> bool:
    asked = words[1:] if words[0].lower in {"which", "what"} else words
    named = vocabulary.named(asked[0].lower) if len(asked) == 1 else ()
    return any(x.kind is LinkKind.DIMENSION and x.quality > 0.95 for x in named)


def _or_graded(words: Sequence[Word]) -> list[Item]:
    """“5 kg or lighter”: behind a number an adjective that compares says which end it is."""
    known, found = associations(), list[Item]()
    for i in range(1, len(words) - 1):
        said = known.get(words[i + 1].lower) if words[i].lower in {"or", "and"} else None
        numbered = any(w.kind == "number" for w in words[max(0, i - 2) : i])
        ends = i + 2 >= len(words) or words[i + 2].lower != "than"
        if said is not None and said.comparative and numbered and ends and said.nouns[0] != "speed":
            end = FilterOperator.AT_LEAST if said.descending else FilterOperator.AT_MOST
            found.append(Item(i, i + 2, operator=Operator(Op.OR_MORE, end)))
    return found


def _tops(words: Sequence[Word], start: int, end: int) -> bool:
    """“did revenue top 20,000”: between what is measured and a number it is a verb."""
    if words[start].lower != "top" or end != start + 1 or end >= len(words) or start < 2:
        return False
    asked = any(w.lower in {"did", "does", "do", "to"} for w in words[:start])
    return asked and words[end].kind == "number" and not is_filler(words[start - 1])


def _is_length(words: Sequence[Word], at: int) -> bool:
    """“within ten days”: a number and a unit of time."""
    numbered = at + 1 < len(words) and bool(find_quantities(words[at].text))
    return numbered and unit_of_time(words[at + 1].lower) is not None


def _set_aside(words: Sequence[Word]) -> list[Item]:
    """“leaving November aside”: a verb and its particle around what is left out."""
    found: list[Item] = []
    for i, word in enumerate(words):
        if word.lower not in {"leaving", "leave", "setting", "putting"}:
            continue
        end = next(
            (j for j in range(i + 2, min(i + 7, len(words))) if words[j].lower in {"aside", "out"}), None
        )
        if end is not None:
            found += [
                Item(i, i + 1, operator=Operator(Op.EXCLUDE)),
                Item(end, end + 1, operator=Operator(Op.FILLER)),
            ]
    return found


_NUMERALS = frozenset({"two", "three", "four", "five"})


def _counts_places(words: Sequence[Word], end: int) -> bool:
    """Whether a phrase ends in the number of places of a ranking."""
    if words[end - 1].lower not in _NUMERALS:
        return False
    return any(w.lower.endswith("est") or w.lower in {"most", "least", "worst", "top"} for w in words)


def _row_nouns(words: Sequence[Word], found: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """“critical goals”: an unknown plural that takes a value of the only table as its adjective is what its rows are."""
    valued = {item.end for item in found if item.values and item.values[0].kind == "exact"}
    valued |= {item.end for item in found if any(vocabulary.is_flag(x) for x in item.links[:1])}
    bound = {
        i
        for item in found
        if item.links or item.values or item.operator or item.time
        for i in range(item.start, item.end)
    }
    return [
        Item(i, i + 1, operator=Operator(Op.ROWS))
        for i, word in enumerate(words)
        if word.kind == "word" and word.lower.endswith("s") and not is_filler(word) and i not in bound
        and (i in valued or [w.lower for w in words[i + 1 : i + 3]] == ["of", "each"])
    ]  # fmt: skip


def _times(question: str, words: Sequence[Word], today: date, vocabulary: Vocabulary) -> list[Item]:
    found: list[Item] = []
    for mention in with_left_out(question, list(find_times(question, today)), today):
        heard = vocabulary.calendar.heard(mention) if vocabulary.calendar is not None else mention
        span = covering(words, mention.start, mention.end)
        if span and heard is not None and heard.confidence >= 0.5:
            found.append(Item(*span, time=heard))
    return found
