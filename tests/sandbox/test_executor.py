"""Cells run one after the other as in a notebook, and what they show comes back typed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from tests.sandbox.conftest import TIGHT

from gnomon.core.errors import DataUnavailable, InvalidInput
from gnomon.core.settings import Settings
from gnomon.sandbox import CodeExecutor, Limits, Table, Text

pytestmark = pytest.mark.needs("bwrap")
ROOMY = Limits(seconds=60, memory_mb=1024, processes=64, files_mb=64, grace_seconds=0.5)


@pytest.fixture(scope="module")
def executor(sales_file: Path) -> Iterator[CodeExecutor]:
    with CodeExecutor(
        files={"sales": sales_file}, settings=Settings(sandbox="bubblewrap"), limits=ROOMY
    ) as made:
        yield made


@pytest.fixture
def light(workers: Callable[[str], CodeExecutor]) -> CodeExecutor:
    return workers("bubblewrap")


class Token:
    cancelled = False


def text_of(executor: CodeExecutor, code: str) -> str:
    result = executor.run(code)
    assert result.ok, result.error
    (shown,) = result.artefacts
    assert isinstance(shown, Text)
    return shown.text


def test_variables_stand_from_cell_to_cell_and_the_last_value_is_shown(light: CodeExecutor) -> None:
    first = light.run("total = 40\nprint('set')\nimport sys\nprint('warned', file=sys.stderr)")
    assert (first.ok, first.stdout, first.stderr, first.artefacts) == (True, "set\n", "warned\n", ())
    assert first.variables["total"] == "int"
    assert text_of(light, "total + 2") == "42"


def test_every_result_says_how_strong_the_walls_are(light: CodeExecutor) -> None:
    result = light.run("1")
    assert (result.strength.name, result.strength.weaker) == ("bubblewrap+seccomp", False)
    assert result.strength == light.strength


def test_an_error_tells_kind_message_and_line_of_the_cell(light: CodeExecutor) -> None:
    light.run("def divide(a):\n    return a / 0")
    result = light.run("x = 1\n\ny = divide(x)\nz = 2")
    assert result.error is not None
    assert (result.error.kind, result.error.message) == ("ZeroDivisionError", "division by zero")
    assert (result.error.line, result.error.source_line) == (3, "y = divide(x)")
    assert "return a / 0" in result.error.traceback
    assert "loop.py" not in result.error.traceback
    assert "z" not in result.variables


def test_a_syntax_error_tells_its_line(light: CodeExecutor) -> None:
    result = light.run("a = 1\nb = = 2")
    assert result.error is not None
    assert (result.error.kind, result.error.line, result.error.source_line) == ("SyntaxError", 2, "b = = 2")


def test_text_in_any_script_survives_and_halves_of_characters_do_no_harm(light: CodeExecutor) -> None:
    assert light.run("print('größe 大小 😀')").stdout == "größe 大小 😀\n"
    assert light.run("print('\\ud800')").ok
    assert light.run("raise ValueError('\\ud800 x')").error is not None


def test_a_cell_that_takes_too_long_is_stopped_and_keeps_its_variables(light: CodeExecutor) -> None:
    light.run("kept = 'yes'")
    result = light.run("print('begun')\nwhile True: pass", seconds=0.3)
    assert result.error is not None
    assert (result.error.kind, result.error.timed_out, result.error.killed) == ("TimedOut", True, False)
    assert result.error.source_line == "while True: pass"
    assert (result.stdout, result.state_lost) == ("begun\n", False)
    assert text_of(light, "kept") == "'yes'"


def test_a_cell_that_will_not_stop_is_killed_and_the_next_one_runs(light: CodeExecutor) -> None:
    light.run("kept = 'yes'")
    stubborn = "import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass"
    result = light.run(stubborn, seconds=0.2)
    assert result.error is not None
    assert (result.error.timed_out, result.error.killed, result.state_lost) == (True, True, True)
    assert "variables of earlier cells are gone" in result.error.message
    after = light.run("'kept' in globals()")
    assert after.ok
    assert after.state_lost, "the first cell of the new worker says so too"
    assert [getattr(a, "text", "") for a in after.artefacts] == ["False"]
    assert not light.run("1").state_lost


def test_a_cell_can_be_interrupted_from_another_thread(light: CodeExecutor) -> None:
    threading.Timer(0.2, light.interrupt).start()
    started = time.monotonic()
    result = light.run("import time\ntime.sleep(8)")
    assert result.error is not None
    assert (result.error.kind, result.error.interrupted, result.error.timed_out) == (
        "Interrupted",
        True,
        False,
    )
    assert time.monotonic() - started < 5
    assert light.run("1").ok


def test_a_cell_is_stopped_when_its_token_is_cancelled(light: CodeExecutor) -> None:
    token = Token()
    threading.Timer(0.2, lambda: setattr(token, "cancelled", True)).start()
    result = light.run("import time\ntime.sleep(8)", cancel=token)
    assert result.error is not None
    assert result.error.interrupted
    assert light.run("1", cancel=Token()).ok


def test_a_restart_forgets_variables_but_not_files_and_definitions(light: CodeExecutor) -> None:
    light.define(threshold=3.5, names=["a", "ü"])
    light.run("mine = 1")
    light.restart()
    result = light.run("print(threshold, names, 'mine' in globals(), open(sales_path).readline().strip())")
    assert result.stdout == "3.5 ['a', 'ü'] False day,region,amount\n"
    assert not result.state_lost, "it was asked for"


def test_a_worker_that_is_killed_from_outside_is_replaced(light: CodeExecutor) -> None:
    light.run("kept = 1")
    assert light._worker is not None
    light._worker._kill()
    light._worker._process.wait(5)  # type: ignore[union-attr]
    result = light.run("'kept' in globals()")
    assert result.ok
    assert result.state_lost


def test_a_worker_outlives_the_thread_that_started_it(sales_file: Path) -> None:
    with CodeExecutor(limits=TIGHT, warm=False) as executor:
        thread = threading.Thread(target=lambda: executor.run("kept = 1"))
        thread.start()
        thread.join()
        time.sleep(0.05)
        assert text_of(executor, "kept") == "1"


def test_a_closed_executor_says_so_and_leaves_nothing_behind() -> None:
    executor = CodeExecutor(limits=TIGHT, warm=False)
    assert executor.run("1").ok
    assert executor._worker is not None
    folder, process = executor._worker._folder, executor._worker._process
    executor.close()
    executor.close()
    assert process is not None
    assert process.poll() is not None
    assert not folder.exists()
    with pytest.raises(InvalidInput, match="closed"):
        executor.run("1")


def test_two_executors_do_not_see_each_other() -> None:
    with CodeExecutor(limits=TIGHT, warm=False) as a, CodeExecutor(limits=TIGHT, warm=False) as b:
        a.run("x = 1\nopen('/tmp/note', 'w').write('x')")
        assert (
            b.run("import os\nprint('x' in globals(), os.path.exists('/tmp/note'))").stdout == "False False\n"
        )


def test_bad_names_and_missing_files_are_refused_before_anything_runs(
    sales_file: Path, tmp_path: Path
) -> None:
    for name in ("2nd", "class", "a b", "_hidden", "load"):
        with pytest.raises(InvalidInput):
            CodeExecutor(files={name: sales_file})
    with pytest.raises(DataUnavailable, match="no file"):
        CodeExecutor(files={"gone": tmp_path / "gone.csv"})
    with CodeExecutor(limits=TIGHT, warm=False) as executor:
        with pytest.raises(InvalidInput):
            executor.define(thing=object())
        with pytest.raises(InvalidInput):
            executor.run("#" * 300_000)


def test_a_file_is_there_as_frame_relation_path_and_in_sql(executor: CodeExecutor, sales_file: Path) -> None:
    expected = pd.read_csv(sales_file)
    result = executor.run("sales")
    (table,) = result.tables
    assert (table.name, table.columns, table.total_rows) == ("sales", ("day", "region", "amount"), 10)
    assert [row[2] for row in table.rows] == expected["amount"].tolist()
    assert table.rows[0][0] == "2024-01-01T00:00:00"
    assert result.variables["sales"] == "DataFrame (10 × 3)"
    assert text_of(executor, "int(sales_relation.aggregate('sum(amount)').fetchone()[0])") == str(
        expected["amount"].sum()
    )
    (by_region,) = executor.run(
        "sql('select region, sum(amount) total from sales group by 1 order by 1')"
    ).tables
    assert by_region.rows == tuple(expected.groupby("region")["amount"].sum().items())
    assert text_of(executor, "len(pd.read_csv('sales 2024.csv'))") == "10"
    assert text_of(executor, "load('sales', columns=['amount'], arrow=True).num_columns") == "1"
    assert {v.name for v in executor.data_variables} == {"sales", "sales_relation", "sales_path"}


def test_a_name_can_be_set_before_it_is_read_without_reading_the_file(executor: CodeExecutor) -> None:
    executor.restart()
    assert text_of(executor, "sales = 5\nsales") == "5"
    executor.restart()
    assert text_of(executor, "sales = sales[sales.amount > 50]\nlen(sales)") == "5"


@pytest.mark.long
def test_a_large_file_comes_in_chunks(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    pd.DataFrame({"n": range(100_000), "text": "x" * 30}).to_csv(path, index=False)
    settings = Settings(max_file_size_mb=1, chunk_size=40_000)
    with CodeExecutor(files={"large": path}, settings=settings, limits=ROOMY, warm=False) as executor:
        assert next((v.name, v.kind) for v in executor.data_variables) == ("large_chunks", "chunks")
        sizes = executor.run(
            "sizes = [len(c) for c in large_chunks]\nprint(sum(sizes), max(sizes), sum(c.n.sum() for c in large_chunks))"
        )
        total, largest, summed = map(int, sizes.stdout.split())
        assert (total, summed) == (100_000, sum(range(100_000)))
        assert largest <= 40_000
        assert text_of(executor, "int(next(large_chunks).n.iloc[0])") == "0"
        refused = executor.run("large.head()")
        assert refused.error is not None
        assert "large_chunks" in refused.error.message
        assert text_of(executor, "large_relation.aggregate('max(n)').fetchone()[0]") == "99999"


def test_a_file_that_cannot_be_read_fails_alone(tmp_path: Path, sales_file: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 this is not one")
    with CodeExecutor(files={"broken": broken, "sales": sales_file}, limits=ROOMY, warm=False) as executor:
        assert text_of(executor, "len(sales)") == "10"
        result = executor.run("broken.head()")
        assert result.error is not None
        assert result.error.kind == "UnreadableSource"


def test_frames_can_be_handed_over(executor: CodeExecutor) -> None:
    executor.define(extra=pd.DataFrame({"a": [1, 2], "when": pd.to_datetime(["2024-01-01", None])}))
    (table,) = executor.run("extra").tables
    assert table.rows == ((1, "2024-01-01T00:00:00"), (2, None))


def test_tables_are_cut_to_what_is_read_and_say_so(executor: CodeExecutor) -> None:
    result = executor.run(
        "import numpy as np\nwide = pd.DataFrame(np.arange(500 * 120).reshape(500, 120)).add_prefix('c')\nwide"
    )
    (table,) = result.tables
    assert (len(table.rows), len(table.columns), table.total_rows) == (200, 100, 500)
    assert result.truncated == ("wide: 200 of 500 rows", "wide: 100 of 120 columns")


def test_labels_of_rows_and_odd_cells_are_shown_as_they_are(executor: CodeExecutor) -> None:
    code = (
        "import decimal\n"
        "odd = pd.DataFrame({'f': [1.5, float('nan'), float('inf')], 'o': [None, decimal.Decimal('1.10'), [1]],\n"
        "  'big': [2**70, -1, True]}, index=pd.Index(['x', 'y', 'z'], name='key'))\nodd"
    )
    (table,) = executor.run(code).tables
    assert isinstance(table, Table)
    assert table.columns == ("key", "f", "o", "big")
    assert table.rows == (
        ("x", 1.5, None, str(2**70)),
        ("y", None, "1.10", -1),
        ("z", float("inf"), "[1]", True),
    )
    (series,) = executor.run("odd['f'].rename('f').head(1)").tables
    assert (series.columns, series.rows) == (("key", "f"), (("x", 1.5),))


def test_matplotlib_figures_are_collected_once_each(executor: CodeExecutor) -> None:
    result = executor.run(
        "plt.plot([1, 2])\nplt.title('Rising')\nplt.show()\nfig, ax = plt.subplots()\nax.bar([1], [2])\nax.set_title('Bar')"
    )
    assert [(f.kind, f.title) for f in result.figures] == [("png", "Rising"), ("png", "Bar")]
    assert all(f.data is not None and f.data.startswith(b"\x89PNG") for f in result.figures)
    assert not executor.run("1").figures
    saved = executor.run(
        "fig, ax = plt.subplots()\nax.plot([3, 1])\nfig.savefig('falling.png')\nfig.savefig('falling.svg')"
    )
    assert sorted((f.kind, f.title) for f in saved.figures) == [("png", "falling"), ("svg", "falling")]


def test_altair_and_plotly_charts_come_as_specifications(executor: CodeExecutor) -> None:
    altair = executor.run(
        "alt.Chart(load('sales')).mark_line().encode(x='day:T', y='amount:Q').properties(title='By day')"
    )
    plotly = executor.run("display(px.bar(sales, x='region', y='amount', title='By region'))")
    (a,), (p,) = altair.figures, plotly.figures
    assert (a.kind, a.title, p.kind, p.title) == ("vega-lite", "By day", "plotly", "By region")
    assert a.spec is not None
    assert a.spec["mark"] == {"type": "line"}
    assert len(next(iter(a.spec["datasets"].values()))) == 10
    assert p.spec is not None
    assert p.spec["data"][0]["type"] == "bar"


def test_a_file_only_its_owner_may_read_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "private.csv"
    path.write_text("a\n1\n")
    path.chmod(0o600)
    folder = tmp_path / "parts"
    folder.mkdir(mode=0o700)
    (folder / "one.csv").write_text("a\n2\n")
    (folder / "one.csv").chmod(0o600)
    with CodeExecutor(files={"private": path, "parts": folder}, limits=ROOMY, warm=False) as executor:
        assert text_of(executor, "open(private_path).read(), int(parts.a.sum())") == "('a\\n1\\n', 2)"
