"""The tools that exist, whether they can run, and how to find one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping

from gnomon.core.errors import InvalidInput, NotFound, ToolUnavailable
from gnomon.core.patterns import regex
from gnomon.tools.contract import Tool

_WORD = regex(r"[a-z0-9]+")


class ToolRegistry:
    """Tools by name.

    Args:
        tools: The tools it starts with.
        disabled: Names switched off by configuration; they stay known, as unavailable.
        late: Further tools that it starts with, by name, each made when somebody asks for it or for all there are.
        base: Tools that are known here too, as they are there; what is registered here is not known there.
        more: Makes a base when somebody asks for a tool that is not registered here, or for all there are.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        disabled: Iterable[str] = (),
        *,
        late: Mapping[str, Callable[[], Tool]] | None = None,
        base: ToolRegistry | None = None,
        more: Callable[[], ToolRegistry] | None = None,
    ) -> None:
        self._own: dict[str, Tool] = {}  # replaced as a whole, so that readers need no lock
        self._base = base
        self._late: dict[str, Callable[[], Tool]] = {}
        self._more: Callable[[], ToolRegistry] | None = None
        self._changing = threading.RLock()
        self._disabled: frozenset[str] = frozenset(disabled) | (base._disabled if base else frozenset())
        for tool in tools:
            self.register(tool)
        self._late = dict(late or {})
        self._more = more

    def register(self, tool: Tool, *, replace: bool = False) -> None:
        """Add a tool.

        Raises:
            InvalidInput: A tool of that name exists and ``replace`` is not set.
        """
        name = tool.spec.name
        with self._changing:
            if not replace and name in self._tools:
                raise InvalidInput(
                    f"A tool named {name!r} is registered already.",
                    suggestions=["Choose another name for the new one."],
                )
            self._late.pop(name, None)
            self._own = {**self._own, name: tool}

    def unregister(self, name: str) -> None:
        """Forget a tool; a name that is not known is ignored."""
        with self._changing:
            self._late.pop(name, None)
            self._own = {n: t for n, t in self._own.items() if n != name}

    @property
    def _tools(self) -> dict[str, Tool]:
        if self._more is not None:
            with self._changing:
                if self._more is not None:
                    self._base, self._more = self._more(), None
        for name in list(self._late):
            self._made(name)
        return self._own if self._base is None else {**self._base._tools, **self._own}

    def _made(self, name: str) -> Tool | None:
        """The tool of that name that is registered here, made now where it was not yet."""
        if name in self._late:
            with self._changing:
                if name in self._late:
                    self._own = {**self._own, name: self._late[name]()}
                    del self._late[name]
        return self._own.get(name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def names(self) -> list[str]:
        """Every name, in order of registration."""
        return list(self._tools)

    def get(self, name: str) -> Tool:
        """The tool of that name, available or not.

        Raises:
            NotFound: No tool has that name; close names are proposed.
        """
        if (own := self._made(name)) is not None:
            return own
        try:
            return self._tools[name]
        except KeyError:
            raise NotFound.among("tool", name, self._tools) from None

    def unavailable(self, name: str) -> str | None:
        """Why the tool cannot run here and now, or None when it can."""
        if name in self._disabled:
            return "it is switched off by configuration"
        return self.get(name).unavailable()

    def available(self) -> list[Tool]:
        """The tools that can run here and now."""
        return [tool for name, tool in self._tools.items() if self.unavailable(name) is None]

    def usable(self, name: str) -> Tool:
        """The tool of that name, ready to be called.

        Raises:
            NotFound: No tool has that name.
            ToolUnavailable: It cannot run here and now; the message says why.
        """
        tool = self.get(name)
        if reason := self.unavailable(name):
            raise ToolUnavailable(f"The tool {name!r} is not available: {reason}.")
        return tool

    def serving(self, goal: str, data_type: str | None = None) -> list[Tool]:
        """The tools that serve a goal on a kind of data, available or not, in order of registration."""
        return [
            tool
            for tool in self._tools.values()
            if goal in tool.spec.goals
            and (data_type is None or not tool.spec.data_types or data_type in tool.spec.data_types)
        ]

    def search(self, words: str, limit: int = 10) -> list[Tool]:
        """The tools whose name, goals or description share words with ``words``, best first."""
        wanted = set(_WORD.findall(words.lower()))
        scored = [(self._overlap(wanted, tool), tool.spec.name, tool) for tool in self._tools.values()]
        return [tool for score, _, tool in sorted(scored, key=lambda s: (-s[0], s[1])) if score > 0][:limit]

    @staticmethod
    def _overlap(wanted: set[str], tool: Tool) -> float:
        spec = tool.spec
        name = set(_WORD.findall(spec.name.lower().replace("_", " ")))
        goals = set(_WORD.findall(" ".join(spec.goals).lower().replace("_", " ")))
        description = set(_WORD.findall(spec.description.lower()))
        return 3 * len(wanted & name) + 2 * len(wanted & goals) + len(wanted & description)
