"""A small model of parcels, and a language model that says what a test lets it say."""

import json
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from gnomon.core.parts import Parts
from gnomon.llm import ModelClient, Privacy
from gnomon.planning.model_reader import ModelReader
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic.model import (
    Aggregation,
    ColumnRef,
    Dimension,
    DimensionType,
    Join,
    Metric,
    SemanticModel,
    TableMeaning,
)
from gnomon.semantic.values import ValueIndex

TODAY = date(2025, 1, 6)


def dimension(name: str, kind: DimensionType, table: str = "parcels", **more: Any) -> Dimension:
    return Dimension(
        name=name,
        label=name.replace("_", " "),
        type=kind,
        locations=(ColumnRef(table=table, column=name),),
        **more,
    )


def parcels() -> SemanticModel:
    own: dict[str, Any] = {"table": "parcels", "time_dimension": "sent_on"}
    return SemanticModel(
        tables=(
            TableMeaning(
                name="parcels", label="parcel", rows=900, key=("parcel_id",), time_dimension="sent_on"
            ),
            TableMeaning(name="depots", label="depot", rows=4, key=("depot",)),
        ),
        metrics=(
            Metric(
                name="postage",
                label="postage",
                aggregation=Aggregation.SUM,
                expression="postage",
                unit="EUR",
                **own,
            ),
            Metric(
                name="weight", label="weight", aggregation=Aggregation.MEAN, expression="weight", unit="kg", **own
            ),
            Metric(name="parcels", label="parcels", aggregation=Aggregation.COUNT, **own),
            Metric(
                name="staff", label="staff", aggregation=Aggregation.SUM, expression="staff", table="depots"
            ),
        ),
        dimensions=(
            dimension("sent_on", DimensionType.TIME, coverage=(date(2023, 1, 1), date(2024, 12, 31))),
            dimension("parcel_id", DimensionType.ID, distinct=900),
            dimension("service", DimensionType.CATEGORY, distinct=3),
            dimension("town", DimensionType.CATEGORY, distinct=4),
            dimension("origin", DimensionType.CATEGORY, distinct=4),
            dimension("damaged", DimensionType.BOOLEAN, distinct=2),
            dimension("postage", DimensionType.NUMBER, unit="EUR"),
            dimension("weight", DimensionType.NUMBER, unit="kg"),
            dimension("depot", DimensionType.ID, distinct=4),
            dimension("staff", DimensionType.NUMBER, "depots"),
            dimension("manager", DimensionType.CATEGORY, "depots", personal=True, distinct=4),
        ),
        joins=(Join(table="parcels", column="depot", to_table="depots", to_column="depot"),),
    )  # fmt: skip


VALUES = {
    "service": ("Express", "Standard", "Overnight Plus"),
    "town": ("Quillborough", "Marvik", "Oststadt"),
    "origin": ("Marvik", "Hafenberg"),
    "manager": ("Ottilie Brandvold", "Casimir Thune"),
    "damaged": (True, False),
}


def told(messages: list[ModelMessage], info: AgentInfo) -> str:
    """All that a model is told, without the times of day that messages carry."""
    parts = [str(getattr(p, "content", p)) for m in messages for p in m.parts]
    return "\n".join([info.instructions or "", *parts])


@dataclass
class Fake:
    """A model that says what it is told to, and remembers what it was sent."""

    says: list[dict[str, Any] | Exception]
    sent: list[str] = field(default_factory=list[str])

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append(told(messages, info))
        said = self.says[min(len(self.sent), len(self.says)) - 1]
        if isinstance(said, Exception):
            raise said
        return ModelResponse(parts=[TextPart(json.dumps(said))])


COLUMNS = {
    "parcels": {
        "parcel_id": "string", "sent_on": "date", "service": "string", "town": "string", "origin": "string",
        "damaged": "boolean", "postage": "float64", "weight": "float64", "depot": "string",
    },
    "depots": {"depot": "string", "staff": "int64", "manager": "string"},
}  # fmt: skip


def query_of(
    query: str,
    restated: str = "",
    ignored: tuple[str, ...] = (),
    missing: tuple[str, ...] = (),
    study: str = "",
) -> dict[str, Any]:
    """What a model says: a query, and the question in other words."""
    said = {"restated": restated, "query": query, "ignored": list(ignored), "missing": list(missing)}
    return said | ({"study": study} if study else {})


@cache
def _known() -> tuple[SemanticModel, ValueIndex, GrammarReader]:
    model, index = parcels(), ValueIndex(VALUES, ("manager",))
    return model, index, GrammarReader(model, index)


def reader_of(
    fake: Fake, privacy: Privacy = Privacy.SCHEMA, timeout: float = 20.0, *, earned: bool = False
) -> ModelReader:
    client = ModelClient(FunctionModel(fake), privacy=privacy, timeout=timeout)
    model, index, grammar = _known()
    return ModelReader(client, model, index, grammar, COLUMNS, earned=lambda: earned)


def read(question: str, *says: dict[str, Any] | Exception, privacy: Privacy = Privacy.SCHEMA, **more: Any) -> tuple[Reading, Fake]:  # fmt: skip
    fake = Fake(list(says))
    return reader_of(fake, privacy).read(question, today=TODAY, **more), fake


def only(reading: Reading) -> Parts:
    assert reading.status is ReadingStatus.CLEAR, (reading.status, reading.missing, reading.message)
    (request,) = reading.parts
    return request
