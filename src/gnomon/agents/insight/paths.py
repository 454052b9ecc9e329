"""Domain paths: files that say how a kind of question is worked on, which a domain expert can edit.

A path holds the methods to apply, what an expert knows, how to ask a language model for prose, worked examples, and
playbook rules that turn a finding into advice. Files of the same domain add up: the shipped one, those for a kind of
business that the data is recognised as, and the user's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gnomon.core.errors import ConfigurationError, NotFound
from gnomon.core.safe_yaml import load_documents
from gnomon.planning.reader.words import name_words, root

SHIPPED = Path(__file__).parent / "domains"
MAX_FILES = 200
MAX_BYTES = 1_000_000
T = TypeVar("T")


class AnalyticalMethod(StrEnum):
    """What can be applied to retrieved data."""

    TIME_SERIES_ANALYSIS = "time_series"
    SEASONAL_ANALYSIS = "seasonal"
    TREND_ANALYSIS = "trend"
    BENCHMARK_ANALYSIS = "benchmark"
    CORRELATION_ANALYSIS = "correlation"
    DRIVER_ANALYSIS = "drivers"
    CAUSE_ANALYSIS = "causes"
    ANOMALY_ANALYSIS = "anomaly"
    FORECAST_ANALYSIS = "forecast"


class _Written(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class When(_Written):
    """The condition of a rule, over one finding; what is left out does not matter.

    Args:
        finding: The kind of finding: ``driver``, ``cause``, ``benchmark``, ``peer``, ``trend``, ``step``, ``season``,
            ``range``, ``correlation``, ``level``, ``unrecorded``, ``unrecorded everywhere``, ``mix`` (shares shifted),
            ``gap`` (days without rows), ``copies`` (rows that came twice).
        area: Sides of the business that it is about, such as ``inventory``.
        verdict: What was found about it, such as ``likely``.
        worse: Whether it is bad news.
        words: Words of which the measure's name has one.
        at_least: Smallest sizes of figures of the finding, by name.
    """

    finding: str
    area: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    worse: bool | None = None
    words: tuple[str, ...] = ()
    at_least: dict[str, float] = Field(default_factory=dict)


class PlaybookRule(_Written):
    """Advice for whoever has such a finding; braces name its figures and words.

    Args:
        id: Its name.
        when: The condition.
        advice: What to do, a clause without a full stop.
        effect: What it would bring, told with figures of the finding.
    """

    id: str
    when: When
    advice: str
    effect: str = ""


class DomainFile(_Written):
    """One document of a domain file.

    Args:
        domain: The domain that it describes or adds to.
        about: One sentence.
        data_has: Sides of a business, at least two of which the data must have for this document to count.
        methods: Methods to apply, in order.
        words: Words by which people ask for this and that are no names in the data.
        knowledge: What an expert knows, in sentences.
        prompt: What a language model is told to write.
        asks: Questions that belong here, to learn routing from.
        examples: Worked examples: question, reasoning, answer.
        playbook: Rules for advice.
        playbook_of: Other domains whose rules apply here as well.
    """

    domain: str = Field(pattern=r"^[a-z][a-z_]*$")
    about: str = ""
    data_has: tuple[str, ...] = ()
    methods: tuple[AnalyticalMethod, ...] = ()
    words: tuple[str, ...] = ()
    knowledge: str = ""
    prompt: str = ""
    asks: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    playbook: tuple[PlaybookRule, ...] = ()
    playbook_of: tuple[str, ...] = ()


class DomainPath(_Written):
    """How a question is worked on: one domain's path, or several merged.

    Args:
        domains: The domains that it stands for.
        analytical_methods: Methods to apply, in order.
        domain_knowledge: What experts know of them.
        prompt_template: What a language model is told to write.
        few_shot_examples: Worked examples.
        playbook: Rules that turn findings into advice.
        words: Words by which people ask for this.
    """

    domains: tuple[str, ...]
    analytical_methods: tuple[AnalyticalMethod, ...]
    domain_knowledge: str
    prompt_template: str
    few_shot_examples: tuple[str, ...]
    playbook: tuple[PlaybookRule, ...] = ()
    words: frozenset[str] = frozenset()

    @property
    def knowledge(self) -> tuple[str, ...]:
        """What is known, statement by statement: a line that ends no sentence goes on in the next."""
        found: list[str] = []
        for line in (part.strip() for part in self.domain_knowledge.splitlines()):
            if found and not found[-1].endswith((".", "!", "?")):
                found[-1] = f"{found[-1]} {line}".strip()
            elif line:
                found.append(line)
        return tuple(found)


class DomainPathRegistry:
    """The paths that there are.

    Args:
        files: Documents, those read later winning where only one can hold.
        data_has: Sides of the business that the data has; documents for other kinds of data are left out.
    """

    def __init__(self, files: Iterable[DomainFile], data_has: Collection[str] = ()) -> None:
        sides = set(data_has)
        self._files = [f for f in files if not f.data_has or len(sides & set(f.data_has)) >= 2]

    @cached_property
    def _paths(self) -> dict[str, DomainPath]:
        """Put together for the first question that takes one: a question for figures alone takes none."""
        paths = {d: _joined([f for f in self._files if f.domain == d]) for d in self.domains}
        for domain in self.domains:
            others = _distinct(o for f in self._files if f.domain == domain for o in f.playbook_of)
            rules = {r.id: r for o in others if o in paths for r in paths[o].playbook}
            rules |= {r.id: r for r in paths[domain].playbook}
            paths[domain] = paths[domain].model_copy(update={"playbook": tuple(rules.values())})
        return paths

    @classmethod
    def load_from_config(
        cls, folder: Path | None = None, data_has: Collection[str] = ()
    ) -> DomainPathRegistry:
        """The shipped paths with those of a user's folder.

        Raises:
            ConfigurationError: A file is not a sound path; the message names it and what is wrong.
        """
        return cls([*shipped_files(), *(_read(folder) if folder is not None else ())], data_has)

    @property
    def domains(self) -> tuple[str, ...]:
        """Every domain, in the order of the files."""
        return tuple(dict.fromkeys(f.domain for f in self._files))

    @property
    def asks(self) -> Sequence[tuple[str, str]]:
        """Labelled questions: (question, domain)."""
        return [(ask, f.domain) for f in self._files for ask in f.asks]

    def get_path(self, domains: Sequence[str]) -> DomainPath:
        """One path for several domains: everything that any of them has.

        Raises:
            NotFound: There is no such domain.
        """
        for d in domains:
            if d not in self._paths:
                raise NotFound.among("domain", d, self._paths)
        chosen = [self._paths[d] for d in dict.fromkeys(domains)]
        if len(chosen) == 1:
            return chosen[0]
        return DomainPath(
            domains=tuple(d for p in chosen for d in p.domains),
            analytical_methods=_distinct(m for p in chosen for m in p.analytical_methods),
            domain_knowledge="\n".join(p.domain_knowledge for p in chosen),
            prompt_template=chosen[0].prompt_template,
            few_shot_examples=_distinct(e for p in chosen for e in p.few_shot_examples),
            playbook=tuple({r.id: r for p in chosen for r in p.playbook}.values()),
            words=frozenset[str]().union(*(p.words for p in chosen)),
        )

    def speaks(self, word: str) -> bool:
        """Whether a word is one by which people ask for an insight, rather than a name of something in data."""
        return root(word.casefold()) in self._words

    @property
    def _words(self) -> frozenset[str]:
        return frozenset[str]().union(*(p.words for p in self._paths.values()))


def _joined(files: Sequence[DomainFile]) -> DomainPath:
    return DomainPath(
        domains=(files[0].domain,),
        analytical_methods=_distinct(m for f in files for m in f.methods),
        domain_knowledge="\n".join(f.knowledge.strip() for f in files if f.knowledge.strip()),
        prompt_template=next((f.prompt for f in reversed(files) if f.prompt.strip()), ""),
        few_shot_examples=_distinct(e for f in files for e in f.examples),
        # A rule of the same name replaces the one before; the user's own rules, read last, come first.
        playbook=tuple(reversed({r.id: r for f in files for r in f.playbook}.values())),
        words=frozenset(root(w.casefold()) for f in files for said in f.words for w in name_words(said)),
    )


def _distinct(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))


def shipped_files() -> list[DomainFile]:
    """Every document that ships, for whatever kind of data."""
    return _read(SHIPPED)


def _read(folder: Path) -> list[DomainFile]:
    """Every document of every YAML file of a folder, in order of the file names."""
    place = folder.expanduser()
    if not place.is_dir():
        raise ConfigurationError(
            f"There is no folder {place} with domain files.",
            suggestions=["Set GNOMON_DOMAINS to a folder of YAML files, or leave it unset."],
        )
    files = sorted([*place.glob("*.yaml"), *place.glob("*.yml")])
    if len(files) > MAX_FILES:
        raise ConfigurationError(f"{place} holds {len(files)} domain files; {MAX_FILES} are the most.")
    return [document for file in files for document in _documents(file)]


def _documents(file: Path) -> list[DomainFile]:
    if file.stat().st_size > MAX_BYTES:
        raise ConfigurationError(f"{file.name} is larger than {MAX_BYTES:,} bytes.")
    import yaml

    try:
        documents: list[Any] = load_documents(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as e:
        raise ConfigurationError(f"{file.name} is no readable YAML: {e}") from None
    found: list[DomainFile] = []
    for document in documents:
        if not isinstance(document, Mapping):
            raise ConfigurationError(f"{file.name}: a domain file is a mapping with 'domain:' and more.")
        try:
            found.append(DomainFile.model_validate(document))
        except ValidationError as e:
            first = e.errors()[0]
            where = ".".join(str(p) for p in first["loc"]) or "the document"
            raise ConfigurationError(
                f"{file.name}: {where}: {first['msg']}.",
                suggestions=["docs/insight.md lists the fields of a domain file."],
            ) from None
    return found
