"""Questions as trees: clauses that cover every word of a question become a query over rows, or nothing at all.

What has no place in the data is judged by ``senses``, and read in the likeliest ways by ``search``.
"""

from gnomon.reading.local import LocalReader
from gnomon.reading.reader import Covered, TreeReader

__all__ = ["Covered", "LocalReader", "TreeReader"]
