"""The documentation is tested: what it must mention, and what it must not."""

import re
import subprocess
from pathlib import Path

import pytest

from gnomon.core.settings import Settings

ROOT = Path(__file__).parents[2]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_every_setting_is_documented_with_its_default(field: str) -> None:
    text = (ROOT / "docs" / "settings.md").read_text()
    (row,) = [line for line in text.splitlines() if f"`{Settings.variable(field)}`" in line]
    description = Settings.model_fields[field].description
    assert description is not None
    assert description in row


def test_every_command_is_documented() -> None:
    from gnomon.cli.app import app

    text = "\n".join(p.read_text() for p in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    names = [c.name or c.callback.__name__.replace("_", "-") for c in app.registered_commands if c.callback]
    assert len(names) >= 4
    assert [n for n in names if f"gnomon {n}" not in text] == []


def test_every_runtime_dependency_has_a_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        *project["dependencies"],
        *(d for extra in project["optional-dependencies"].values() for d in extra),
    ]
    names = {re.split(r"[\[<>=!~ ]", d)[0] for d in listed}
    text = (ROOT / "docs" / "dependencies.md").read_text()
    assert sorted(n for n in names if f"`{n}`" not in text) == []


def test_every_link_between_pages_leads_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)} → {target}"
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
        for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_no_lock_file_records_an_address() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    assert "--hash=sha256:" in lock
    assert not (ROOT / "uv.lock").exists() or ROOT / "uv.lock" not in tracked()


def test_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "make run" in text
    assert "make test" in text
