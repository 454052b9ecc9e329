"""What must outlive the process: runs with their plans and events, saved tools, open questions."""

from gnomon.store.database import Store
from gnomon.store.records import Run, SavedTool, StoredEvent

__all__ = ["Run", "SavedTool", "Store", "StoredEvent"]
