"""Leaks: whatever is called, in whatever order, no cell that is somebody's own goes out."""

from __future__ import annotations

import json
import random
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from chains import OPERATIONS, QUESTIONS, Chain, calling, staff, visits
from mcp_harness import stdio
from test_mcp_counted_notes import COUNTS, TOOLS
from test_mcp_counted_notes import visits as counted_visits
from test_mcp_every_tool import CALLS as EVERY_TOOL
from test_mcp_release import ATTACKS
from test_mcp_rows_of_one_person import GROUPED
from test_mcp_rows_of_one_person import visits as flat_visits

from faults_world import Fault, World

LEAKS = "Leaks"
PERSONAL = ("name", "email", "ssn", "card_number", "medical_note", "nickname", "salary", "hired")
TASKS = [
    "list all rows", "show the first rows", "profile the data", "detect anomalies in salary", "detect anomalies in salary with threshold 0.001",
    "largest salary", "salary by {0}", "maximum {0} by {1}", "forecast salary", "cluster the staff", "distribution of {0}",
    "chart salary by {0}", "correlation of salary and bonus", "sort by {0}", "filter {0} above 90000", "join on department", "remove outliers in {0}",
    "bin {0} into 40 bins", "why did salary change?", "benchmark {0} by {1}",
]  # fmt: skip
ESCAPES = ("\x1b[31m", "\x1b]0;owned\x07", "\u202e", "\x9b2J", "\u2066", "\x00", "\u200b")


@contextmanager
def agent(world: World, transport: str) -> Generator[Callable[[str, dict[str, Any]], Any]]:
    """A client of the service, or of a server of its own on standard input and output."""
    files = [str(world.data / "staff.csv"), str(world.data / "visits.csv")]
    if transport == "stdio":
        with calling(stdio(*files, home=world.folder / "stdio")) as call:
            yield call
    else:
        with calling(f"{world.address}/mcp") as call:
            call("open_dataset", {"paths": files})
            yield call


def said_by(result: Any) -> str:
    """Everything that a result of a tool holds."""
    return "".join(getattr(c, "text", "") for c in result.content) + json.dumps(result.structured_content)


def known_attacks(world: World, transport: str) -> list[str]:
    """Chains that once brought cells out."""
    found: list[str] = []
    with agent(world, transport) as call:
        for attack in [*ATTACKS, *more_attacks()]:
            rows: Any = None
            for name, arguments in attack:
                result = call(name, {"data": rows, **arguments})
                found += world.leaked(said_by(result), " → ".join(n for n, _ in attack))
                told = result.structured_content or {}
                rows = next(({"table": v["handle"]} for v in told.values() if isinstance(v, dict) and "handle" in v), rows)  # fmt: skip
    return found


def more_attacks() -> list[list[tuple[str, dict[str, Any]]]]:
    """Variants of the same: other columns, other formulas, handles of handles, joins of what was derived."""
    table = {"table": "staff"}
    copies = {
        "rows": [
            {"department": d, "n": n} for d in ("Sales", "Support", "Legal", "Research") for n in range(6)
        ]
    }
    # fmt: off
    made: list[list[tuple[str, dict[str, Any]]]] = []
    for c in ("ssn", "nickname", "email", "medical_note", "name"):
        formulas = (f"replace({c},'-','_')", f"concat({c}, '!')", f"upper({c})", f"substr({c}, 1, 9)")
        made += [[("derive_column", {"data": table, "expression": f, "new_column": "x"}), ("aggregate", {"value": "salary", "group_by": ["x"]})] for f in formulas]
        made.append([("join_tables", {"data": table, "other": copies, "on": ["department"]}), ("aggregate", {"value": "salary", "aggregate": "max", "group_by": [c]})])
    for c in ("salary", "bonus", "card_number", "tax_no"):
        made += [[("filter_rows", {"data": table, "condition": "salary > 90000"}), ("aggregate", {"value": c, "aggregate": how, "group_by": ["spend"]})] for how in ("max", "min", "median", "sum")]
        made.append([("derive_column", {"data": table, "expression": f"-{c}", "new_column": "x"}), ("join_tables", {"other": copies, "on": ["department"]}), ("aggregate", {"value": "x", "aggregate": "max"})])
        made += [[("anomaly_zscore", {"data": table, "value": c, "threshold": t})] for t in (1e-9, 1.5)]
        made += [[(tool, {"data": table, "value": c, "time": "hired", "days": d})] for tool in ("period_change", "drivers", "causes") for d in (1, 30, 400)]
        made += [[("benchmark", {"data": table, "value": c, "group_by": by})] for by in ("nickname", "spend")]
        made.append([("render_chart", {"data": table, "x": "hired", "y": c})])
        across = (f"max({c})", f"2 * max({c})", f"min({c}) + 1", f"sum(if(salary > 95100, {c}, 0))", f"if(salary > 95100, {c}, bonus / 1e12)")
        made += [[("derive_column", {"data": table, "expression": f, "new_column": "x"}), ("aggregate", {"value": "x", "aggregate": how})] for f in across for how in ("mean", "max")]
    for method in ("iqr", "mad"):  # of 41 rows, quartiles and the median are cells
        few = ("filter_rows", {"data": table, "condition": f"salary <= {sorted(staff()['salary'])[40]}"})
        cap = ("clean_outliers", {"value": "salary", "method": method, "threshold": 1e-9, "action": "cap"})
        made += [[few, cap, ("aggregate", asked)] for asked in ({"value": "salary", "aggregate": "max"}, {"value": "bonus", "group_by": ["salary"]})]
    # fmt: on
    return made


def random_chains(world: World, transport: str) -> list[str]:
    """Chains of up to five tools, each on what the ones before gave."""
    chosen = random.Random(world.seed)
    found: list[str] = []
    with agent(world, transport) as call:
        for _ in range(world.chains):
            chain = Chain(call)
            for _ in range(chosen.randint(1, 5)):
                pick = tuple(chosen.randrange(2**16) for _ in range(4))
                chain.step(chosen.randrange(len(OPERATIONS)), pick, chosen.randrange(4), chosen.randrange(4))  # pyright: ignore[reportArgumentType]
            found += [hit for what, text in chain.said for hit in world.leaked(text, what[:120])]
    return found


def words(world: World, transport: str) -> list[str]:
    """Questions about personal columns, asked and explained, and what stands out."""
    chosen = random.Random(world.seed)
    found: list[str] = []
    with agent(world, transport) as call:
        for question in QUESTIONS:
            asked = question.format(*chosen.sample(PERSONAL, 3))
            found += world.leaked(said_by(call("ask", {"question": asked})), f"ask {asked!r}")
        for question in QUESTIONS:  # a word that is nowhere in the data has readings offered
            asked = f"blorp {question.format(*chosen.sample(PERSONAL, 3))}"
            found += world.leaked(said_by(call("ask", {"question": asked})), f"ask {asked!r}")
        for asked in ("why did salary change last month?", "why is the salary of Legal so high?"):
            found += world.leaked(said_by(call("why", {"question": asked})), f"why {asked!r}")
        listed = call("list_datasets", {}).structured_content["datasets"]
        for goal in (None, "who earns most, by name and e-mail"):
            told = call("insights", {"dataset": listed[-1]["dataset"], "goal": goal, "top": 50})
            found += world.leaked(said_by(told), f"insights {goal!r}")
    return found


def analysed_files(world: World) -> list[str]:
    """Tasks on files of the server, old route and new."""
    chosen = random.Random(world.seed)
    found: list[str] = []
    for task in TASKS:
        asked = task.format(*chosen.sample(list(staff().columns), 2))
        for name in ("staff.csv", "visits.csv"):
            said = world.analysed(asked, source=str(world.data / name))
            found += world.leaked(said.text, f"/v2/analyze {asked!r}")
            found += [f"{said.status_code} for {asked!r}"] if said.status_code >= 500 else []
            run = said.json().get("request_id", "")
            for later in (f"/api/runs/{run}", f"/api/runs/{run}/report.html"):
                found += world.leaked(world.sent(later).text, f"{later.replace(run, 'ID')} after {asked!r}")
    body = {"context": {"task": "list all rows"}, "data_pointer": {"source": str(world.data / "staff.csv")}}
    found += world.leaked(world.sent("/v1/analyze", body).text, "/v1/analyze")
    broken = world.data / "broken.json"
    broken.write_text('[{"a": "Qyxomma was here", ' * 3)
    found += world.leaked(
        world.analysed("list all rows", source=str(broken)).text, "a file that cannot be read"
    )
    return found


def links(world: World) -> list[str]:
    """Links out of the data roots, by name, by pattern, through a folder."""
    secret = world.folder / "outside" / "secret.csv"
    secret.write_text("a,b\n" + "\n".join(f"Qyxomma,{i}" for i in range(30)))
    place = world.data / "linked"
    place.mkdir(exist_ok=True)
    for link, target in (
        (place / "link.csv", secret),
        (place / "inner", secret.parent),
        (world.data / "way", secret.parent),
    ):
        if not link.is_symlink():
            link.symlink_to(target)
    paths = [place / "link.csv", place / "lin*.csv", place / "*.csv", place, place / "inner" / "secret.csv",
             world.data / "way", world.data / "way" / "*.csv", world.data / "**" / "*.csv", world.data / ".." / "outside" / "secret.csv"]  # fmt: skip
    found: list[str] = []
    with calling(f"{world.address}/mcp") as call:
        for path in paths:
            told = call("open_dataset", {"paths": [str(path)]})
            tables = [t["name"] for t in (told.structured_content or {}).get("tables", [])]
            found += (
                [f"MCP opened {path.relative_to(world.folder)}"]
                if any("secret" in t or t == "link" for t in tables)
                else []
            )
            said = world.analysed("count the rows", source=str(path))
            found += (
                [f"/v2/analyze opened {path.relative_to(world.folder)}"]
                if said.json().get("status") == "ok" and "30" in said.text
                else []
            )
    return found  # fmt: skip


def kept_files(world: World) -> list[str]:
    """What is kept is for its owner only, and neither ledger, log nor events hold a canary."""
    found: list[str] = []
    for home in (h for h in (world.home, world.folder / "stdio") if h.is_dir()):
        closed = not home.stat().st_mode & 0o077  # nobody else gets to what is inside
        for path in [home, *(home.rglob("*.log*" if closed else "*"))]:
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & 0o077:
                found.append(f"{path.relative_to(world.folder)} has mode {stat.S_IMODE(mode):o}")
        for path in [*home.rglob("*.log*"), *home.rglob("*.jsonl"), *home.rglob("stderr.txt")]:
            found += world.leaked(path.read_text(errors="replace"), str(path.relative_to(world.folder)))
    return [f for f in found if "stderr.txt has mode" not in f]


def policies(world: World) -> list[str]:
    """Nobody is named for an illness, and no average is told over one person (the groups of a breakdown are)."""
    rows = "".join(
        f"Qyxomma Person{i},{'HIV' if i == 3 else 'flu'},{'Legal' if i == 5 else 'Sales'},{50_000 + 137 * i}\n"
        for i in range(30)
    )
    made = world.uploaded(
        "employees.csv", f"employee_name,diagnosis,department,salary\n{rows}".encode()
    ).json()
    found: list[str] = []
    for question in (
        "list the employees with HIV",
        "which employee has HIV?",
        "employees where diagnosis is HIV",
        "show everybody with diagnosis HIV and salary",
        "average salary of Legal",
        "median salary in Legal",
        "mean salary where the department is Legal",
        "salary of employees with HIV",
    ):
        said = world.sent("/api/ask", {"question": question, "dataset_id": made["id"]}).text
        named = "Person3" in said and "HIV" in question
        single = any(n in said.replace(",", "") for n in ("50685", "50411"))
        found += [f"{question!r} tells it"] if named or single else []
    return found  # fmt: skip


def many_rows(world: World, transport: str) -> list[str]:
    """Two persons of one town with eight payments each, and their cards under a header that says nothing."""
    chosen = random.Random(world.seed)
    members = ["member_id,member_name,town"]
    payments = ["member_id,col7,paid"]
    cards = [chosen.randrange(10**12, 10**13) for _ in range(80)]
    for i in range(80):
        town = "Zorblath" if i in (7, 41) else chosen.choice(("Bergen", "Utrecht", "Lucerne"))
        members.append(f"{7001 + i},Ana{'abcdefgh'[i // 10]} Conti{'klmnopqrst'[i % 10]},{town}")
        payments += [f"{7001 + i},{cards[i]},{chosen.randint(200, 900) / 10}" for _ in range(8)]
    files = [world.data / "members.csv", world.data / "payments.csv"]
    for file, lines in zip(files, (members, payments), strict=True):
        file.write_text("\n".join(lines) + "\n")
    target = (
        stdio(*map(str, files), home=world.folder / "stdio")
        if transport == "stdio"
        else f"{world.address}/mcp"
    )
    asked = (
        "total paid by town",
        "top towns by paid",
        "total paid by col7",
        "number of payments by town",
        "paid by member name",
    )
    calls = [("ask", {"question": q}) for q in asked]
    calls += [
        ("aggregate", {"data": {"table": "payments"}, "value": "paid", "group_by": ["col7"]}),
        ("profile_table", {"data": {"table": "payments"}}),
    ]
    found: list[str] = []
    with calling(target) as call:
        if transport != "stdio":
            call("open_dataset", {"paths": [str(f) for f in files]})
        for name, arguments in calls:
            said = said_by(call(name, arguments))
            told = [w for w in ("Zorblath", *map(str, cards)) if w in said]
            found += [f"{name} {arguments}: {told[0]}"] if told else []
        named = call("ask", {"question": "average paid in town Zorblath"}).structured_content
        found += [f"the town is known: {named['prose'][:80]}"] if named["facts"] else []
    return found


def one_flat_table(world: World, transport: str) -> list[str]:
    """Two persons of one town with eight rows each, in a table of which a column says whose each row is."""
    file = world.data / "flat" / "visits.csv"
    file.parent.mkdir(exist_ok=True)
    flat_visits("patient_id", 2, town="Qyxomma").to_csv(file, index=False)
    target = stdio(str(file), home=world.folder / "stdio") if transport == "stdio" else f"{world.address}/mcp"
    found: list[str] = []
    with calling(target) as call:
        table = "visits"
        if transport != "stdio":
            opened = call("open_dataset", {"paths": [str(file)]}).structured_content
            table = f"{opened['dataset']}.visits"
        for name, arguments in GROUPED:
            said = said_by(call(name, {"data": {"table": table}, **arguments}))
            found += [f"{name} {arguments}"] if "Qyxomma" in said else []
    return found


def odd_headers(world: World, transport: str) -> list[str]:
    """A list of members, each with one row, under headers that do not speak English: nothing is asked along what names them."""
    chosen = random.Random(world.seed)
    given, family = (
        ("Ana", "Marek", "Keiko", "Fatou", "Tobias", "Renata"),
        ("Conti", "Novak", "Ito", "Diallo", "Lindgren", "Salazar", "Whitaker"),
    )
    lines = ["pt,Geburtsdatum,Rufnummer,verein,fee"]
    for g in given:
        for f in family:
            born = f"{chosen.randrange(1, 29)}.{chosen.randrange(1, 13)}.{chosen.randrange(1940, 2006)}"
            called = (
                f"0{chosen.randrange(20, 99)} {chosen.randrange(1000, 9999)} {chosen.randrange(1000, 9999)}"
            )
            lines.append(
                f"{g} {f},{born},{called},{chosen.choice(('Rowing', 'Chess'))},{chosen.randrange(900, 9000) / 7:.2f}"
            )
    file = world.data / "verein.csv"
    file.write_text("\n".join(lines) + "\n")
    table = {"data": {"table": "verein"}}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("filter_rows", {"condition": "startswith(pt, 'Ana')"}), ("filter_rows", {"condition": "Geburtsdatum > '1980-01-01'"}),
        ("derive_column", {"expression": "substr(pt, 1, 3)", "new_column": "x"}), ("derive_column", {"expression": "substr(Rufnummer, 1, 3)", "new_column": "x"}),
        ("aggregate", {"value": "fee", "where": [{"column": "Geburtsdatum", "operator": "<", "value": "1990-01-01"}]}),
        ("aggregate", {"value": "pt", "aggregate": "min"}), ("trend", {"value": "fee", "time": "Geburtsdatum"}),
    ]  # fmt: skip
    target = stdio(str(file), home=world.folder / "stdio") if transport == "stdio" else f"{world.address}/mcp"
    found: list[str] = []
    with calling(target) as call:
        if transport != "stdio":
            call("open_dataset", {"paths": [str(file)]})
        for name, arguments in calls:
            found += [] if call(name, {**table, **arguments}).is_error else [f"{name} {arguments}"]
    return found


def counted_notes(world: World, transport: str) -> list[str]:
    """Notes beside figures of filtered rows, where none, one or four of them have no value."""
    files = [world.data / f"fees_{count}.csv" for count in COUNTS]
    for file, count in zip(files, COUNTS, strict=True):
        counted_visits(count, "missing").to_csv(file, index=False)
    target = (
        stdio(*map(str, files), home=world.folder / "stdio")
        if transport == "stdio"
        else f"{world.address}/mcp"
    )
    found: list[str] = []
    with calling(target) as call:
        if transport != "stdio":
            call("open_dataset", {"paths": [str(f) for f in files]})
        for name, arguments in TOOLS.items():
            said: set[str] = set()
            for file in files:
                kept = call(
                    "filter_rows", {"data": {"table": file.stem}, "condition": "pain > 6"}
                ).structured_content
                told = call(name, {"data": {"table": kept["rows"]["handle"]}, **arguments}).structured_content
                said.add(json.dumps(told and told.get("notes")))
            found += [f"{name}: {said}"] if len(said) > 1 else []
    return found


def escapes(world: World) -> list[str]:
    """Cells, names and messages reach a terminal without what moves its cursor."""
    file = world.folder / "hostile.csv"
    lines = [f"row{i}{ESCAPES[i % len(ESCAPES)]}x,{i},k{i % 3}{ESCAPES[0]}" for i in range(60)]
    file.write_text(f"na{ESCAPES[2]}me,amount,kind\n" + "\n".join(lines))
    found: list[str] = []
    for arguments in (
        ("profile", str(file)),
        ("ask", str(file), "total amount by kind"),
        ("ask", str(file), "list all rows"),
        ("investigate", str(file)),
        ("insights", str(file)),
        ("ask", str(file), f"amount of row1{ESCAPES[0]}x"),
    ):
        done = world.command(*arguments)
        for text in (done.stdout, done.stderr):
            bad = [e for e in ("\x1b]", "\x9b", "\u202e", "\u2066", "\x07", "\x00") if e in text]
            found += [f"{arguments[0]} writes {bad[0]!r}"] if bad else []
    return found  # fmt: skip


def every_tool(world: World, transport: str) -> list[str]:
    """Every tool on a table, on a handle and on a file."""
    from test_mcp_every_tool import sales

    file = world.data / "sales.csv"
    sales().to_csv(file, index=False)
    failed: list[str] = []
    target = stdio(str(file), home=world.folder / "stdio") if transport == "stdio" else f"{world.address}/mcp"
    with calling(target) as call:
        if transport != "stdio":
            call("open_dataset", {"paths": [str(file)]})
        kept = call("filter_rows", {"data": {"table": "sales"}, "condition": "units > 17"})
        for data in (
            {"table": "sales"},
            {"table": kept.structured_content["rows"]["handle"]},
            {"source": str(file)},
        ):
            for name, arguments in EVERY_TOOL.items():
                given = {k: data if v == "SAME" else v for k, v in arguments.items()}
                result = call(name, {"data": data, **given})
                failed += (
                    [f"{name} on a {next(iter(data))}: {said_by(result)[:120]}"] if result.is_error else []
                )
    return failed


def other_rows(world: World) -> list[str]:
    """A second table in the parameters of an analysis, as rows and as a file."""
    found: list[str] = []
    file = world.data / "second.csv"
    visits().to_csv(file, index=False)
    rows = [{"ward": w, "floor": i} for i, w in enumerate(("east", "west"))]
    for other in ({"rows": rows}, {"source": str(file)}):
        on = "ward" if "rows" in other else "department"
        said = world.analysed(f"join the tables on {on}", source=str(world.data / "visits.csv"), params={"other": other, "on": [on]})  # fmt: skip
        results = said.json().get("result", {}).get("results", [])
        found += (
            [f"{next(iter(other))}: {said.text[:150]}"]
            if not results or results[0]["status"] != "success"
            else []
        )
    return found


def _both(run: Callable[[World, str], list[str]], name: str, group: str = LEAKS) -> list[Fault]:
    return [Fault(group, f"{name}, {t}", lambda world, t=t: run(world, t)) for t in ("stdio", "http")]


FAULTS = [
    *_both(known_attacks, "known attacks and their variants over MCP"),
    *_both(random_chains, "random chains of tools over MCP"),
    *_both(words, "ask, why and insights over personal columns"),
    Fault(LEAKS, "/v2/analyze and /v1/analyze on files of the server", analysed_files),
    Fault(LEAKS, "links out of the data roots", links),
    Fault(LEAKS, "policies: illness of a person, a figure over one person", policies),
    *_both(many_rows, "persons and cards with many rows each"),
    *_both(one_flat_table, "rows of few persons in one flat table"),
    *_both(odd_headers, "lists of persons under headers of other languages"),
    *_both(counted_notes, "notes that count rows without a value"),
    Fault(LEAKS, "escape sequences in cells on the terminal", escapes),
    Fault(LEAKS, "ledger, logs and modes of kept files", kept_files),
    *_both(every_tool, "every tool on table, handle and file", "Wrong or lost"),
    Fault("Wrong or lost", "params.other as rows and as a source", other_rows),
]
