"""The rounds of one analysis: think, code, run, and what is told of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gnomon.agents.coder.actions import Action, ActionKind, check_action
from gnomon.agents.coder.asked import show_request
from gnomon.agents.coder.cells import CellRunner, Finding
from gnomon.agents.coder.names import Names
from gnomon.agents.coder.prose import filled, listed, why_not
from gnomon.agents.coder.record import AnalysisRecord, Cell, RecordStatus, Section
from gnomon.agents.coder.recovery import Hinting, classify
from gnomon.agents.coder.templates import AnalysisTemplate
from gnomon.agents.coder.told import Teller, words_of
from gnomon.agents.coder.workspace import Workspace
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.errors import ApiFailure, Cancelled, GnomonError
from gnomon.guardrails import Guardrails
from gnomon.llm import ModelClient, Purpose, load_prompt
from gnomon.llm.window import ConversationWindow, Message, Round
from gnomon.sandbox import CellResult, CodeExecutor
from gnomon.tools import CancelToken

logger = logging.getLogger("gnomon.coder")
MOST_REPEATS = 2
MOST_CONCLUSIONS = 2


@dataclass(frozen=True)
class Rounds:
    """One analysis with a model; :meth:`go` does it."""

    client: ModelClient
    executor: CodeExecutor
    workspace: Workspace
    requirement: str
    template: AnalysisTemplate | None
    run: str
    max_rounds: int
    max_retries: int
    window_size: int
    cancel: CancelToken | None
    tell: Callable[..., None]

    def go(self) -> AnalysisRecord:
        """Rounds until the model is done, or there are no more; what goes wrong ends in the notes of the record."""
        names = Names.of(self.workspace.safe, self.workspace.privacy)
        return _Conversation(self, names).record()


class _Conversation:
    """What one analysis has said, run and found so far."""

    def __init__(self, rounds: Rounds, names: Names) -> None:
        self._of = rounds
        self._names = names
        self._teller = Teller(rounds.workspace, names)
        self._hinting = Hinting(rounds.workspace.safe, names)
        self._runner = CellRunner(rounds.executor, rounds.workspace.large, rounds.workspace.chunk_size)
        self._budget = rounds.client.new_budget()
        self._instructions = load_prompt("analyse_with_code")
        self._window = ConversationWindow(self._first(), rounds.window_size)
        self._cells: list[Cell] = []
        self._found: dict[str, tuple[Finding, str, str]] = {}
        self._figures: list[tuple[int, int]] = []  # (number of the cell, position in it)
        self._collected: list[int] = []
        self._written: list[str] = []
        self._conclusion: str | None = None
        self._turned_down = 0
        self._answered = False
        self._repeats = 0
        self._notes: list[str] = []

    def record(self) -> AnalysisRecord:
        status = RecordStatus.INCOMPLETE
        try:
            status = self._rounds()
        except Cancelled:
            status = RecordStatus.CANCELLED
            self._notes.append("The analysis was stopped; what was found until then is here.")
        except GnomonError as e:
            if not self._answered:
                raise
            logger.warning("the analysis ended early: %s", e.message)
            self._notes.append(f"The analysis ended early: {e.message}")
        used = self._budget.used
        strength = self._of.executor.strength if self._cells else None
        if strength is not None and strength.weaker:
            self._notes.append(f"Generated code ran behind weaker walls ({strength.name}).")
        return AnalysisRecord(
            self._of.run,
            self._of.requirement,
            self._of.template.name if self._of.template else None,
            (),
            status,
            self._sections(),
            tuple(self._cells),
            strength=strength.name if strength is not None else None,
            privacy=self._of.workspace.privacy.value,
            model=self._of.client.name,
            usage={**used.to_dict(), "cost": round(self._budget.cost, 6)},
            timings={"running": sum(c.seconds for c in self._cells)},
            notes=tuple(self._notes),
        )

    def _rounds(self) -> RecordStatus:
        for number in range(1, self._of.max_rounds + 1):
            retries = 0
            while True:
                if self._of.cancel is not None:
                    self._of.cancel.check()
                self._of.tell(number, f"Round {number} of {self._of.max_rounds}: the model is writing")
                action = self._asked(number)
                if action.action is ActionKind.GENERATE_CODE:
                    again = self._run(action, number, retries)
                    if again:
                        retries += 1
                        continue
                    if self._repeats >= MOST_REPEATS:
                        self._notes.append("The model repeated itself, so it was stopped.")
                        return RecordStatus.COMPLETE if self._found else RecordStatus.INCOMPLETE
                elif action.action is ActionKind.COLLECT_FIGURES:
                    self._collect(action)
                elif self._concluded(action):
                    return RecordStatus.COMPLETE
                break
        self._notes.append(f"The model did not finish within {self._of.max_rounds} rounds.")
        return RecordStatus.INCOMPLETE

    def _first(self) -> str:
        shown, legend = show_request(self._of.requirement, self._of.workspace, self._names)
        template = f"{self._of.template.get_full_prompt()}\n" if self._of.template else ""
        return load_prompt(
            "code_task",
            data=self._teller.data(),
            variables="\n".join(self._variables()),
            template=template,
            requirement=shown,
            marks="\n".join(legend),
        ).strip()

    def _variables(self) -> list[str]:
        """The variables that code finds; a table that is too large to load is only streamed or queried."""
        lines: list[str] = []
        openly = self._of.workspace.privacy.names
        said = {
            "frame": "a pandas DataFrame",
            "chunks": "the table in pandas DataFrames one after the other, since it is too large to load whole",
            "relation": "the table as a DuckDB relation, for .filter, .aggregate and .df()",
        }
        for v in self._of.executor.data_variables:
            large = v.file in self._of.workspace.large
            if v.kind not in said or (v.kind == "frame") == large or (v.kind == "relation" and not large):
                continue
            lines.append(f"{self._names.tables.show(v.name, openly=openly)}: {said[v.kind]}")
        chunked = [self._names.tables.show(f"{name}_chunks", openly=openly) for name in self._runner.chunked]
        return [*lines, *(f"{name}: {said['chunks']}" for name in chunked)]

    def _asked(self, number: int) -> Action:
        purpose = Purpose(f"round {number} of an analysis", self._of.run, self._of.workspace.privacy)
        written = 0

        def on_text(text: str) -> None:
            nonlocal written
            written += len(text)
            self._of.tell(number, f"Round {number}: the model has written {written} characters")

        call = self._of.client.start(
            self._instructions,
            self._window.messages,
            Action,
            check_action,
            purpose=purpose,
            budget=self._budget,
            on_text=on_text,
        )
        if self._of.cancel is None:
            action = call.result()
        else:
            with self._of.cancel.interrupting(call.cancel):
                action = call.result()
        self._answered = True
        return action

    def _run(self, action: Action, number: int, retries: int) -> bool:
        """Run the code of a round; True where it failed for want of knowing the data, and may be tried again."""
        code = self._names.meant(action.code)
        self._repeats = self._repeats + 1 if action.code in self._written else 0
        self._written.append(action.code)
        self._of.tell(number, f"Round {number} of {self._of.max_rounds}: running the code")
        result, found = self._runner.run(code, self._of.cancel)
        if result.error is not None and result.error.interrupted and self._of.cancel is not None:
            self._of.cancel.check()
        recovering = (
            result.error is not None
            and classify(result.error).data_context
            and retries < self._of.max_retries
        )
        at = len(self._cells) + 1
        if result.ok:
            for f in found:
                self._found[f.slot] = (f, f"cell_{at}", code)
            self._figures += [(at, i) for i in range(len(result.figures))]
        self._cells.append(_cell(at, number, action, code, result, found, recovered=recovering))
        if result.error is None:
            first = len(self._figures) - len(result.figures)
            said = self._teller.worked(
                "\f".join(self._written), result, found, range(first + 1, len(self._figures) + 1)
            )
        elif recovering:
            said = self._hinting.hint(result.error, action.code)
        else:
            said = self._teller.failed(action.code, result.error, lines_match=code == action.code)
        self._say(action, said, result.ok)
        return recovering

    def _collect(self, action: Action) -> None:
        known = [n for n in action.figures if 1 <= n <= len(self._figures)]
        self._collected += [n for n in known if n not in self._collected]
        unknown = len(known) < len(action.figures)
        said = "The figures are kept."
        if unknown:
            known = f"Figures are numbered from 1 to {len(self._figures)}."
            said = known if self._figures else "There are no figures yet: go on with generate_code."
        self._say(action, said, not unknown)

    def _concluded(self, action: Action) -> bool:
        """Whether the conclusion holds, or has been turned down so often that the findings stand alone."""
        slots = self._slots()
        names = [
            n
            for t in self._names.shown(self._of.workspace.safe)
            for n in (t.name, *(c.name for c in t.columns))
        ]
        sees = self._of.workspace.privacy.wording
        reason = why_not(action.conclusion, slots, names, sees_values=sees)
        if not self._found and self._cells:
            reason = 'Nothing was reported yet: write code that calls finding("name", value).'
        if reason is None:
            self._conclusion = action.conclusion
            return True
        self._turned_down += 1
        if self._turned_down >= MOST_CONCLUSIONS and self._found:
            self._notes.append("The model's sentences did not hold, so the findings are listed instead.")
            return True
        if self._turned_down > MOST_CONCLUSIONS:
            raise ApiFailure("The language model ended the analysis without a finding.")
        self._say(action, f"The conclusion cannot be used. {reason}", False)
        return False

    def _slots(self) -> dict[str, str]:
        """Slots as the model knows them, and the findings that they stand for."""
        written = words_of("\f".join(self._written))
        return {self._teller.slot(f, written): slot for slot, (f, _, _) in self._found.items()}

    def _say(self, action: Action, feedback: str, succeeded: bool) -> None:
        done = Round(action.action.value, action.description, succeeded)
        self._window.add(Message("assistant", action.said(), done), Message("user", feedback))

    def _sections(self) -> tuple[Section, ...]:
        facts = {s: fact for s, (f, step, code) in self._found.items() if (fact := f.fact(step, code))}
        prose = None
        if self._conclusion is not None:
            told = {shown: facts[slot] for shown, slot in self._slots().items() if slot in facts}
            names = [n for t in self._of.workspace.safe for n in (t.name, *(c.name for c in t.columns))]
            prose = filled(self._conclusion, told, names, bound=self._of.workspace.privacy.wording)
        chosen = self._collected or range(1, len(self._figures) + 1)
        charts = [self._cells[self._figures[n - 1][0] - 1].figures[self._figures[n - 1][1]] for n in chosen]
        tables = tuple(f.table for f, _, _ in self._found.values() if f.table is not None)
        if not facts and not tables and not charts:
            return ()
        return (
            Section(
                "Findings",
                prose or listed(list(facts.values())),
                tuple(facts.values()),
                masked(tables, self._of.workspace),
                tuple(dict(c.spec) for c in charts if c.kind == "vega-lite" and c.spec is not None),
            ),
        )


def _cell(
    at: int,
    number: int,
    action: Action,
    code: str,
    result: CellResult,
    found: Sequence[Finding],
    *,
    recovered: bool,
) -> Cell:
    return Cell(
        at,
        number,
        action.action.value,
        " ".join(action.description.split())[:200],
        code,
        ok=result.ok,
        error=result.error,
        recovered=recovered,
        stdout=result.stdout,
        figures=result.figures,
        findings=tuple(f.slot for f in found) if result.ok else (),
        seconds=round(result.seconds, 4),
    )


def masked(tables: Sequence[ResultTable], workspace: Workspace) -> tuple[ResultTable, ...]:
    """Tables without what identifies a person, as answers are."""
    if not tables:
        return ()
    personal = [c.name for t in workspace.profile for c in t.columns if c.personal is not None]
    rails = Guardrails()
    return tuple(rails.mask_table(t, personal, ()) for t in tables)


def sections_of(
    record: AnalysisRecord,
    ran: Sequence[tuple[Cell, CellResult, tuple[Finding, ...]]],
    workspace: Workspace,
) -> AnalysisRecord:
    """A record whose cells were run again; its sentences stay where the findings are the same."""
    facts: dict[str, Fact] = {}
    tables: dict[str, ResultTable] = {}
    cells: list[Cell] = []
    for cell, result, found in ran:
        again = replace(
            cell, ok=result.ok, error=result.error, stdout=result.stdout, figures=result.figures,
            findings=tuple(f.slot for f in found) if result.ok else (), seconds=round(result.seconds, 4),
        )  # fmt: skip
        cells.append(again)
        for f in found if result.ok else ():
            if f.table is not None:
                tables[f.slot] = f.table
            elif (fact := f.fact(f"cell_{cell.number}", cell.code)) is not None:
                facts[f.slot] = fact
    same = tuple(facts.values()) == record.findings
    old = record.sections[0] if record.sections else Section("Findings", "")
    prose = old.prose if same else listed(list(facts.values()))
    charts = tuple(
        dict(f.spec) for c in cells for f in c.figures if f.kind == "vega-lite" and f.spec is not None
    )
    section = Section(
        old.title, prose, tuple(facts.values()), masked(list(tables.values()), workspace), charts
    )
    ok = all(c.ok for c in cells)
    notes = () if same else ("The findings differ from those of the first run.",)
    status = RecordStatus.COMPLETE if ok else RecordStatus.INCOMPLETE
    return replace(record, sections=(section,), cells=tuple(cells), status=status, notes=notes)
