"""Agents for the entries: each names the data set that it opened, since all share the service with those before them."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from chains import Call, calling
from mcp_harness import stdio

from faults_world import Fault, World

LEAKS = "Leaks"


@contextmanager
def agent(world: World, transport: str, *files: Path) -> Generator[Call]:
    """A client of the service, or of a server of its own on standard input and output, over these files.

    Raises:
        RuntimeError: They could not be opened.
    """
    paths = [str(f) for f in files or (world.data / "staff.csv", world.data / "visits.csv")]
    target = stdio(*paths, home=world.folder / "stdio") if transport == "stdio" else f"{world.address}/mcp"
    with calling(target) as call:
        opened = call("open_dataset", {"paths": paths})
        if opened.is_error:
            raise RuntimeError(said_by(opened))
        handle = opened.structured_content["dataset"]
        names = {t["name"] for t in opened.structured_content["tables"]}

        def meant(value: Any) -> Any:
            own = isinstance(value, dict) and value.get("table") in names
            return {"table": f"{handle}.{value['table']}"} if own else value

        def named(name: str, arguments: dict[str, Any]) -> Any:
            asked = {"dataset": handle} if name in ("ask", "why") else {}
            return call(name, asked | {k: meant(v) for k, v in arguments.items()})

        yield named


def said_by(result: Any) -> str:
    """Everything that a result of a tool holds."""
    return "".join(getattr(c, "text", "") for c in result.content) + json.dumps(result.structured_content)


def both(run: Callable[[World, str], list[str]], name: str, group: str = LEAKS) -> list[Fault]:
    """An entry over each transport."""
    return [Fault(group, f"{name}, {t}", partial(run, transport=t)) for t in ("stdio", "http")]
