"""The plainest way to tell an answer: one line for each fact, used where a check does not follow the sentences."""

from __future__ import annotations

from gnomon.agents.figures import fact_figure, labelled
from gnomon.agents.telling import slug
from gnomon.agents.telling_periods import range_name
from gnomon.agents.telling_words import cased, conditions
from gnomon.core.answer import About, Fact
from gnomon.core.errors import NotFound
from gnomon.core.patterns import regex
from gnomon.semantic.model import SemanticModel

_NUMBERING = regex(r"_\d+$")


def plain_line(fact: Fact, model: SemanticModel) -> tuple[str, str]:
    """What a fact is about, in names alone, and its value as people read it."""
    return cased(", ".join(p for p in _about(fact, model) if p)), fact_figure(fact)


def _about(fact: Fact, model: SemanticModel) -> list[str]:
    about = fact.about
    named = slug(about.metric) if about.metric else ""
    tail = _NUMBERING.sub("", fact.name).removeprefix(named).strip(".")
    groups = {slug(v) for v in about.group.values()}
    own = [s.replace("_", " ") for s in tail.split(".") if s and s not in groups]
    parts = [_label(about.metric, model)] if about.metric else []
    parts += [" ".join(own)]
    parts += [labelled(v, _dimension(d, model)) for d, v in about.group.items()]
    parts.append(conditions(about.filters, model) if about.filters else "")
    parts.append(range_name(about.period) if about.period is not None else "")
    return parts


def _label(metric: str, model: SemanticModel) -> str:
    try:
        return model.metric(metric).label
    except NotFound:
        return metric


def _dimension(name: str, model: SemanticModel) -> str:
    known = next((d for d in model.dimensions if d.name == name), None)
    return known.label if known is not None else name.lstrip("@").replace("_", " ")


def bare(fact: Fact) -> Fact:
    """A fact by its value alone, to check a line that tells nothing else."""
    return fact.model_copy(update={"name": "value", "about": About()})
