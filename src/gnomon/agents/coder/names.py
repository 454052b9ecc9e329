"""What tables, columns and values are called to a model, and its code mapped back to what they really are."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gnomon.data.safe import SafeColumn, SafeProfile, SafeTable
from gnomon.guardrails.injection import neutral_name
from gnomon.llm import Privacy, Pseudonyms

Value = str | int | float


@dataclass(frozen=True)
class Names:
    """Names and what stands for them, both ways, for one run.

    Names that read like instructions never stand for themselves; under ``strict`` none does.

    Args:
        tables: Variables of tables.
        columns: Columns.
        marks: Marks such as ``VALUE1`` and the value of the data that each stands for.
        slots: Findings whose own names may hold a cell.
    """

    tables: Pseudonyms = field(default_factory=lambda: Pseudonyms("table_"))
    columns: Pseudonyms = field(default_factory=lambda: Pseudonyms("col_"))
    marks: dict[str, Value] = field(default_factory=dict[str, Value])
    slots: Pseudonyms = field(default_factory=lambda: Pseudonyms("finding_"))

    @classmethod
    def of(cls, profile: SafeProfile, privacy: Privacy) -> Names:
        """Names for everything in a profile."""
        names = cls()
        for table in profile:
            names.tables.show(table.name, openly=privacy.names and neutral_name(table.name) == table.name)
            for column in table.columns:
                names.columns.show(
                    column.name, openly=privacy.names and neutral_name(column.name) == column.name
                )
        return names

    def shown(self, profile: SafeProfile) -> SafeProfile:
        """A profile under the names that the model sees."""
        return replace(profile, tables=tuple(self._table(t) for t in profile))

    def _table(self, table: SafeTable) -> SafeTable:
        columns: tuple[SafeColumn, ...] = tuple(
            replace(c, name=self.columns.show(c.name)) for c in table.columns
        )
        return replace(table, name=self.tables.show(table.name), columns=columns)

    @property
    def hidden(self) -> dict[str, str]:
        """What stands for another name, and that name, tables and columns alike."""
        pairs = {**self.tables.pairs, **self.columns.pairs}
        return {shown: real for shown, real in pairs.items() if shown != real}

    def hide(self, text: str) -> str:
        """``text`` with every name that the model may not see replaced by what stands for it."""
        hidden = {real: shown for shown, real in self.hidden.items()}
        if not hidden:
            return text
        pattern = "|".join(re.escape(n) for n in sorted(hidden, key=lambda n: (-len(n), n)))
        return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda m: hidden[m[0]], text)

    def meant(self, code: str) -> str:
        """The model's code with the real names and values in it; as it is where it cannot be parsed."""
        if not self.hidden and not self.marks:
            return code
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError):
            return code
        columns = {s: r for s, r in self.columns.pairs.items() if s != r}
        tables = {s: r for s, r in self.tables.pairs.items() if s != r}
        back = _Back(columns, tables, self.marks)
        changed = ast.fix_missing_locations(back.visit(tree))
        return ast.unparse(changed) if back.touched else code


class _Back(ast.NodeTransformer):
    """Puts real names where stand-ins stand: in strings, attributes, keywords and variables."""

    def __init__(
        self, columns: Mapping[str, str], tables: Mapping[str, str], marks: Mapping[str, Value]
    ) -> None:
        self._columns = columns
        self._tables = tables
        self._marks = marks
        self._texts = {**columns, **tables, **{m: str(v) for m, v in marks.items()}}
        words = "|".join(re.escape(w) for w in sorted(self._texts, key=lambda w: (-len(w), w)))
        self._words = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
        self.touched = False

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str) or not self._words.search(node.value):
            return node
        self.touched = True
        if (whole := node.value.strip()) in self._marks:
            return ast.copy_location(ast.Constant(self._marks[whole]), node)
        if whole in self._texts:
            return ast.copy_location(ast.Constant(self._texts[whole]), node)
        return ast.copy_location(ast.Constant(self._within(node.value)), node)

    def _within(self, text: str) -> str:
        """Names inside longer text, quoted as SQL or an expression of pandas needs them."""
        sql = re.search(r"\bselect\b", text, re.IGNORECASE) is not None

        def real(match: re.Match[str]) -> str:
            found = self._texts[match[0]]
            around = text[max(0, match.start() - 1) : match.start()]
            if match[0] in self._marks or found.isidentifier() or around in {'"', "`", "'"}:
                return found
            return f'"{found}"' if sql else f"`{found}`"

        return self._words.sub(real, text)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr not in self._columns:
            return node
        self.touched = True
        return ast.copy_location(
            ast.Subscript(node.value, ast.Constant(self._columns[node.attr]), node.ctx), node
        )

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._tables:
            self.touched = True
            return ast.copy_location(ast.Name(self._tables[node.id], node.ctx), node)
        if node.id in self._marks and isinstance(node.ctx, ast.Load):
            self.touched = True
            return ast.copy_location(ast.Constant(self._marks[node.id]), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        keywords: list[ast.keyword] = []
        for k in node.keywords:
            if k.arg in self._columns:
                self.touched = True
                named: Any = ast.Dict([ast.Constant(self._columns[k.arg])], [k.value])
                keywords.append(ast.keyword(None, named))
            else:
                keywords.append(k)
        node.keywords = keywords
        return node
