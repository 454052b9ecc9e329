"""What users get is what we test: the built wheel, installed into an empty environment, profiles a CSV."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("*.whl")
    return built


@pytest.mark.long
def test_the_wheel_carries_what_is_not_code(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "gnomon/py.typed",
        "gnomon/embedding/model/model.onnx",
        "gnomon/embedding/model/tokenizer.json",
        "gnomon/embedding/wordnet/NOTICE",
        "gnomon/embedding/wordnet/lexicon.z",
        "gnomon/language/data/router.npz",
        "gnomon/language/data/exposure.npz",
        "gnomon/language/data/exposure_head.npz",
        "gnomon/language/data/tuned/model.onnx",
        "gnomon/semantic/vocabulary.yaml",
        "gnomon/guardrails/data/policies.yaml",
        "gnomon/guardrails/data/toxicity.npz",
        "gnomon/guardrails/data/person_names.npz",
        "gnomon/agents/evaluation/data/questions.jsonl",
    } <= names
    assert "gnomon/anomaly/knowledge.json" in names
    assert not [n for n in names if n.startswith("tests/")]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_installed_wheel_profiles_a_csv(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "empty"
    uv = Path(sys.executable).parent / "uv"
    clean = {
        k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV", "UV_COMPILE_BYTECODE"}
    }
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    subprocess.run(
        [str(uv), "pip", "install", "--quiet", "--python", str(environment / "bin" / "python")]
        + ["--constraint", str(ROOT / "requirements.lock"), str(wheel)],
        check=True,
        env=clean,
    )
    data = tmp_path / "cafés.csv"
    data.write_text(
        'city,opened,revenue\nLisbon,8 Nov 2018,"$1,234.50"\nPorto,9 Nov 2018,$2.50\n', encoding="utf-8"
    )
    done = subprocess.run(
        [str(environment / "bin" / "gnomon"), "profile", str(data), "--json"],
        capture_output=True, text=True, check=True, cwd=tmp_path, env=clean | {"GNOMON_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    (table,) = json.loads(done.stdout)["tables"]
    by_name = {c["name"]: c for c in table["columns"]}
    assert table["rows"] == 2
    assert by_name["revenue"]["maximum"] == 1234.5
    assert by_name["opened"]["role"] == "time"
