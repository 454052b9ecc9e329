"""Models as YAML that people edit: written whole, read whole or as corrections of an inferred model."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from gnomon.core.errors import InvalidInput, NotFound, did_you_mean
from gnomon.core.private import private_file, private_folder
from gnomon.data import DatasetProfile
from gnomon.semantic.checks import check_model
from gnomon.semantic.model import Dimension, Join, Metric, SemanticModel, TableMeaning

_HEAD = """\
# What these tables mean. Edit it, and pass it along with the data.
#
# tables      what one row of each table is called, and the date that periods refer to
# metrics     what can be computed: an aggregation of an expression over a table's columns (sum, mean, median, min,
#             max, count, count_distinct, stddev), or a formula over other metrics such as revenue / orders.
#             additivity: additive | semi_additive (stock levels: not summed over time) | non_additive (rates)
#             direction: higher | lower | neutral is better; unit: USD, %, fraction, days …
# dimensions  what rows can be grouped and filtered by, with the columns (table.column) that hold it, its home first
# joins       which column leads to one row of which other table
# synonyms    your own words for a metric or dimension, or for the "rows of" a table; they win over every other name
#
# You may keep only the entries you change: whatever is missing is inferred from the data. A metric or dimension
# with "remove: true" is left out.
"""
ROWS_OF = "rows of "
_SECTIONS: dict[str, type[BaseModel]] = {"tables": TableMeaning, "metrics": Metric, "dimensions": Dimension}


def dump_model(model: SemanticModel) -> str:
    """The model as YAML for people, without whatever has its default value."""
    import yaml

    data: dict[str, Any] = {}
    for section in _SECTIONS:
        entries = [_entry(e) for e in getattr(model, section)]
        if entries:
            data[section] = entries
    if model.joins:
        data["joins"] = [f"{j.table}.{j.column} -> {j.to_table}.{j.to_column}" for j in model.joins]
        if any(
            _join(text, i) != j for i, (text, j) in enumerate(zip(data["joins"], model.joins, strict=True))
        ):
            data["joins"] = [j.model_dump() for j in model.joins]
    if model.preferred:
        data["synonyms"] = dict(model.preferred)
    text = yaml.dump(data, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=110)
    return f"{_HEAD}\n{text if data else ''}"


def dump_changes(model: SemanticModel, over: SemanticModel) -> str:
    """What a model tells otherwise than another, as YAML that is laid over that one: everything else stays inferred.

    Args:
        model: What is to be told; it has all that the other has.
        over: What is known without it.
    """
    import yaml

    data: dict[str, Any] = {}
    for section in _SECTIONS:
        before = {e.name: e for e in getattr(over, section)}
        changed = [
            _entry(e) if e.name not in before else {"name": e.name, **_difference(e, before[e.name])}
            for e in getattr(model, section)
            if e != before.get(e.name)
        ]
        if changed:
            data[section] = changed
    words = {w: name for w, name in model.preferred.items() if over.preferred.get(w) != name}
    if words:
        data["synonyms"] = words
    text = yaml.dump(data, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=110)
    return f"{_HEAD}\n{text if data else ''}"


def _difference(entry: BaseModel, before: BaseModel) -> dict[str, Any]:
    fields = {f for f in type(entry).model_fields if getattr(entry, f) != getattr(before, f)}
    return entry.model_dump(mode="json", include=fields)


def _entry(entry: BaseModel) -> dict[str, Any]:
    data = entry.model_dump(mode="json", exclude_defaults=True)
    if isinstance(entry, Dimension):
        data["locations"] = [_place(ref.table, ref.column) for ref in entry.locations]
        for field, ref in (("label_at", entry.label_at), ("via", entry.via)):
            if ref is not None:
                data[field] = _place(ref.table, ref.column)
    return data


def _place(table: str, column: str) -> str | dict[str, str]:
    """``table.column`` where that can be read back, else both apart."""
    return f"{table}.{column}" if "." not in table else {"table": table, "column": column}


def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Short lists on one line, as people write them."""

    def lines(dumper: Any, data: list[Any]) -> Any:
        flow = all(not isinstance(item, dict) for item in data)
        return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=flow)

    def text(dumper: Any, data: StrEnum) -> Any:
        return dumper.represent_str(str(data))

    Dumper.add_representer(list, lines)
    Dumper.add_multi_representer(StrEnum, text)
    return Dumper


def load_model(text: str, over: DatasetProfile | SemanticModel | None = None) -> SemanticModel:
    """The model that ``text`` writes down, laid over another.

    Args:
        text: YAML as :func:`dump_model` writes it, or any part of it.
        over: The tables that it is about, whose inferred model it corrects, or that model itself; names of
            tables and columns are checked against it.

    Raises:
        InvalidInput: It is not YAML, or an entry is wrong; the error names the entry and what was expected.
        NotFound: An entry names a table, column, metric or dimension that does not exist.
    """
    base = over if isinstance(over, SemanticModel) else SemanticModel()
    if isinstance(over, DatasetProfile):
        from gnomon.semantic.infer import infer_model

        base = infer_model(over)
    data = _parsed(text)
    unknown = set(data) - {*_SECTIONS, "joins", "synonyms"}
    for name in sorted(map(str, unknown)):
        close = did_you_mean(name, [*_SECTIONS, "joins", "synonyms"])
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InvalidInput(
            f"A model has no section {name!r}.{hint}",
            suggestions=["Sections: tables, metrics, dimensions, joins, synonyms."],
        )
    merged: dict[str, Any] = {
        s: _merged(s, kind, data.get(s), getattr(base, s)) for s, kind in _SECTIONS.items()
    }
    joins = _listed(data, "joins")
    merged["joins"] = tuple(_join(j, i) for i, j in enumerate(joins)) if "joins" in data else base.joins
    model = SemanticModel(**merged, preferred=base.preferred)
    check_model(model, _columns(over))
    for phrase, target in _mapping(data.get("synonyms"), "synonyms").items():
        model = with_correction(model, str(phrase), str(target))
    return model


def _columns(over: DatasetProfile | SemanticModel | None) -> dict[str, set[str]] | None:
    """The columns of each table, as far as they are known."""
    if over is None:
        return None
    if isinstance(over, DatasetProfile):
        return {t.name: {c.name for c in t.columns} for t in over.tables}
    columns: dict[str, set[str]] = {t.name: set() for t in over.tables}
    for ref in (ref for d in over.dimensions for ref in d.locations):
        columns.setdefault(ref.table, set()).add(ref.column)
    return columns


def with_correction(model: SemanticModel, phrase: str, target: str) -> SemanticModel:
    """The model in which ``phrase`` means the metric or dimension ``target``, or "rows of" a table, before anything else.

    Raises:
        InvalidInput: The phrase is empty.
        NotFound: The model has no such metric, dimension or table.
    """
    words = " ".join(phrase.lower().split())
    if not words:
        raise InvalidInput(
            "An empty phrase cannot mean anything.", suggestions=["Give the words people use."]
        )
    names = [*(m.name for m in model.metrics), *(d.name for d in model.dimensions)]
    rows = target.removeprefix(ROWS_OF) if target.startswith(ROWS_OF) else None
    found = (
        target if target in names else _by_label(model, target) if rows is None else model.table(rows).name
    )
    if found is None:
        raise NotFound.among("metric or dimension", target, names)

    def renamed(entries: Iterable[Any]) -> tuple[Any, ...]:
        changed: list[Any] = []
        for e in entries:
            others = tuple(s for s in e.synonyms if s != words)
            means = e.name == found and isinstance(e, TableMeaning) == (rows is not None)
            synonyms = (words, *others) if means else others
            changed.append(e if synonyms == e.synonyms else e.model_copy(update={"synonyms": synonyms}))
        return tuple(changed)

    preferred = {k: v for k, v in model.preferred.items() if k != words}
    if rows is None:
        preferred[words] = found
    return SemanticModel(
        tables=renamed(model.tables),
        metrics=renamed(model.metrics),
        dimensions=renamed(model.dimensions),
        joins=model.joins,
        preferred=preferred,
    )


def teach(file: Path, phrase: str, target: str) -> None:
    """Write into a file of a model what a phrase means; the rest of it is kept as it is, words of people included."""
    import yaml

    text = file.read_text(encoding="utf-8") if file.is_file() else _TAUGHT
    held = _mapping(_parsed(text).get("synonyms"), "synonyms")
    words = " ".join(phrase.lower().split())
    if held.get(words) == target:
        return
    line = yaml.safe_dump({words: target}, allow_unicode=True, width=1000).strip()
    if "synonyms" in _parsed(text):
        section = yaml.safe_dump({**held, words: target}, allow_unicode=True, sort_keys=False, width=1000)
        before, _, after = text.partition("synonyms:")
        rest = after.splitlines()[1:]
        kept = next((i for i, row in enumerate(rest) if row and not row.startswith((" ", "#"))), len(rest))
        body = "".join(f"  {row}\n" for row in section.splitlines())
        text = f"{before}synonyms:\n{body}" + "\n".join(rest[kept:])
    else:
        text = f"{text.rstrip()}\nsynonyms:\n  {line}\n"
    private_folder(file.parent)
    part = private_file(file.with_suffix(f".{os.getpid()}.part"))
    part.write_text(text, encoding="utf-8")
    part.replace(file)


_TAUGHT = """\
# What was picked where words had no place in these tables. Edit it; 'gnomon semantic' shows what else can stand here.
"""


def _by_label(model: SemanticModel, said: str) -> str | None:
    """The only metric, or else the only dimension, that is called so."""
    wanted = " ".join(said.lower().split())
    for entries in (model.metrics, model.dimensions):
        found = [e.name for e in entries if wanted in (e.label.lower(), e.name.lower(), *e.synonyms)]
        if len(found) == 1:
            return found[0]
    return None


def _parsed(text: str) -> dict[str, Any]:
    import yaml

    from gnomon.core.safe_yaml import load_yaml

    try:
        data = load_yaml(text)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise InvalidInput(f"The model is not valid YAML{where}: {getattr(e, 'problem', e)}.") from None
    except RecursionError:
        raise InvalidInput("The model is nested too deeply to be read.") from None
    return _mapping(data, "the model")


def _mapping(data: Any, what: str) -> dict[str, Any]:
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise InvalidInput(f"{what} has to be names with values, not {type(data).__name__}.")
    return cast(dict[str, Any], data)


def _listed(data: dict[str, Any], section: str) -> list[Any]:
    entries = data.get(section) or []
    if not isinstance(entries, list):
        raise InvalidInput(f"{section} has to be a list, not {type(entries).__name__}.")
    return cast(list[Any], entries)


def _merged(section: str, kind: type[BaseModel], given: Any, base: tuple[Any, ...]) -> tuple[Any, ...]:
    """The base's entries with the given ones over them, in the base's order, new ones at the end."""
    entries = {e.name: e for e in base}
    for number, item in enumerate(_listed({section: given}, section), start=1):
        data = dict(_mapping(item, f"{section}: entry {number}"))
        name = data.get("name")
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"{section}: entry {number} has no name.", suggestions=["Add 'name: …'."])
        if data.pop("remove", False):
            entries.pop(name, None)
            continue
        entries[name] = _read(section, kind, name, data, entries.get(name))
    return tuple(entries.values())


_FORMS = {"expression", "formula", "inner", "table", "aggregation", "per", "where"}


def _read(section: str, kind: type[BaseModel], name: str, data: dict[str, Any], held: Any) -> Any:
    before = held.model_dump() if held is not None else {}
    if kind is Metric and {"formula", "inner", "expression"} & set(data):
        before = {k: v for k, v in before.items() if k not in _FORMS}
    merged = {**before, **data}
    if not merged.get("label"):
        merged["label"] = name.replace("_", " ")
    if kind is Dimension:
        merged["locations"] = tuple(_location(r, name) for r in merged.get("locations") or ())
        for field in ("label_at", "via"):
            if merged.get(field):
                merged[field] = _location(merged[field], name)
    try:
        return kind.model_validate(merged)
    except ValidationError as e:
        raise _wrong(section, kind, name, e) from None


def _wrong(section: str, kind: type[BaseModel], name: str, error: ValidationError) -> InvalidInput:
    item = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(p) for p in item["loc"])
    message = item["msg"]
    if item["type"] == "extra_forbidden":
        close = did_you_mean(where, kind.model_fields)
        message = "there is no such field" + (f"; did you mean {close[0]!r}?" if close else "")
    return InvalidInput(
        f"{section}: {name}: {where}: {message}.",
        suggestions=[f"Fields: {', '.join(kind.model_fields)}."],
    )


def _location(given: Any, name: str) -> dict[str, str]:
    if isinstance(given, str):
        table, dot, column = given.partition(".")
        if dot and table and column:
            return {"table": table, "column": column}
    elif isinstance(given, dict) and set(cast(dict[str, Any], given)) == {"table", "column"}:
        return cast(dict[str, str], given)
    raise InvalidInput(f"dimensions: {name}: {given!r} is no column.", suggestions=["Write table.column."])


def _join(given: Any, number: int) -> Join:
    if isinstance(given, dict):
        try:
            return Join.model_validate(given)
        except ValidationError as e:
            raise _wrong("joins", Join, f"entry {number + 1}", e) from None
    left, arrow, right = str(given).partition(" -> ")
    a, b = left.partition("."), right.partition(".")
    if not (arrow and a[1] and b[1]):
        raise InvalidInput(
            f"joins: entry {number + 1}: {given!r} is no join.",
            suggestions=["Write orders.product_id -> products.product_id."],
        )
    return Join(table=a[0], column=a[2], to_table=b[0], to_column=b[2])
