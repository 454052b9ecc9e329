"""The description of the service is complete: every request and response has an example, which fits its schema."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gnomon.core import Settings
from gnomon.server import create_app

Schema = dict[str, Any]


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    home: Path = tmp_path_factory.mktemp("described")
    return create_app(Settings(home=home)).openapi()


def contents(described: Schema) -> Iterator[tuple[str, Schema]]:
    """Every JSON body that goes in, and that comes out where all is well."""
    for path, operations in described["paths"].items():
        for verb, operation in operations.items():
            name = f"{verb.upper()} {path}"
            given = operation.get("requestBody", {}).get("content", {})
            told = [
                r.get("content", {}) for code, r in operation["responses"].items() if code.startswith("2")
            ]
            for content in (given, *told):
                if set(content) == {"application/json"}:  # a file to take away has many types
                    yield name, content["application/json"]


def resolved(described: Schema, schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def test_every_request_and_response_has_an_example_that_fits(described: Schema) -> None:
    without, unfit, seen = [], [], 0
    for name, content in contents(described):
        schema = resolved(described, content["schema"])
        examples = [content["example"]] if "example" in content else schema.get("examples", [])
        if not examples:
            without.append((name, schema.get("title")))
        checker = Draft202012Validator({**schema, "components": described["components"]})
        for example in examples:
            seen += 1
            unfit += [(name, e.json_path, e.message) for e in checker.iter_errors(example)]
    assert without == []
    assert unfit == []
    assert seen > 40


def test_every_operation_says_what_it_does_and_how_it_fails(described: Schema) -> None:
    for path, operations in described["paths"].items():
        for verb, operation in operations.items():
            assert operation.get("description"), (verb, path)
            assert "422" in operation["responses"], (verb, path)


def test_every_example_names_a_schema_that_is_used(described: Schema) -> None:
    import json
    from importlib.resources import files

    known = json.loads(files("gnomon.server").joinpath("examples.json").read_text(encoding="utf-8"))
    assert set(known) <= set(described["components"]["schemas"])
