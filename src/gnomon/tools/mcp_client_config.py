"""``mcp.json``: the external MCP servers that a user has named, in the shape that MCP clients share."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gnomon.core.errors import ConfigurationError
from gnomon.core.patterns import regex

CALL_SECONDS = 30.0
MAX_SERVERS = 32
_VARIABLE = regex(r"\$\{(\w+)(?::-([^}]*))?\}")


class ServerConfig(BaseModel):
    """One server: a command to start, or an address to call. Keys of other clients are passed over."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="ignore")

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    timeout: float = Field(default=CALL_SECONDS, gt=0, le=3600, description="Seconds that one call may take.")
    disabled: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> ServerConfig:
        if bool(self.command) == bool(self.url):
            raise ValueError("it needs either a command or a url")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise ValueError("its url has to begin with http:// or https://")
        return self


def read_config(path: Path) -> dict[str, ServerConfig]:
    """The servers that a file names; ``${NAME}`` and ``${NAME:-default}`` are taken from the environment.

    Raises:
        ConfigurationError: The file cannot be used; the message says where it is wrong, never what it holds.
    """
    where = path.expanduser()
    try:
        content = json.loads(where.read_text(encoding="utf-8"))
    except OSError as e:
        raise ConfigurationError(
            f"{where.name} cannot be read ({e.strerror or type(e).__name__}).",
            suggestions=["GNOMON_MCP_CONFIG names the file with the external MCP servers."],
        ) from None
    except (ValueError, RecursionError) as e:
        raise ConfigurationError(
            f"{where.name} is not JSON: {e}.",
            suggestions=["GNOMON_MCP_CONFIG names the file with the external MCP servers."],
        ) from None
    servers = content.get("mcpServers") if isinstance(content, dict) else None
    if not isinstance(servers, dict) or len(servers) > MAX_SERVERS:
        raise ConfigurationError(
            f"{where.name} has to hold an object 'mcpServers' with at most {MAX_SERVERS} servers.",
            suggestions=['{"mcpServers": {"name": {"command": "…", "args": []}}}'],
        )
    return {str(name): _server(where.name, str(name), entry) for name, entry in servers.items()}


def _server(file: str, name: str, entry: Any) -> ServerConfig:
    if not re.fullmatch(r"[A-Za-z][\w-]{0,40}", name):
        raise ConfigurationError(
            f"{name[:60]!r} in {file} cannot be the name of a server.",
            suggestions=["Use letters, digits, - and _, beginning with a letter."],
        )
    try:
        return ServerConfig.model_validate(_expanded(entry, file, name))
    except ValidationError as e:
        first = e.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"])
        problem = f"{where}: {first['msg']}" if where else first["msg"].removeprefix("Value error, ")
        raise ConfigurationError(f"The server {name!r} in {file} cannot be used: {problem}.") from None


def _expanded(value: Any, file: str, name: str) -> Any:
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: _variable(found, file, name), value)
    if isinstance(value, Mapping):
        return {k: _expanded(v, file, name) for k, v in value.items()}
    if isinstance(value, list):
        return [_expanded(v, file, name) for v in value]
    return value


def _variable(found: re.Match[str], file: str, name: str) -> str:
    value: str | None = os.environ.get(found[1], cast("str | None", found[2]))
    if value is None:
        raise ConfigurationError(
            f"The server {name!r} in {file} needs the environment variable {found[1]}, which is not set."
        )
    return value
