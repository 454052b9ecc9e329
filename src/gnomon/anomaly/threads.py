"""How many threads linear algebra may use.

Its threads wait by spinning: on matrices of the size seen here they cost more than they gain.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Generator[None]:
    """Linear algebra on one thread inside the block."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield
