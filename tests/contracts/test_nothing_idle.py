"""Every public field, function and method is read by something: by other code, or by outsiders, as the list says."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "gnomon"
DOCS = Path(__file__).parents[2] / "docs"
# What the sources' contracts demand and their users read, what a library calls by name, and the seams of tests.
READ_OUTSIDE = {
    "the published envelopes": "execution_time execution_time_ms api_calls_count latency_breakdown accuracy_metrics",
    "the calendar of a query (001)": "week_start week_end month_start",
    "a profile and a report on a batch, given whole": "role_reason top_values_exact moved_columns rows_compared",
    "methods that the sources name (000, 001, 002)": "process_query decompose_query get_metadata restart validate "
    "contamination_diagnostics get_kb_for_routing make_plan build_detector run_detection analyze_results "
    "explain_findings suggest_next_step generate_report list_detectors explain_detector compare_detectors "
    "get_benchmarks recommendations find_column",
    "called by a library: logging, ast, rich, fastapi, mcp": "formatException formatStack visit_Constant "
    "visit_JoinedStr visit_Attribute visit_Name visit_Call process_renderables health list_resources "
    "list_resource_templates read_resource list_prompts get_prompt",
    "seams of tests, benches and training": "ends_p gap_p lonely_p rows_seen raw_relation add_event "
    "wait_connected iso_weeks save_exposure save_vectors",
}
# Given whole to callers, field by field, as JSON.
PUBLISHED = {"Result", "Output", "TypedDict"}


@dataclass
class Module:
    """What one file reads and what it offers; the tree itself is let go of."""

    read: set[str] = field(default_factory=set[str])
    functions: set[str] = field(default_factory=set[str])
    bases: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    fields: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    held: set[str] = field(default_factory=set[str])

    @classmethod
    def of(cls, code: str) -> "Module":
        found, prose = cls(), set[int]()
        for node in nodes(ast.parse(code)):
            if isinstance(node, ast.Expr):
                prose.add(id(node.value))
            elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
                found.read.add(node.attr if isinstance(node, ast.Attribute) else node.id)
            elif isinstance(node, ast.ImportFrom):
                found.read.update(a.name for a in node.names)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                words = node.value.split()  # a string of names, by which fields are looked up
                found.read.update(words if all(w.isidentifier() for w in words) else ())
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.functions.add(node.name)
            elif isinstance(node, ast.ClassDef):
                found.add(node)
        return found

    def add(self, node: ast.ClassDef) -> None:
        """A class with its bases and the fields that it declares."""
        self.bases[node.name] = [ast.unparse(b).partition("[")[0].rpartition(".")[2] for b in node.bases]
        parts = [p.target for p in node.body if isinstance(p, ast.AnnAssign)]
        self.fields[node.name] = {t.id for t in parts if isinstance(t, ast.Name)}
        if any("dataclass" in ast.unparse(d) for d in node.decorator_list):
            self.held.add(node.name)

    def offered(self) -> set[str]:
        """The public functions, methods and fields; fields of what is given whole to callers are not counted."""
        shown = [
            fields
            for name, fields in self.fields.items()
            if not name.startswith("_")
            and (name in self.held or "BaseModel" in kinds(name))
            and not kinds(name) & PUBLISHED
        ]
        return {n for n in self.functions.union(*shown) if not n.startswith("_")}


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Those of a tree, each before what it holds; contexts, which are half of them, are left out."""
    left = [tree]
    while left:
        yield (node := left.pop())
        for name in node._fields:
            held = () if name == "ctx" else getattr(node, name)
            left.extend(n for n in (held if isinstance(held, list) else (held,)) if isinstance(n, ast.AST))


@cache
def modules() -> dict[str, Module]:
    return {str(f.relative_to(SOURCE)): Module.of(f.read_text()) for f in sorted(SOURCE.rglob("*.py"))}


@cache
def kinds(name: str) -> frozenset[str]:
    """A class with everything that it inherits from."""
    bases = next((m.bases[name] for m in modules().values() if name in m.bases), [])
    return frozenset({name}).union(*(kinds(b) for b in bases if b != name))


@cache
def read() -> frozenset[str]:
    return frozenset().union(*(m.read for m in modules().values()))


@cache
def offered() -> frozenset[str]:
    return frozenset().union(*(m.offered() for m in modules().values()))


@cache
def allowed() -> frozenset[str]:
    code = [c for f in DOCS.glob("*.md") for c in re.findall(r"`+([^`]+)`+", f.read_text())]
    told = {w for c in code for w in re.findall(r"\w+", c)}
    return read() | {w for words in READ_OUTSIDE.values() for w in words.split()} | told


@pytest.mark.long
def test_nothing_public_is_read_by_nobody() -> None:
    found = {file: idle for file, m in modules().items() if (idle := m.offered() - allowed())}
    assert found == {}, "use them, delete them, or say who reads them"


@pytest.mark.parametrize("name", sorted(w for words in READ_OUTSIDE.values() for w in words.split()))
def test_the_list_of_what_outsiders_read_holds_nothing_else(name: str) -> None:
    assert name in offered(), "it is gone; so is its excuse"
    assert name not in read(), "it is read inside; it needs no excuse"


def test_a_field_that_nobody_reads_would_be_found() -> None:
    code = "@dataclass\nclass Kept:\n    used: int\n    idle: int\n    def told(self): return self.used\ndef lost(): ..."
    module = Module.of(code)
    assert module.offered() - module.read == {"idle", "told", "lost"}
