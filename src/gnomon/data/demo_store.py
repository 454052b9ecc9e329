"""The demo store: a shop with known causes, written as Parquet tables, the same for the same seed.

Sales follow from traffic, conversion and price, with seasons and promotions. What was planted is listed in
``.evaluation/manifest.json`` beside the tables: for judging answers, never for making them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core.errors import DataUnavailable, InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from gnomon.data.demo_catalog import Catalog

TABLES = ("orders", "products", "traffic", "inventory", "prices", "reviews", "account", "benchmarks")
BLOCK = 300
LARGEST_SCALE = 1000.0
# Raised whenever the same seed starts to give other data, so that stores of an older Gnomon are made anew.
GENERATION = 1
MANIFEST = Path(".evaluation") / "manifest.json"
Progress = Callable[[float], None]


@dataclass(frozen=True)
class DemoStore:
    """Where a demo store lies and how many rows its tables have."""

    folder: Path
    seed: int
    scale: float
    rows: Mapping[str, int]

    @property
    def manifest_path(self) -> Path:
        """The list of what was planted."""
        return self.folder / MANIFEST

    @property
    def tables(self) -> dict[str, Path]:
        """The file of each table."""
        return {name: self.folder / f"{name}.parquet" for name in TABLES}

    @classmethod
    def find(cls, folder: Path) -> DemoStore | None:
        """The complete demo store of this generation in ``folder``, or nothing."""
        try:
            written = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            store = cls(folder, int(written["seed"]), float(written["scale"]), dict(written["rows"]))
            current = written["generation"] == GENERATION
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return store if current and all(path.is_file() for path in store.tables.values()) else None


def write_demo_store(
    folder: Path | str, seed: int = 7, scale: float = 1.0, progress: Progress | None = None
) -> DemoStore:
    """Write the eight tables and the manifest into ``folder``, replacing those of an earlier run.

    Args:
        folder: Made where missing.
        seed: The same seed and scale give the same files.
        scale: How many times 300 products and their rows, though never fewer than 60 products; memory
            does not grow with it.
        progress: Called with the finished share, from 0 to 1.

    Raises:
        InvalidInput: The seed or the scale cannot be used.
        DataUnavailable: The folder cannot be written.
    """
    from gnomon.data.demo_catalog import FEWEST_PRODUCTS, PRODUCTS_AT_SCALE_1, make_catalog

    if not 0 < scale <= LARGEST_SCALE:
        raise InvalidInput(
            f"The scale must be above 0 and at most {LARGEST_SCALE:g}, not {scale:g}.",
            suggestions=["1 gives 300 products and about 200,000 orders."],
        )
    if seed < 0:
        raise InvalidInput(f"The seed must be a whole number from 0 on, not {seed}.")
    target = Path(folder).expanduser()
    catalog = make_catalog(max(FEWEST_PRODUCTS, round(PRODUCTS_AT_SCALE_1 * scale)), seed)
    try:
        return _write(target, catalog, seed, scale, progress or (lambda _: None))
    except OSError as e:
        raise DataUnavailable(
            f"The demo store cannot be written to {target}: {e.strerror or e}.",
            suggestions=["Name a folder that you may write to, with enough space."],
        ) from None


def _write(target: Path, catalog: Catalog, seed: int, scale: float, progress: Progress) -> DemoStore:
    from gnomon.data.demo_account import account, benchmarks
    from gnomon.data.demo_block import simulate
    from gnomon.data.demo_catalog import BRANDS, CATEGORIES, launch_date
    from gnomon.data.demo_events import EVENTS, Impact, manifest

    (target / MANIFEST.parent).mkdir(parents=True, exist_ok=True)
    (target / MANIFEST).unlink(missing_ok=True)
    impact = Impact()
    with _TableFiles(target) as files:
        files.append("products", {
            "product_id": catalog.product_id,
            "name": catalog.name,
            "category": [CATEGORIES[i].name for i in catalog.category],
            "brand": [BRANDS[i] for i in catalog.brand],
            "launch_date": np.array([launch_date(catalog, i).toordinal() for i in range(len(catalog))]),
            "list_price": catalog.list_cents / 100,
        })  # fmt: skip
        for offset in range(0, len(catalog), BLOCK):
            count = min(BLOCK, len(catalog) - offset)
            names = catalog.product_id[offset : offset + count]
            for table, columns in simulate(catalog, offset, count, seed, impact).items():
                files.append(table, columns, products=names)
            progress((offset + count) / len(catalog))
        files.append("account", account(EVENTS, np.random.default_rng([seed, 303])))
        files.append("benchmarks", benchmarks(np.random.default_rng([seed, 404])))
    store = DemoStore(target, seed, scale, files.rows)
    planted = manifest(catalog, impact, seed=seed, scale=scale)
    content = {"generation": GENERATION, **planted, "rows": files.rows}
    store.manifest_path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return store


class _TableFiles:
    """Eight Parquet files that grow block by block and take their names only when all are complete."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[str, pq.ParquetWriter] = {}
        self.rows: dict[str, int] = dict.fromkeys(TABLES, 0)

    def __enter__(self) -> _TableFiles:
        return self

    def append(self, table: str, columns: dict[str, Any], products: list[str] | None = None) -> None:
        """Add rows; whole numbers under the names of dates, products, channels and regions are decoded."""
        import pyarrow.parquet as pq

        numbered = _numbered(table, columns, self.rows[table])
        rows = _to_arrow(numbered, products)
        if table not in self._writers:
            self._writers[table] = pq.ParquetWriter(
                self._partial(table), rows.schema, compression="zstd", store_schema=False
            )
        self._writers[table].write_table(rows, row_group_size=250_000)
        self.rows[table] += rows.num_rows

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for writer in self._writers.values():
            writer.close()
        for table in self._writers:
            if kind is None:
                self._partial(table).replace(self._folder / f"{table}.parquet")
            else:
                self._partial(table).unlink(missing_ok=True)

    def _partial(self, table: str) -> Path:
        return self._folder / MANIFEST.parent / f"{table}.partial"


def _numbered(table: str, columns: dict[str, Any], first: int) -> dict[str, Any]:
    ids = {"orders": ("order_id", 1_000_001), "reviews": ("review_id", 500_001)}
    if table not in ids:
        return columns
    name, start = ids[table]
    count = len(next(iter(columns.values())))
    return {name: np.arange(start + first, start + first + count), **columns}


def _to_arrow(columns: dict[str, Any], products: list[str] | None) -> pa.Table:
    import pyarrow as pa

    from gnomon.data.demo_account import as_days
    from gnomon.data.demo_catalog import CHANNELS, REGIONS

    words = {"product_id": products, "channel": list(CHANNELS), "region": list(REGIONS)}
    arrays: dict[str, Any] = {}
    for name, values in columns.items():
        known = words.get(name)
        if name in {"date", "order_date", "launch_date", "month"}:
            arrays[name] = pa.array(as_days(values), type=pa.date32())
        elif known is not None:
            codes = pa.array(np.asarray(values, dtype=np.int32))
            arrays[name] = pa.DictionaryArray.from_arrays(codes, pa.array(known))
        else:
            arrays[name] = pa.array(values)
    return pa.table(arrays)
