"""Small tables whose names and labels read like figures, directions or dates, and requests drawn from their models."""

import random
from datetime import date, timedelta
from typing import Any

import pandas as pd

from gnomon.core.parts import Comparison, Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_periods import previous_period
from gnomon.semantic import SemanticModel
from gnomon.semantic.model import Dimension, DimensionType, Metric
from gnomon.semantic.values import ValueIndex

K, G, F, T = QuestionKind, TimeGranularity, FilterOperator, DimensionType
KINDS = (
    K.VALUE,
    K.BREAKDOWN,
    K.RANKING,
    K.SHARE,
    K.COMPARISON,
    K.TREND,
    K.LIST,
    K.DISTRIBUTION,
    K.CORRELATION,
)


def rides() -> dict[str, pd.DataFrame]:
    """Zones that are numbers, weather that is called like a direction, amounts below zero."""
    rng = random.Random(1)
    rows = [
        {
            "ride_id": 500000 + i, "started_on": date(2023, 3, 1) + timedelta(days=rng.randrange(500)),
            "zone": rng.randint(1, 6), "vehicle": rng.choice(["Scooter 2", "Bike", "E-Bike 3"]),
            "weather": rng.choice(["rising", "High", "low", "May"]), "minutes": round(rng.uniform(1, 90), 1),
            "fare": round(rng.uniform(1, 30), 2), "tip": round(rng.uniform(-2, 5), 2), "late": rng.random() < 0.2,
        }
        for i in range(600)
    ]  # fmt: skip
    return {"rides": pd.DataFrame(rows)}


def clinic() -> dict[str, pd.DataFrame]:
    """Two tables, moments instead of days, wards with numbers in their names."""
    rng = random.Random(3)
    patients = [
        {"patient_no": f"P{i:03d}", "birth_year": rng.randint(1940, 2015), "ward": rng.choice(["Ward 7", "Ward 12", "ICU"])}
        for i in range(60)
    ]  # fmt: skip
    visits = [
        {
            "visit_no": i, "patient_no": f"P{rng.randrange(60):03d}",
            "admitted": pd.Timestamp("2024-01-01") + pd.Timedelta(hours=rng.randrange(24 * 330)),
            "cost_usd": round(rng.lognormvariate(6, 1), 2), "score": rng.randint(1, 5),
        }
        for i in range(500)
    ]  # fmt: skip
    return {"patients": pd.DataFrame(patients), "visits": pd.DataFrame(visits)}


def ledger() -> dict[str, pd.DataFrame]:
    """Accounts that are numbers, sums around zero, a column of growth in percent."""
    rng = random.Random(4)
    rows = [
        {
            "month": date(2022 + i // 120, 1 + (i // 10) % 12, 1), "account": 4000 + 10 * (i % 10),
            "kind": rng.choice(["income", "expense"]), "amount": round(rng.gauss(0, 5000), 2),
            "growth_pct": round(rng.gauss(2, 6), 1), "headcount": rng.randint(0, 30),
        }
        for i in range(300)
    ]  # fmt: skip
    return {"ledger": pd.DataFrame(rows)}


class Drawn:
    """Requests at random that a model can answer."""

    def __init__(self, model: SemanticModel, index: ValueIndex, seed: int) -> None:
        self.model, self.index, self.rng = model, index, random.Random(seed)

    def requests(self) -> tuple[Parts, ...]:
        """One to three requests: one, two of different kinds, or the same for several periods."""
        first = self.request()
        if self.rng.random() < 0.2:
            return first, self.request()
        if first.time_range is not None and self.rng.random() < 0.2:
            earlier = previous_period(first.time_range)
            periods = [earlier, previous_period(earlier)][: self.rng.choice([1, 2])]
            return first, *(first.model_copy(update={"time_range": p}) for p in periods)
        return (first,)

    def request(self) -> Parts:
        """One request; what the draw does not allow is drawn again."""
        while (drawn := self._draw()) is None:
            pass
        return drawn

    def _draw(self) -> Parts | None:
        rng, kind = self.rng, self.rng.choice(KINDS)
        metric = rng.choice(self.model.metrics)
        names, fields = [metric.name], self._limits(metric)
        groups = [d for d in self.model.dimensions if d.type is not T.TIME and self.model.reaches(metric, d)]
        groups = [d for d in groups if d.name != metric.name]
        if kind is K.CORRELATION:
            others = [m.name for m in self.model.metrics if m.name != metric.name]
            names.append(rng.choice(others))
        if kind in (K.BREAKDOWN, K.RANKING, K.LIST, K.SHARE):
            if not groups:
                return None
            fields["dimensions"] = tuple(
                d.name for d in rng.sample(groups, min(len(groups), rng.choice([1, 1, 2])))
            )
        if kind is K.RANKING:
            fields |= {"limit": rng.choice([1, 2, 3, 5]), "descending": rng.random() < 0.6}
            if self.model.time_dimension(metric) is not None and rng.random() < 0.3:
                del fields["dimensions"]
                fields["grain"] = rng.choice([G.WEEK, G.MONTH, G.QUARTER])
        if kind is K.TREND:
            if self.model.time_dimension(metric) is None:
                return None
            fields["grain"] = rng.choice([G.DAY, G.WEEK, G.MONTH, G.QUARTER, G.YEAR])
        if kind is K.COMPARISON and not self._compare(fields, groups):
            return None
        return Parts(question="a question", kind=kind, metrics=tuple(names), **fields)

    def _limits(self, metric: Metric) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        time = self.model.time_dimension(metric)
        if time is not None and time.coverage is not None and self.rng.random() < 0.5:
            first, last = (d.date() if hasattr(d, "date") else d for d in time.coverage)  # type: ignore[union-attr]
            day = first + timedelta(days=self.rng.randrange((last - first).days))
            grain = self.rng.choice([G.WEEK, G.MONTH, G.QUARTER, G.YEAR])
            unit = OF_GRAIN[grain]
            start = unit.floor(day)
            fields["time_range"] = TimeRange(start=start, end=unit.last_day(start), granularity=grain)
        if self.rng.random() < 0.4 and (chosen := self._condition(metric)) is not None:
            fields["filters"] = (chosen,)
        return fields

    def _condition(self, metric: Metric) -> Filter | None:
        reach = [d for d in self.model.dimensions if d.type is not T.TIME and self.model.reaches(metric, d)]
        if not reach:
            return None
        dimension = self.rng.choice(reach)
        if dimension.type is T.NUMBER:
            bound = self.rng.choice([1, 2, 5, 10, 20, 100])
            return Filter(
                field=dimension.name,
                operator=self.rng.choice([F.GREATER, F.LESS, F.AT_LEAST]),
                values=(bound,),
            )
        values = list(self.index.values(dimension.name))[:20]
        operator = self.rng.choice([F.EQUALS, F.EQUALS, F.NOT_EQUALS])
        return (
            Filter(field=dimension.name, operator=operator, values=(self.rng.choice(values),))
            if values
            else None
        )

    def _compare(self, fields: dict[str, Any], groups: list[Dimension]) -> bool:
        if "time_range" in fields:
            fields["comparison"] = Comparison(kind="period", period=previous_period(fields["time_range"]))
            return True
        few = [d for d in groups if len(self.index.values(d.name)) > 1]
        if not few:
            return False
        dimension = self.rng.choice(few)
        two = self.rng.sample(list(self.index.values(dimension.name))[:9], 2)
        fields["dimensions"] = (dimension.name,)
        fields["comparison"] = Comparison(kind="group", groups=tuple(str(v) for v in two))
        return True
