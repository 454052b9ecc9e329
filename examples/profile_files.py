"""Profile files from Python: what they hold, what a model may be told, and rows in chunks."""

from __future__ import annotations

import tempfile
from pathlib import Path

from gnomon.data import (
    build_safe_profile,
    load_and_profile_data,
    load_data_chunked,
    sanitize_execution_feedback,
)

ORDERS = """order_id,ordered_on,channel,price
1,03/01/2025,web,$12.50
2,03/02/2025,store,$8.00
3,03/04/2025,web,"$1,020.00"
4,03/05/2025,web,$15.25
5,03/06/2025,store,$9.75
"""


def main() -> None:
    """Write a small file, profile it and read it back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders.csv"
        path.write_text(ORDERS)
        loaded = load_and_profile_data([path])
        with loaded.dataset:
            table = loaded.profile.table("orders")
            for column in table.columns:
                print(f"{column.name}: {column.role.value}, {column.distinct} different values")
            print(build_safe_profile(loaded.profile))
            error = "ValueError: could not convert string to float: '$1,020.00'"
            print(sanitize_execution_feedback(error, loaded.dataset))
        total = sum(chunk["price"].sum() for chunk in load_data_chunked(path, chunk_size=2))
        print(f"Total of all chunks: {total:.2f}")


if __name__ == "__main__":
    main()
