"""A run that is watched while it works: what is shown of it and its events never disagree."""

import asyncio
from pathlib import Path
from typing import Any

from gnomon.core.events import EventKind
from gnomon.server.lanes import Lane
from gnomon.server.runs import ActiveRun, Runs
from gnomon.store import Journal, Store


def test_a_run_is_over_for_those_who_look_only_with_its_last_event(tmp_path: Path, monkeypatch: Any) -> None:
    store = Store.open(tmp_path / "gnomon.db")
    runs = Runs(store, Journal(store))
    record = runs.new("ask", "me", "a question", {})
    seen: list[tuple[str, list[str]]] = []
    kept = store.save_run

    def saved(*args: Any, **kwargs: Any) -> None:
        kept(*args, **kwargs)
        shown = runs.find(record.id, "me")
        seen.append((shown.status, [e.kind for e in shown.events]))

    monkeypatch.setattr(store, "save_run", saved)
    late: list[ActiveRun] = []

    def work(run: ActiveRun) -> dict[str, Any]:
        late.append(run)
        run.tell("half way", 0.5)
        return {"said": "done"}

    async def all_of_it() -> None:
        _, future = runs.begin(Lane("runs", 1, 1), record, work)
        await future

    asyncio.run(all_of_it())
    assert len(seen) == 3
    assert all(status == "running" or kinds[-1] == EventKind.FINISHED for status, kinds in seen)
    late[0].tell("a helper that goes on", 0.9)
    after = runs.find(record.id, "me")
    assert (after.status, after.events[-1].kind) == ("success", EventKind.FINISHED)
    store.close()
