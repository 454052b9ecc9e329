"""Replies of a model that were kept: recorded while it is asked, and given again without it.

``GNOMON_MODEL=replay:DIR`` gives what the folder holds; with ``GNOMON_MODEL_URL`` set as well, what it does not hold is
asked there and kept. A reply is found by what was asked, so the same question gives the same reply on any machine.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import httpx2

PREFIX = "replay:"
MAX_REPLY = 1_000_000


class ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers from a folder of kept replies.

    Args:
        folder: Where they are.
        inner: What asks for those that are not there; None where nothing may be asked.
    """

    def __init__(self, folder: Path, inner: httpx2.AsyncBaseTransport | None = None) -> None:
        self._folder = folder
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The kept reply, or the one of the model, which is kept from then on."""
        content = await request.aread()
        kept = self._folder / f"{asked(content)}.json"
        if kept.is_file():
            held = json.loads(kept.read_text(encoding="utf-8"))
            return httpx2.Response(200, json=_reply(held), request=request)
        if self._inner is None:
            told = {"error": {"message": f"No reply is kept for this question ({kept.name})."}}
            return httpx2.Response(404, json=told, request=request)
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        if response.status_code == 200 and len(body) <= MAX_REPLY:
            self._keep(kept, content, json.loads(body))
        return httpx2.Response(
            response.status_code, content=body, headers={"content-type": "application/json"}, request=request
        )

    def _keep(self, file: Path, content: bytes, reply: dict[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        said = reply.get("choices", [{}])[0].get("message", {}).get("content")
        held = {"asked": json.loads(content).get("messages"), "said": said}
        part = file.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(held, ensure_ascii=False, indent=1), encoding="utf-8")
        part.replace(file)

    async def aclose(self) -> None:
        """Close what asks."""
        if self._inner is not None:
            await self._inner.aclose()


def asked(content: bytes) -> str:
    """What tells one question from another: the messages alone, whatever the model and its settings are."""
    messages = [(m.get("role"), m.get("content")) for m in json.loads(content).get("messages", [])]
    return hashlib.sha256(json.dumps(messages, ensure_ascii=False).encode()).hexdigest()[:24]


def _reply(held: dict[str, Any]) -> dict[str, Any]:
    said = held["said"] if isinstance(held["said"], str) else json.dumps(held["said"])
    return {
        "id": "kept", "object": "chat.completion", "created": 0, "model": "kept",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }  # fmt: skip
