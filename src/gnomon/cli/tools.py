"""``gnomon tools``: which tools there are, and new ones declared in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from gnomon.cli.console import console, print_json


def tools(
    add: Annotated[
        Path | None,
        typer.Option(help="A YAML or JSON file that declares a tool as a plan over existing ones."),
    ] = None,
    search: Annotated[str | None, typer.Option(help="Only tools that share words with this.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
) -> None:
    """List the tools with what they are for, or add one."""
    from gnomon.workbench import Workbench

    with Workbench() as workbench:
        if add is not None:
            tool = workbench.declare_tool(_declaration(add))
            console().print(f"Saved [bold]{tool.spec.name}[/] version {tool.spec.version}.")
            return
        found = workbench.registry.search(search, limit=100) if search else list(workbench.registry)
        if json_output:
            print_json(
                [
                    {
                        **t.spec.model_dump(mode="json"),
                        "unavailable": workbench.registry.unavailable(t.spec.name),
                    }
                    for t in found
                ]
            )
            return
        listed = Table("tool", "for", "what it does", "available")
        for tool in found:
            reason = workbench.registry.unavailable(tool.spec.name)
            listed.add_row(
                tool.spec.name,
                ", ".join(tool.spec.goals),
                escape(tool.spec.description),
                "yes" if reason is None else f"no: {escape(reason)}",
            )
        console().print(listed)


def _declaration(path: Path) -> dict[str, object]:
    import yaml

    from gnomon.core.errors import DataUnavailable, InvalidInput
    from gnomon.core.safe_yaml import load_yaml

    try:
        read = load_yaml(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise DataUnavailable(f"{path} cannot be read: {e.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InvalidInput(
            f"{path} is neither YAML nor JSON.", suggestions=["docs/tools.md shows a declaration."]
        ) from None
    if not isinstance(read, dict):
        raise InvalidInput(
            f"{path} does not declare a tool.", suggestions=["docs/tools.md shows a declaration."]
        )
    return read
