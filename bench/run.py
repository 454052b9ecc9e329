"""Run the benchmarks in turn and print their tables.

``python bench/run.py [NAME …] [--data FOLDER]``; FOLDER holds ``adbench`` and ``nab`` for the benchmarks that take
real data.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BENCHMARKS: dict[str, list[str]] = {
    "embedding": [],
    "execution": [],
    "mcp_calls": [],
    "sandbox": [],
    "forecast": ["{data}/nab"],
    "anomaly": ["--adbench", "{data}/adbench", "--nab", "{data}/nab"],
    "profile": [],
    "gate": ["--clinc", "{data}/clinc150/data.json"],
    "guardrails": [],
    "ask": [],
    "ask_worlds": [],
    "ask_unseen": ["--data", "{data}"],
}
"""Each benchmark with the arguments it takes where there is real data."""


def main() -> int:
    """Run the named benchmarks, or all of them; the exit code counts those that failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--data", type=Path, help="folder with adbench and nab")
    given = parser.parse_args()
    if unknown := set(given.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    failed: list[str] = []
    for name in given.names or BENCHMARKS:
        arguments = [a.format(data=given.data) for a in BENCHMARKS[name]] if given.data else []
        print(f"\n## {name}\n", flush=True)
        if subprocess.run([sys.executable, str(HERE / f"{name}.py"), *arguments]).returncode:
            failed.append(name)
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
