"""Resources: the open data sets, what may be told of their tables, and the reports of investigations."""

from __future__ import annotations

from typing import Any

from mcp_types import Resource, ResourceTemplate

from gnomon.core.errors import NotFound
from gnomon.mcp_server.calls import Desk, as_text
from gnomon.mcp_server.investigations import Investigations
from gnomon.mcp_server.own_tools import dataset_summary

DATASETS = "gnomon://datasets"
JSON = "application/json"
MARKDOWN = "text/markdown"


def listed(desk: Desk, investigations: Investigations) -> list[Resource]:
    """Every resource that can be read now."""
    found = [
        Resource(uri=DATASETS, name="datasets", title="Open data sets", mime_type=JSON,
                 description="Handles, files and tables of the data sets that are open.")
    ]  # fmt: skip
    for handle, opened in desk.datasets.items():
        tables = ", ".join(list(opened.dataset.tables)[:5])
        found.append(
            Resource(uri=f"{DATASETS}/{handle}/profile", name=f"profile {handle}", title=f"Profile of {tables}",
                     mime_type=JSON, description="Names, types, counts and null rates; no values.")
        )  # fmt: skip
    for handle, kept in investigations.items():
        if kept.state.phase == "analyzed" and kept.state.analysis is not None:
            found.append(
                Resource(uri=f"gnomon://investigations/{handle}/report", name=f"report {handle}",
                         title="Report of an investigation", mime_type=MARKDOWN)
            )  # fmt: skip
    return found


def templates() -> list[ResourceTemplate]:
    """The shapes of addresses that can be read."""
    return [
        ResourceTemplate(uri_template=f"{DATASETS}/{{dataset}}/profile", name="profile", mime_type=JSON,
                         description="The safe profile of an open data set."),
        ResourceTemplate(uri_template="gnomon://investigations/{investigation}/report", name="report",
                         mime_type=MARKDOWN, description="The report of an analysed investigation."),
    ]  # fmt: skip


def read(uri: str, desk: Desk, investigations: Investigations) -> tuple[str, str]:
    """The content of a resource and its type.

    Raises:
        NotFound: Nothing is there.
    """
    parts = uri.removeprefix("gnomon://").split("/")
    if uri == DATASETS:
        listing: list[dict[str, Any]] = [
            {"dataset": h, "tables": list(o.dataset.tables)} for h, o in desk.datasets.items()
        ]
        return as_text({"datasets": listing}), JSON
    if uri.startswith("gnomon://") and len(parts) == 3:
        kind, handle, what = parts
        if (kind, what) == ("datasets", "profile"):
            opened = desk.datasets.get(handle)
            return as_text(dataset_summary(handle, opened, share_rows=desk.share_rows)), JSON
        if (kind, what) == ("investigations", "report"):
            return investigations.report_text(handle, desk), MARKDOWN
    raise NotFound("There is no such resource.", suggestions=["List the resources to see their addresses."])
