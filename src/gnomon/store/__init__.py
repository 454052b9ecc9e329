"""What must outlive the process: runs with their plans and events, sessions, saved tools, open questions, the journal."""

from gnomon.store.database import INTERRUPTED, RUNNING, Store
from gnomon.store.journal import Journal
from gnomon.store.records import (
    AccuracySoFar,
    AuditEntry,
    Run,
    SavedTool,
    StoredConversation,
    StoredDataset,
    StoredEvent,
    StoredFile,
    StoredInvestigation,
    StoredViolation,
    Turn,
)
from gnomon.store.sessions import Sessions

__all__ = [
    "INTERRUPTED",
    "RUNNING",
    "AccuracySoFar",
    "AuditEntry",
    "Journal",
    "Run",
    "SavedTool",
    "Sessions",
    "Store",
    "StoredConversation",
    "StoredDataset",
    "StoredEvent",
    "StoredFile",
    "StoredInvestigation",
    "StoredViolation",
    "Turn",
]
