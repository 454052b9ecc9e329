"""An example of every request and response in the OpenAPI description, from ``examples.json`` beside this file."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from fastapi import FastAPI

_EVENT = {
    "id": "1",
    "event": "progress",
    "data": '{"kind": "progress", "fraction": 0.5, "data": {"message": "Round 2 of 20"}}',
}


def add_examples(app: FastAPI) -> None:
    """Have the description of the service carry an example of each thing that it names."""
    described = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = described()
            known = json.loads(files("gnomon.server").joinpath("examples.json").read_text(encoding="utf-8"))
            for name, example in known.items():
                schema["components"]["schemas"][name]["examples"] = [example]
            for path in schema["paths"].values():
                for operation in path.values():
                    _shown(operation, known)
        return app.openapi_schema or {}

    app.openapi = openapi


def _shown(operation: dict[str, Any], known: dict[str, Any]) -> None:
    """Examples of what no schema of its own describes: lists and streams."""
    for response in operation["responses"].values():
        for kind, content in response.get("content", {}).items():
            item = content.get("schema", {}).get("items", {}).get("$ref", "").rsplit("/", 1)[-1]
            if item in known:
                content["example"] = [known[item]]
            elif kind == "text/event-stream":
                content["example"] = _EVENT
