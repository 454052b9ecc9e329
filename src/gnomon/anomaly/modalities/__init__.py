"""Every kind of data as something detectors can read: series, texts, images, graphs and tables.

``detect_type`` tells what kind of data something is; ``prepare`` turns it into a ``Prepared``: one row per
item and one column per way in which an item can be unusual, named so that a reader understands it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.anomaly.modalities.detection import detect_type

if TYPE_CHECKING:
    from gnomon.anomaly.prepared import Prepared

__all__ = ["detect_type", "prepare"]


def prepare(data: Any, data_type: str | None = None, **options: Any) -> Prepared:
    """Turn data of any kind into a matrix that detectors can read.

    Args:
        data: A table, series, texts, images or a graph.
        data_type: What it is; found from the data when not given.
        options: Passed on to the kind of data: ``time_column`` for series, ``column`` and ``encoder``
            for texts, ``encoder`` for images, ``features`` for graphs.
    """
    kind = detect_type(data, data_type)
    if kind == "time_series":
        from gnomon.anomaly.modalities.series import prepare_series

        return prepare_series(data, **options)
    if kind == "text":
        from gnomon.anomaly.modalities.text import prepare_text

        return prepare_text(data, **options)
    if kind == "image":
        from gnomon.anomaly.modalities.image import prepare_images

        return prepare_images(data, **options)
    if kind == "graph":
        from gnomon.anomaly.modalities.graph import prepare_graph

        return prepare_graph(data, **options)
    from gnomon.anomaly.tables import prepare_table

    return prepare_table(data, **options)
