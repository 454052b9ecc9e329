"""Run every benchmark in turn and print its table; arguments select some by name."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BENCHMARKS = sorted(p.stem for p in HERE.glob("*.py") if p.stem not in {"run"} and not p.stem.startswith("_"))


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all of them; the exit code counts those that failed."""
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        print(f"There is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}.")
        return 2
    failed = [
        n for n in names or BENCHMARKS if subprocess.run([sys.executable, str(HERE / f"{n}.py")]).returncode
    ]
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
