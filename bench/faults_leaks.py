"""Leaks: whatever is called, in whatever order, no cell that is somebody's own goes out."""

from __future__ import annotations

import random
import stat
from typing import Any

from chains import OPERATIONS, QUESTIONS, Chain, calling, staff, visits
from test_mcp_every_tool import CALLS as EVERY_TOOL
from test_mcp_release import ATTACKS

from faults_agents import LEAKS, agent, both, said_by
from faults_world import Fault, World

PERSONAL = ("name", "email", "ssn", "card_number", "medical_note", "nickname", "salary", "hired")
TASKS = [
    "list all rows", "show the first rows", "profile the data", "detect anomalies in salary", "detect anomalies in salary with threshold 0.001",
    "largest salary", "salary by {0}", "maximum {0} by {1}", "forecast salary", "cluster the staff", "distribution of {0}",
    "chart salary by {0}", "correlation of salary and bonus", "sort by {0}", "filter {0} above 90000", "join on department", "remove outliers in {0}",
    "bin {0} into 40 bins", "why did salary change?", "benchmark {0} by {1}",
]  # fmt: skip
ESCAPES = ("\x1b[31m", "\x1b]0;owned\x07", "\u202e", "\x9b2J", "\u2066", "\x00", "\u200b")


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
    with agent(world, transport, file) as call:
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


FAULTS = [
    *both(known_attacks, "known attacks and their variants over MCP"),
    *both(random_chains, "random chains of tools over MCP"),
    *both(words, "ask, why and insights over personal columns"),
    Fault(LEAKS, "/v2/analyze and /v1/analyze on files of the server", analysed_files),
    Fault(LEAKS, "links out of the data roots", links),
    Fault(LEAKS, "escape sequences in cells on the terminal", escapes),
    Fault(LEAKS, "ledger, logs and modes of kept files", kept_files),
    *both(every_tool, "every tool on table, handle and file", "Wrong or lost"),
    Fault("Wrong or lost", "params.other as rows and as a source", other_rows),
]
