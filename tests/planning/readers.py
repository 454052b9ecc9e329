"""A reader of questions, or a whole analyst, over files that a test wrote."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.data import open_sources, profile_dataset
from gnomon.planning.reader import GrammarReader
from gnomon.semantic.infer import infer_model
from gnomon.semantic.values import ValueIndex


def reader_of(source: Path) -> GrammarReader:
    """The reader for a file or a folder of files, with the model inferred from them."""
    with open_sources(source) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        return GrammarReader(model, ValueIndex.build(dataset, model))


def reader_over(folder: Path, tables: dict[str, list[str]]) -> GrammarReader:
    """The same for tables given as lines of CSV, which are written into the folder."""
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(rows))
    return reader_of(folder)


@cache
def analyst_of(file: Path) -> Analyst:
    """The analyst over a file that stays as it is, opened once for all who ask."""
    return gnomon.open(file)
