"""Nothing outside the allowed folders is opened, by whichever way a link is reached."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.core.errors import GnomonError, PolicyViolation
from gnomon.data import open_sources
from gnomon.tools import Frame, ToolContext
from gnomon.tools.resolve import read_arrow


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a file of its own, and links to a file and to a folder outside."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "salaries.csv").write_text("name,salary\nCanary,1\n")
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    (root / "own.csv").write_text("a,b\n1,2\n")
    (root / "deep" / "more.csv").write_text("c,d\n1,2\n")
    for link in (root / "link.csv", root / "deep" / "inner.csv", root / "part-1.csv"):
        link.symlink_to(secret / "salaries.csv")
    (root / "folder").symlink_to(secret)
    (root / "again.csv").symlink_to(root / "own.csv")
    return root


@pytest.mark.parametrize(
    "named", ["link.csv", "lin*.csv", "**/inner.csv", "folder/*.csv", "fold*/*.csv", "folder", "*.csv", "link.csv/../link.csv"]
)  # fmt: skip
def test_a_link_that_leads_outside_is_refused_however_it_is_named(root: Path, named: str) -> None:
    with pytest.raises(GnomonError) as refused:
        open_sources(str(root / named), roots=[root])
    assert "Canary" not in str(refused.value)
    if named != "folder":
        assert isinstance(refused.value, PolicyViolation)


def test_a_folder_is_opened_without_what_leads_outside_and_says_so(root: Path) -> None:
    with open_sources(root, roots=[root]) as dataset:
        assert "salary" not in {c.name for t in dataset for c in t.columns}
        assert {"own", "again", "deep_more"} <= set(dataset.tables)
        assert len([w for w in dataset.warnings if "outside" in w]) == 3


def test_a_tool_that_reads_an_address_follows_links_too(root: Path) -> None:
    for address in (root / "lin*.csv", root / "folder" / "salaries.csv", root / "**" / "inner.csv"):
        with pytest.raises(PolicyViolation):
            read_arrow(Frame.of({"source": str(address)}), ToolContext(roots=(root,)))
    assert read_arrow(Frame.of({"source": str(root / "again.csv")}), ToolContext(roots=(root,))).num_rows == 1


def test_without_roots_a_user_may_follow_their_own_links(root: Path) -> None:
    with open_sources(root / "link.csv") as dataset:
        assert len(dataset) == 1


def test_a_folder_that_may_not_be_looked_into_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.csv").write_text("town,sales\na,1\nb,2\n")
    looked = Path.iterdir

    def refused(folder: Path) -> Iterator[Path]:
        if folder.name == "theirs":
            raise PermissionError(13, "Permission denied", str(folder))
        return looked(folder)

    monkeypatch.setattr(Path, "iterdir", refused)
    with open_sources(tmp_path) as dataset:
        assert any(t.endswith("mine") for t in dataset.tables)
