"""What tables hold and in what state they are: sections of the health check and of data quality."""

from __future__ import annotations

from gnomon.agents.coder.record import Section
from gnomon.agents.coder.templates.desk import MOST_TABLES, Desk, Draft, attempted
from gnomon.agents.coder.templates.drawing import Axis, axis, bar_chart
from gnomon.analytics import clean_outliers
from gnomon.answering.words import labelled
from gnomon.core.figures import FRACTION, group_name
from gnomon.data import Role, TableProfile
from gnomon.data.table import quote
from gnomon.semantic.model import Aggregation
from gnomon.semantic.query import RetrievalQuery

NEARLY_EMPTY = 0.9
_NUMBERS = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL")


def contents(desk: Desk) -> Section:
    """How many rows and columns there are, and the days they cover."""
    draft = Draft("What the data holds", "contents")
    for table in desk.profile.tables[:MOST_TABLES]:
        query = f"SELECT count(*) FROM {quote(table.name)}"
        (count,) = desk.sql(f"rows of {table.name}", query)[0]
        named = draft.fact(f"{table.name} table", table.name)
        rows = draft.fact(f"{table.name} rows", count, query=query)
        columns = draft.fact(f"{table.name} columns", len(table.columns))
        draft.say(f"The table {named} has {rows} rows and {columns} columns.")
        meaning = desk.meaning(table.name)
        if meaning is not None and meaning.time_dimension:
            time = desk.model.dimension(meaning.time_dimension)
            if time.coverage is not None:
                first = draft.fact(f"{table.name} first day", time.coverage[0])
                last = draft.fact(f"{table.name} last day", time.coverage[1])
                draft.say(f"By {time.label}, it goes from {first} to {last}.")
    for failure in desk.profile.failures:
        draft.say(f"A source could not be used: {draft.fact('unused source', failure.source)}.")
    return draft.section()


def key_figures(desk: Desk) -> Section:
    """The measures of the main table over all rows, and where the first of them comes from."""
    draft = Draft("Key figures", "figures")

    def work() -> None:
        metrics = desk.metrics(5)
        if not metrics:
            draft.refuse("There is no column that can be added up or averaged.")
            return
        rows: list[tuple[object, ...]] = []
        for metric in metrics:
            got = desk.retrieve(f"{metric.label} over all rows", RetrievalQuery(metrics=(metric.name,)))
            value = got.rows[0][-1] if got.rows else None
            slot = draft.fact(metric.label, value, metric.unit, query=got.query, metric=metric.name)
            draft.say(f"{metric.label[:1].upper()}{metric.label[1:]}: {slot}.")
            rows.append((metric.label, value))
        draft.table("key figures", ["measure", "value"], rows, units=[m.unit for m in metrics])
        _leading_group(desk, draft)

    return attempted(draft, work, "Key figures")


def _leading_group(desk: Desk, draft: Draft) -> None:
    """The first measure that can be added up, by the column with the fewest groups."""
    added = [m for m in desk.metrics(5) if m.aggregation in (Aggregation.SUM, Aggregation.COUNT)]
    groups = desk.dimensions(1)
    if not added or not groups:
        return
    metric, by = added[0], groups[0]
    query = RetrievalQuery(metrics=(metric.name,), dimensions=(by.name,), order_by=metric.name)
    got = desk.retrieve(f"{metric.label} by {by.label}", query)
    rows = [(r[0], r[1]) for r in got.rows if r[0] is not None and r[1] is not None]
    total = sum(float(v) for _, v in rows)
    if not rows or total <= 0 or any(float(v) < 0 for _, v in rows):
        return
    name = draft.fact(f"leading {by.label}", labelled(rows[0][0], by.label), query=got.query)
    value = draft.fact(f"{metric.label} of leading {by.label}", rows[0][1], metric.unit, query=got.query)
    share = draft.fact("its share", float(rows[0][1]) / total, "fraction", query=got.query)
    tied = len(rows) > 1 and rows[1][1] == rows[0][1]
    leads = "is not alone in front" if tied else "leads"
    draft.say(f"By {by.label}, {name} {leads} with {value}, {share} of the total.")
    named = [(group_name(g), v) for g, v in rows]
    draft.table(f"{metric.label} by {by.label}", [by.label, metric.label], named)
    title = draft.filled(f"By {by.label}, {name} has {share} of {metric.label}")
    draft.chart(bar_chart(title, named, by.label, axis(metric)))


def completeness(desk: Desk) -> Section:
    """Which columns have no value in how many rows."""
    draft = Draft("Completeness", "completeness")
    listed: list[tuple[object, ...]] = []
    for table in desk.profile.tables[:MOST_TABLES]:
        counted = ", ".join(f"count({quote(c.name)})" for c in table.columns)
        query = f"SELECT count(*), {counted} FROM {quote(table.name)}"
        total, *present = desk.sql(f"values present in {table.name}", query)[0]
        missing = {c.name: total - n for c, n in zip(table.columns, present, strict=True)}
        cells = sum(missing.values())
        named = draft.fact(f"{table.name} table", table.name)
        if not cells:
            draft.say(f"In {named} no cell is empty.")
            continue
        share = draft.fact(
            f"{table.name} missing cells", cells / max(1, total * len(missing)), "fraction", query=query
        )
        holed = {n: m for n, m in missing.items() if m}
        columns = draft.fact(f"{table.name} columns with gaps", len(holed), query=query)
        draft.say(f"In {named}, {share} of the cells are empty, in {columns} of its columns.")
        worst = sorted(holed, key=lambda n: (-holed[n], n))
        name = draft.fact(f"{table.name} emptiest column", worst[0], query=query)
        rate = draft.fact(f"{table.name} emptiest rate", holed[worst[0]] / total, "fraction", query=query)
        draft.say(f"The emptiest is {name}, without a value in {rate} of the rows.")
        listed += [(table.name, n, holed[n], holed[n] / total) for n in worst]
    if listed:
        draft.table("missing values", ["table", "column", "missing", "share"], listed, rates=["share"])
        shown = [(f"{t}.{c}", s) for t, c, _, s in listed[:20]]
        draft.chart(
            bar_chart(
                "Columns by the share of rows without a value",
                shown,
                "column",
                Axis("share without a value", FRACTION),
            )
        )
    return draft.section()


def duplicates(desk: Desk) -> Section:
    """Rows that repeat another, and what names a row."""
    draft = Draft("Duplicates and keys", "duplicates")
    for table in desk.profile.tables[:MOST_TABLES]:
        query = (
            f"SELECT (SELECT count(*) FROM {quote(table.name)}) - "
            f"(SELECT count(*) FROM (SELECT DISTINCT * FROM {quote(table.name)}))"
        )
        (repeated,) = desk.sql(f"repeated rows of {table.name}", query)[0]
        named = draft.fact(f"{table.name} table", table.name)
        slot = draft.fact(f"{table.name} repeated rows", repeated, query=query)
        draft.say(
            f"In {named}, {slot} rows repeat another one exactly."
            if repeated
            else f"In {named} no row repeats another."
        )
        simple = [k for k in table.keys if k.exact]
        if simple:
            key = draft.fact(f"{table.name} key", " and ".join(simple[0].columns))
            draft.say(f"Its rows are told apart by {key}.")
        else:
            draft.say("No column, nor two of them, tells its rows apart.")
    return draft.section()


def suspicious_columns(desk: Desk) -> Section:
    """Columns that say nothing, that were read with losses, or that warn."""
    draft = Draft("Columns to look at", "columns")
    rows: list[tuple[object, ...]] = []
    for table in desk.profile.tables[:MOST_TABLES]:
        for column in table.columns:
            if column.distinct == 0:
                rows.append((table.name, column.name, "holds no value at all"))
            elif column.distinct == 1 and table.rows > 1:
                rows.append((table.name, column.name, "holds the same value wherever it has one"))
            elif column.null_rate >= NEARLY_EMPTY:
                rows.append((table.name, column.name, "is empty in nearly all rows"))
            if column.conversion is not None and column.conversion.failed:
                rows.append(
                    (table.name, column.name, "has cells that are not of its kind and were left empty")
                )
            if column.personal is not None:
                rows.append(
                    (
                        table.name,
                        column.name,
                        f"looks like personal data ({column.personal.value.replace('_', ' ')})",
                    )
                )
    count = draft.fact("columns to look at", len({(r[0], r[1]) for r in rows}))
    draft.say(
        f"Columns that deserve a look: {count}."
        if rows
        else "No column stands out as empty, constant, personal or badly read."
    )
    if rows:
        draft.table("columns to look at", ["table", "column", "why"], rows)
    return draft.section()


def extreme_values(desk: Desk) -> Section:
    """Values far outside of the middle half of their column."""
    draft = Draft("Extreme values", "extremes")

    def work() -> None:
        names = measures(desk.table)
        if not names:
            draft.refuse("The table has no numeric measure.")
            return
        frame = desk.frame("numeric columns", names)
        found = clean_outliers(frame, columns=names, method="iqr", action="cap")
        code = desk.note(
            "values beyond the fences", f"clean_outliers(frame, columns={names!r}, method='iqr')"
        )
        rows = [
            (b.column, b.outliers, b.outliers / max(1, int(frame[b.column].notna().sum())), b.low, b.high)
            for b in found.bounds
        ]
        held = sorted((r for r in rows if r[1]), key=lambda r: (-r[2], r[0]))
        checked = draft.fact("numeric columns", len(names), query=code)
        having = draft.fact("columns with extreme values", len(held), query=code)
        if not held:
            draft.say(
                f"No value lies beyond one and a half times the middle spread of its column (numeric columns: {checked})."
            )
            return
        worst = draft.fact("column with most", held[0][0], query=code)
        rate = draft.fact("its share", held[0][2], "fraction", query=code)
        draft.say(
            f"Numeric columns with values beyond one and a half times their middle spread: {having} of {checked}."
        )
        draft.say(f"In {worst} these are {rate} of the values.")
        if desk.table.rows > len(frame):
            size = draft.fact("rows looked at", len(frame))
            draft.say(f"This is told from a random {size} rows.")
        draft.table(
            "extreme values",
            ["column", "values", "share", "lower fence", "upper fence"],
            held,
            rates=["share"],
        )

    return attempted(draft, work, "Extreme values")


def gaps_in_time(desk: Desk) -> Section:
    """Periods without rows, between the first and the last."""
    draft = Draft("Gaps in time", "gaps")
    told = False
    for table in desk.profile.tables[:MOST_TABLES]:
        for grain in table.time[:2]:
            if not grain.regular:
                continue
            told = True
            named = draft.fact(f"{table.name} {grain.column} column", grain.column)
            missing = draft.fact(f"{table.name} {grain.column} missing periods", grain.missing)
            held = draft.fact(f"{table.name} {grain.column} periods", grain.periods)
            if not grain.missing:
                draft.say(
                    f"By {named}, every {grain.grain} from the first to the last has rows: {held} in all."
                )
                continue
            draft.say(
                f"By {named}, {held} {grain.grain}s have rows, and of those between them {missing} have none."
            )
            if grain.gaps:
                longest = max(grain.gaps, key=lambda g: g.periods)
                size = draft.fact(f"{table.name} {grain.column} longest gap", longest.periods)
                start = draft.fact(f"{table.name} {grain.column} gap begins", longest.start)
                end = draft.fact(f"{table.name} {grain.column} gap ends", longest.end)
                span = f"on {start}" if longest.start == longest.end else f"from {start} to {end}"
                draft.say(f"The longest gap is {span} ({grain.grain}s without rows: {size}).")
    if not told:
        draft.refuse("No column ticks regularly in time, so gaps in time cannot be told.")
    return draft.section()


def references(desk: Desk) -> Section:
    """Values of one table that the table they refer to does not have."""
    draft = Draft("References between tables", "references")
    if not desk.profile.joins:
        draft.refuse("There are no two tables that refer to each other.")
        return draft.section()
    for join in desk.profile.joins[:MOST_TABLES]:
        left, right = quote(join.table), quote(join.to_table)
        a, b = quote(join.column), quote(join.to_column)
        query = f"SELECT count(*) FROM {left} WHERE {a} IS NOT NULL AND {a} NOT IN (SELECT {b} FROM {right} WHERE {b} IS NOT NULL)"
        (lost,) = desk.sql(f"rows of {join.table} without a partner", query)[0]
        where = draft.fact("referring column", f"{join.table}.{join.column}")
        to = draft.fact("table referred to", join.to_table)
        slot = draft.fact("rows without a partner", lost, query=query)
        draft.say(f"{slot} rows have a value of {where} that {to} does not have.")
    return draft.section()


def measures(table: TableProfile) -> list[str]:
    """Columns that measure something."""
    roles = (Role.MEASURE, Role.MONEY, Role.PERCENT)
    return [
        c.name
        for c in table.columns
        if c.role in roles and c.distinct > 2 and any(n in c.type.upper() for n in _NUMBERS)
    ]
