"""The data sets of the service: uploads, the demo store, and what the server was started with."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import secrets
import shutil
import threading
import unicodedata
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, BinaryIO

from gnomon.core import clock
from gnomon.core.errors import GnomonError, InvalidInput, NotFound, UnreadableSource
from gnomon.core.file_state import quick_state
from gnomon.core.patterns import regex
from gnomon.core.private import private_folder
from gnomon.core.settings import Settings
from gnomon.data.kinds import Kind, kind_of, kind_of_name
from gnomon.server.shelf import Shelf
from gnomon.store import Sessions, StoredDataset, StoredFile

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst

DEMO = "demo"
DEMO_SEED = 7
MAX_FILES = 20
MAX_DATASETS = 200
MAX_NAME = 120
CHUNK = 1 << 20
Progress = Callable[[str, int, int], None]
_UNWANTED = regex(r"[^\w .,()+\-]", re.UNICODE)


class Datasets:
    """Data sets by tenant and id. No path of a client is opened: uploads lie in folders that the server names.

    A data set has a folder of its own for what is inferred from it and what is sent because of it, so that
    forgetting it removes that too.

    Args:
        settings: Where they lie, and limits.
        sessions: Where they are kept on record.
        opened: Sources that every tenant without a token of its own may use, by id.
    """

    def __init__(self, settings: Settings, sessions: Sessions, opened: dict[str, str] | None = None) -> None:
        self._settings = settings
        self._sessions = sessions
        self._opened = dict(opened or {})
        self._home = settings.home.expanduser()
        self._since = clock.now()
        self._demo_lock = threading.Lock()
        self.shelf = Shelf(settings.max_open_datasets)

    def listed(self, tenant: str) -> list[StoredDataset]:
        """Every data set that a tenant can use, its own first."""
        shared = [self._shared(name, tenant) for name in (*self._opened, DEMO)]
        return [*self._sessions.datasets(tenant), *(d for d in shared if d is not None)]

    def find(self, dataset_id: str, tenant: str) -> StoredDataset:
        """One data set of a tenant.

        Raises:
            NotFound: The tenant has none of this id.
        """
        found = self._shared(dataset_id, tenant) or self._sessions.dataset(dataset_id, tenant)
        if found is None:
            known = [d.id for d in self.listed(tenant)]
            raise NotFound.among("data set", dataset_id[:80], known)
        return found

    def add(self, tenant: str, name: str, files: list[tuple[str, BinaryIO]]) -> StoredDataset:
        """Take uploaded files as a data set; either all are taken or none.

        Raises:
            InvalidInput: Too many files, or one whose name, type or size is not acceptable.
        """
        if not 0 < len(files) <= MAX_FILES:
            raise InvalidInput(f"A data set has 1 to {MAX_FILES} files, not {len(files)}.")
        if len(self._sessions.datasets(tenant)) >= MAX_DATASETS:
            raise InvalidInput(
                f"There are {MAX_DATASETS} data sets already.", suggestions=["Delete one that is not needed."]
            )
        names = [safe_name(given) for given, _ in files]
        if len({n.casefold() for n in names}) < len(names):
            raise InvalidInput("Two of the files have the same name.", suggestions=["Rename one of them."])
        dataset_id = f"ds_{secrets.token_hex(8)}"
        folder = self.folder(tenant, dataset_id) / "files"
        _make_private(folder)
        try:
            stored = tuple(
                _written(folder / n, content, self._settings)
                for n, (_, content) in zip(names, files, strict=True)
            )
            kept = StoredDataset(
                id=dataset_id, tenant=tenant, name=_label(name) or names[0], origin="upload", files=stored,
                created_at=clock.now(),
            )  # fmt: skip
            self._sessions.save_dataset(kept)
        except BaseException:
            shutil.rmtree(self.folder(tenant, dataset_id), ignore_errors=True)
            raise
        return kept

    def forget(self, dataset: StoredDataset, runs: Iterable[str] = ()) -> None:
        """Close a data set and remove its files, what was inferred from it, and what is on record about it.

        Args:
            dataset: The data set.
            runs: Runs about it; what they left behind beside other data sets goes too.
        """
        self.shelf.drop((dataset.tenant, dataset.id))
        place = self.folder(dataset.tenant, dataset.id)
        shutil.rmtree(place, ignore_errors=True)
        for run in runs:
            for left in place.parent.glob(f"*/artefacts/{glob.escape(run)}"):
                shutil.rmtree(left, ignore_errors=True)
        self._sessions.forget_dataset(dataset.tenant, dataset.id)

    @contextmanager
    def analyst(self, dataset: StoredDataset, progress: Progress | None = None) -> Generator[Analyst]:
        """The analyst of a data set, opened where it is not yet."""

        def opening() -> Analyst:
            from gnomon.llm.trust import Trust
            from gnomon.opening import open_analyst

            folder = self.folder(dataset.tenant, dataset.id) / "files"
            for file in dataset.files:
                _check_whole(folder / file.name, file)
            sources = self.sources(dataset)
            # What is known of models is known for all data sets, each of which has a home of its own.
            try:
                return open_analyst(
                    *sources,
                    settings=self.settings_of(dataset),
                    progress=progress,
                    trust=Trust.of(self._settings),
                )
            except GnomonError as e:
                raise _by_name(e, sources) from None

        with self.shelf.using((dataset.tenant, dataset.id), opening) as analyst:
            yield analyst

    def sources(self, dataset: StoredDataset) -> list[str]:
        """What to open: the files of an upload, the folder of the demo store, or what the server was started with."""
        if dataset.origin == "demo":
            return [str(self._demo())]
        if dataset.origin == "opened":
            return [self._opened[dataset.id]]
        folder = self.folder(dataset.tenant, dataset.id) / "files"
        return [str(folder / f.name) for f in dataset.files]

    def settings_of(self, dataset: StoredDataset) -> Settings:
        """The settings under which a data set is opened: its own folder is its home."""
        home = self.folder(dataset.tenant, dataset.id)
        _make_private(home)
        return self._settings.model_copy(update={"home": home})

    def folder(self, tenant: str, dataset_id: str) -> Path:
        """Where everything about a data set lies."""
        owner = hashlib.sha256(tenant.encode()).hexdigest()[:16]
        return self._home / "datasets" / owner / _UNWANTED.sub("_", dataset_id)[:80]

    def profile(self, dataset: StoredDataset, analyst: Analyst) -> dict[str, Any]:
        """What the tables hold, computed once and kept beside them."""
        kept = self.folder(dataset.tenant, dataset.id) / "profile.json"
        stamp = self._stamp(dataset)
        if kept.is_file():
            try:
                found = json.loads(kept.read_bytes())
                if found["stamp"] == stamp:
                    return found["profile"]
            except (ValueError, KeyError, TypeError):
                kept.unlink(missing_ok=True)
        from gnomon.data import profile_dataset

        profile = _nameless(profile_dataset(analyst.dataset).to_dict())
        _make_private(kept.parent)
        part = kept.with_suffix(f".{secrets.token_hex(4)}.part")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as out:
            json.dump({"stamp": stamp, "profile": profile}, out)
        part.replace(kept)
        return profile

    def close(self) -> None:
        """Close what is open."""
        self.shelf.close()

    def _stamp(self, dataset: StoredDataset) -> list[Any]:
        """What changes when the data does."""
        found: list[Any] = []
        for source in self.sources(dataset):
            path = Path(source)
            parts = sorted(path.iterdir()) if path.is_dir() else [path]
            found += [[p.name, quick_state(p)] for p in parts if p.is_file()]
        return found

    def _shared(self, dataset_id: str, tenant: str) -> StoredDataset | None:
        if dataset_id == DEMO:
            return StoredDataset(
                id=DEMO, tenant=tenant, name="Demo store", origin="demo", created_at=self._since
            )
        if dataset_id in self._opened and tenant not in self._settings.tenant_tokens:
            name = Path(self._opened[dataset_id]).name or dataset_id
            return StoredDataset(
                id=dataset_id, tenant=tenant, name=name, origin="opened", created_at=self._since
            )
        return None

    def _demo(self) -> Path:
        """The folder of the demo store, which is written where it is not yet."""
        from gnomon.data.demo_store import DemoStore, write_demo_store

        folder = private_folder(self._home / "demo")
        with self._demo_lock:
            if DemoStore.find(folder) is None:
                write_demo_store(folder, DEMO_SEED)
        return folder


def safe_name(given: str) -> str:
    """The name under which an uploaded file is kept: no folders, no controls, an ending that can be read.

    Raises:
        InvalidInput: Nothing is left of it, or it is of no kind that may be uploaded.
    """
    bare = unicodedata.normalize("NFC", given.replace("\\", "/").rpartition("/")[2])
    name = _UNWANTED.sub("_", bare).strip(" .")
    stem, dot, ending = name.rpartition(".")
    name = f"{stem[: MAX_NAME - len(ending) - 1]}{dot}{ending}"[-MAX_NAME:]
    kind = kind_of_name(Path(name)) if stem else None
    if kind is None or kind is Kind.DUCKDB:
        raise InvalidInput(
            f"{name[:60]!r} is not a kind of file that can be uploaded.",
            suggestions=["CSV, TSV, JSON, JSON lines, Parquet, Arrow, Excel and SQLite files can be."],
        )
    return name


def _label(given: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in given).split())[:MAX_NAME]


def _written(path: Path, content: BinaryIO, settings: Settings) -> StoredFile:
    """Copy an upload to where it stays, for its owner only, and look at what it is."""
    limit = settings.max_upload_mb * 1024 * 1024
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        while chunk := content.read(CHUNK):
            size += len(chunk)
            if size > limit:
                raise InvalidInput(
                    f"{path.name!r} is larger than {settings.max_upload_mb} MB.",
                    suggestions=["Raise GNOMON_MAX_UPLOAD_MB, or start the server with --open."],
                )
            digest.update(chunk)
            out.write(chunk)
    if kind_of(path) is Kind.DUCKDB:  # its views could read other files
        raise InvalidInput(
            f"{path.name!r} is a DuckDB database, which cannot be uploaded.",
            suggestions=["Export its tables as Parquet, or start the server with --open."],
        )
    return StoredFile(name=path.name, bytes=size, sha256=digest.hexdigest())


def _check_whole(path: Path, sent: StoredFile) -> None:
    """Refuse an upload that is not what was sent any more: half a file has half the figures.

    Raises:
        UnreadableSource: It was changed, cut short or removed.
    """
    try:
        with path.open("rb") as kept:
            whole = hashlib.file_digest(kept, "sha256").hexdigest() == sent.sha256
    except OSError:
        whole = False
    if not whole:
        raise UnreadableSource(
            f"{sent.name!r} is not any more what was uploaded.",
            suggestions=["Delete the data set and upload the file again."],
        )


def _nameless(profile: dict[str, Any]) -> dict[str, Any]:
    """The profile with the names of files in place of where they lie on the server."""
    for table in profile["tables"]:
        table["source"] = Path(str(table.get("source") or "")).name
    return profile


def _make_private(folder: Path) -> None:
    """Make a folder for its owner only, and those on the way to it."""
    for part in (*reversed(folder.parents[:2]), folder):
        private_folder(part)


def _by_name(error: GnomonError, sources: Sequence[str]) -> GnomonError:
    """The same error with files by their names: where they lie here is nobody's business but the server's."""
    folders = [re.escape(str(Path(s).parent)) for s in sources if Path(s).is_absolute()]
    places = re.compile(rf"(?:{'|'.join([*folders, re.escape(gettempdir()) + '/gnomon-[^/]*'])})/")
    error.reword(lambda said: places.sub("", said))
    return error
