"""Profiles against DuckDB's SUMMARIZE and ydata-profiling on the same generated files.

Every measurement runs in a fresh process, which reports its own time and peak memory::

    python bench/profile.py                       # 20M rows of Parquet, a CSV of at least 1 GB, 200k rows for ydata
    python bench/profile.py --rows 2000000        # a quicker run
    python bench/profile.py --skip-ydata
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
PEER = HERE / ".venv" / "bin" / "python"

ROW = """
SELECT i AS order_id,
  TIMESTAMP '2022-01-01' + INTERVAL 1 SECOND * (i * 3 + hash(i) % 3) AS ordered_at,
  ['web', 'store', 'app', 'phone', 'partner'][1 + (hash(i) % 5)::INT] AS channel,
  'Region ' || (hash(i + 7) % 50) AS region,
  'C' || lpad((hash(i * 13) % 2000000)::VARCHAR, 8, '0') AS customer,
  (hash(i + 1) % 20)::INT + 1 AS units,
  round((hash(i + 2) % 100000) / 100.0, 2) AS price,
  CASE WHEN hash(i + 3) % 10 = 0 THEN NULL ELSE sqrt((hash(i + 4) % 1000000007)::DOUBLE) END AS score,
  hash(i + 5) % 100 < 7 AS returned
FROM range({rows}) t(i)
"""


def generate(path: Path, rows: int) -> Path:
    """Write ``rows`` rows of nine columns to a Parquet or CSV file, once."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        partial = path.with_name("partial" + path.suffix)
        duckdb.connect().execute(f"COPY ({ROW.format(rows=rows)}) TO '{partial}'")
        partial.rename(path)
    return path


def run_gnomon(path: str) -> None:
    """Open and profile a file completely, as ``gnomon profile --full`` does."""
    from gnomon.data import load_and_profile_data

    loaded = load_and_profile_data([path], full=True)
    assert loaded.profile.tables[0].rows > 0


def run_summarize(path: str) -> None:
    """DuckDB's own SUMMARIZE."""
    import duckdb

    assert len(duckdb.connect().execute(f"SUMMARIZE FROM '{path}'").fetchall()) == 9


def run_ydata(path: str) -> None:
    """ydata-profiling in minimal mode, description only (no HTML)."""
    import pandas as pd  # the peer's own, older pandas
    from ydata_profiling import ProfileReport  # pyright: ignore[reportMissingImports]

    ProfileReport(pd.read_parquet(path), minimal=True, progress_bar=False).get_description()


def child(tool: str, path: str) -> None:
    """Run one tool in this process and print what it took."""
    imports = {"gnomon": "gnomon.data", "summarize": "duckdb", "ydata": "ydata_profiling"}
    __import__(imports[tool])
    started, cpu = time.perf_counter(), time.process_time()
    {"gnomon": run_gnomon, "summarize": run_summarize, "ydata": run_ydata}[tool](path)
    taken = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu}
    print(json.dumps({**taken, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def measure(tool: str, path: Path, repeat: int) -> dict[str, float]:
    """The fastest of ``repeat`` fresh processes, with the largest peak of memory."""
    python = str(PEER) if tool == "ydata" else sys.executable
    runs: list[dict[str, float]] = []
    for _ in range(repeat):
        command = [python, str(Path(__file__).resolve()), "--child", tool, str(path)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"TQDM_DISABLE": "1"}
        )
        if done.returncode:
            raise SystemExit(f"{tool} failed on {path.name}:\n{done.stderr[-2000:]}")
        runs.append(json.loads(done.stdout.strip().splitlines()[-1]))
    best = min(runs, key=lambda r: r["seconds"])
    return {**best, "peak_mb": max(r["peak_mb"] for r in runs)}


def peer_environment() -> bool:
    """An environment for ydata-profiling, which pins libraries older than ours."""
    if (
        PEER.exists()
        and subprocess.run(
            [str(PEER), "-c", "import ydata_profiling"], check=False, capture_output=True
        ).returncode
        == 0
    ):
        return True
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    made = subprocess.run([uv, "venv", "--python", "3.11", str(PEER.parents[1])], check=False)
    wanted = ["ydata-profiling", "pyarrow", "setuptools<81"]
    return (
        made.returncode == 0
        and subprocess.run([uv, "pip", "install", "--python", str(PEER), *wanted], check=False).returncode
        == 0
    )


def row(data: str, tool: str, taken: dict[str, float], base: float | None) -> str:
    ratio = "" if base is None else f"{taken['seconds'] / base:.2f}×"
    return f"| {data} | {tool} | {taken['seconds']:.2f} | {taken['cpu']:.2f} | {taken['peak_mb']:,.0f} | {ratio} |"


def compare(path: Path, rows: int, tools: tuple[str, str], repeat: int) -> None:
    """Measure two tools on one file; the second is the base of the ratio."""
    size = path.stat().st_size / 1e9
    label = f"{rows:,} rows × 9, {path.suffix[1:]}, {size:.2f} GB"
    base = measure(tools[1], path, repeat)
    ours = measure(tools[0], path, repeat)
    print(row(label, tools[0], ours, base["seconds"]))
    print(row(label, tools[1], base, base["seconds"]), flush=True)


def main() -> None:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000, help="rows of the Parquet file")
    parser.add_argument(
        "--csv-rows", type=int, default=None, help="rows of the CSV file (default: at least 1 GB)"
    )
    parser.add_argument("--ydata-rows", type=int, default=200_000, help="rows that ydata-profiling gets")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--skip-ydata", action="store_true")
    parser.add_argument("--skip-csv", action="store_true")
    parser.add_argument("--child", nargs=2, metavar=("TOOL", "PATH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    print("| data | tool | seconds | CPU s | peak MB | time against the peer |")
    print("|---|---|---|---|---|---|", flush=True)
    parquet = generate(DATA / f"orders_{options.rows}.parquet", options.rows)
    compare(parquet, options.rows, ("gnomon", "summarize"), options.repeat)
    if not options.skip_csv:
        rows = options.csv_rows or max(options.rows * 3 // 4, 1)
        compare(generate(DATA / f"orders_{rows}.csv", rows), rows, ("gnomon", "summarize"), options.repeat)
    if not options.skip_ydata and peer_environment():
        small = generate(DATA / f"orders_{options.ydata_rows}.parquet", options.ydata_rows)
        compare(small, options.ydata_rows, ("gnomon", "ydata"), options.repeat)


if __name__ == "__main__":
    main()
