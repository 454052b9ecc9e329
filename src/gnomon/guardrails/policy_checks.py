"""The named checks that a policy rule can ask for: each finds spans of a text that break the rule."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gnomon.core.answer import Fact
from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary, words

Span = tuple[int, int]
TextCheck = Callable[[str], Iterator[Span]]

_PATH = regex(r"(?<![\w/:.])(?:/(?:home|root|etc|var|usr|opt|tmp|mnt|srv|app|data|work|Users|private|proc|dev)(?:/[\w.@+-]+)+/?|[A-Za-z]:\\(?:[\w .-]+\\)*[\w.-]+|~/[\w./-]+|file://\S+)")  # fmt: skip
_QUERY = regex(
    r"\bSELECT\b[^;.\n]{1,400}?\bFROM\b[^;\n]{0,300}|\b(?:INSERT\s+INTO|DELETE\s+FROM|DROP\s+TABLE|CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW)|ALTER\s+TABLE|UPDATE\s+\w+\s+SET|TRUNCATE\s+TABLE)\b[^;\n]{0,300};?"
)
_TRACE = regex(
    r"Traceback \(most recent call last\):(?:.*\n?)*?.*(?:Error|Exception)\b[^\n]*|^\s*File \"[^\"]+\", line \d+.*$|\bat [\w$.]+\([\w.]+:\d+\)|\b0x[0-9a-fA-F]{8,}\b",
    re.MULTILINE,
)
_SECRET = regex(
    r"""\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}\b
    |\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}\b|\bAIza[0-9A-Za-z_-]{35}\b
    |\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{6,}|-----BEGIN[ A-Z]*PRIVATE\ KEY-----(?:[\s\S]*?-----END[ A-Z]*-----)?
    |\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?|redis|amqp)://[^\s:@/]+:[^\s@/]+@\S+
    |(?i:\b(?:password|passwd|pwd|secret|api[_ -]?key|access[_ -]?token|auth[_ -]?token|bearer)\b\s*(?:[:=]|\bis\b)\s*['"]?(?=\S*[\d\W_])[^\s'",;]{6,})
    |(?i:\bbearer\s+)[A-Za-z0-9._-]{20,}""",
    re.VERBOSE,
)
_TOKEN = regex(r"(?<![\w/+-])[A-Za-z0-9+/_-]{32,}={0,2}(?![\w/+-])")
_NAME = r"(?-i:(?:Mr|Mrs|Ms|Dr)\.?\s+[A-Z][\w'’-]+|[A-Z][a-zà-ÿ'’-]+\s+[A-Z][a-zà-ÿ'’-]+)"
_ATTRIBUTE = r"(?:gay|lesbian|bisexual|transgender|homosexual|muslim|jewish|christian|hindu|buddhist|catholic|atheist|pregnant|disabled|autistic|hiv[- ]positive|an?\s+(?:muslim|jew|christian|hindu|buddhist|catholic|immigrant|refugee|convict|criminal|felon|alcoholic|addict)|depressed|diabetic|schizophrenic|bipolar|of\s+\w+\s+(?:origin|descent|ethnicity))"  # fmt: skip
_PROTECTED = regex(
    rf"{_NAME}\s+(?:is|was|may\s+be|might\s+be|must\s+be|is\s+(?:probably|likely|certainly)|appears\s+to\s+be|identifies\s+as|turned\s+out\s+to\s+be)\s+(?:probably\s+|likely\s+)?{_ATTRIBUTE}\b"
    rf"|{_NAME}\s+(?:has|had|suffers\s+from|was\s+diagnosed\s+with)\s+(?:been\s+)?(?:hiv|aids|cancer|depression|diabetes|a\s+disability|a\s+mental\s+illness|schizophrenia|dementia)\b"
    rf"|{_NAME}[’']s\s+(?:religion|ethnicity|race|sexual\s+orientation|disability|diagnosis|political\s+views?)\s+(?:is|was)\b",
    re.IGNORECASE,
)
_SENSITIVE = vocabulary(
    "salary salaries wage wages income pay payroll bonus diagnosis diagnoses disease illness hiv "
    "pregnancy disability religion ethnicity race orientation conviction convictions debt therapy "
    "medication depression iq"
)
_PERSONS = vocabulary(
    "person persons people patient patients employee employees student students citizen citizens "
    "resident residents respondent respondents applicant applicants worker workers staff headcount "
    "member members inhabitant inhabitants"
)  # fmt: skip


_CUSTOMERS = vocabulary(
    "customer customers client clients user users passenger passengers driver drivers guest guests tenant tenants "
    "donor donors volunteer volunteers player players teacher teachers nurse nurses doctor doctors candidate candidates"
)


def file_path(text: str) -> Iterator[Span]:
    """Paths of files and folders."""
    return (m.span() for m in _PATH.finditer(text))


def query_text(text: str) -> Iterator[Span]:
    """Statements of a query language."""
    return (m.span() for m in _QUERY.finditer(text))


def stack_trace(text: str) -> Iterator[Span]:
    """Stack traces and addresses in memory."""
    return (m.span() for m in _TRACE.finditer(text))


def secret(text: str) -> Iterator[Span]:
    """Keys, tokens and passwords: by their shapes, and long tokens that look random."""
    yield from (m.span() for m in _SECRET.finditer(text))
    for m in _TOKEN.finditer(text):
        if _random(m.group()):
            yield m.span()


def protected_attribute(text: str) -> Iterator[Span]:
    """Claims about a protected attribute of a named person."""
    return (m.span() for m in _PROTECTED.finditer(text))


def small_groups(facts: Sequence[Fact], minimum: int) -> list[Fact]:
    """Sensitive facts about groups whose number of persons, told by another fact, is below the minimum."""
    sizes: dict[tuple[tuple[str, str], ...], float] = {}
    for f in facts:
        if f.about.group and _counts_persons(f) and isinstance(f.value, (int, float)):
            sizes[tuple(sorted(f.about.group.items()))] = float(f.value)
    return [
        f
        for f in facts
        if f.about.group
        and is_sensitive(f"{f.name} {f.about.metric or ''}")
        and not _counts_persons(f)
        and 0 < sizes.get(tuple(sorted(f.about.group.items())), math.inf) < minimum
    ]


def is_sensitive(name: str) -> bool:
    """Whether a name speaks of something that people keep to themselves."""
    return bool(_SENSITIVE & set(words(name.replace(".", " "))))


def names_persons(name: str) -> bool:
    """Whether a table of that name has persons as its rows."""
    return bool(set(words(name)) & (_PERSONS | _CUSTOMERS))


def counts_persons(name: str) -> bool:
    """Whether a column of that name counts persons."""
    found = set(words(name))
    return bool(found & _PERSONS) and not found & _SENSITIVE and not found & {"name", "id", "names"}


@dataclass(frozen=True)
class PersonsBehind:
    """Whom an answer about persons is about, and what of them.

    Args:
        about: The columns, and the values of conditions, that it is about.
        least: The fewest persons behind one of its figures or groups; None where that is not known.
        listed: Whether persons are named one by one.
        average: Whether it is one average, of nothing broken down.
    """

    about: tuple[str, ...]
    least: int | None
    listed: bool = False
    average: bool = False


def few_persons(behind: PersonsBehind, minimum: int) -> bool:
    """Whether persons are named, or fewer of them stand behind a figure than the minimum."""
    return behind.listed or (behind.least is not None and 0 < behind.least < minimum)


def one_person(behind: PersonsBehind, minimum: int) -> bool:
    """Whether an average is the figure of a single person."""
    return behind.average and behind.least == 1


PersonCheck = Callable[[PersonsBehind, int], bool]


def topic_of(about: Sequence[str], topics: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """The topic that one of the names or values speaks of, and the one that does."""
    for text in about:
        said = f" {' '.join(words(text))} "
        for topic, terms in topics.items():
            if any(f" {form} " in said for term in terms for form in (term, f"{term}s")):
                return topic, text
    return None


def _counts_persons(fact: Fact) -> bool:
    return counts_persons(f"{fact.name} {fact.about.metric or ''} {fact.unit or ''}".replace(".", " "))


def _random(token: str) -> bool:
    if not (re.search(r"\d", token) and re.search(r"[a-z]", token) and re.search(r"[A-Z]", token)):
        return re.fullmatch(r"[0-9a-f]{40,}|[0-9A-F]{40,}", token) is not None
    counts = Counter(token)
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts.values()) > 3.8


TEXT_CHECKS: dict[str, TextCheck] = {
    "file_path": file_path,
    "query_text": query_text,
    "stack_trace": stack_trace,
    "secret": secret,
    "protected_attribute": protected_attribute,
}
PERSON_CHECKS: dict[str, PersonCheck] = {"few_persons": few_persons, "one_person": one_person}
FACT_CHECKS = frozenset({"small_group", *PERSON_CHECKS})
CHECKS = frozenset(TEXT_CHECKS) | FACT_CHECKS
