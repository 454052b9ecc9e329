"""A model that says what it is told to, and a worker that several analyses share."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from gnomon.llm import ModelClient

Move = dict[str, Any]


def code(text: str, description: str = "a step") -> Move:
    return {"action": "generate_code", "description": description, "code": text}


def done(conclusion: str) -> Move:
    return {"action": "analysis_complete", "description": "done", "conclusion": conclusion}


class Script:
    """Moves one after the other; what the model was sent is kept."""

    def __init__(self, *moves: Move | Callable[[str], Move]) -> None:
        self.moves = moves
        self.sent: list[list[ModelMessage]] = []

    def client(self, **options: Any) -> ModelClient:
        return ModelClient(
            FunctionModel(self._whole, stream_function=self._streamed), timeout=60, name="scripted", **options
        )

    @property
    def feedback(self) -> list[str]:
        """What the user side said last, request by request."""
        return [_user_texts(messages)[-1] for messages in self.sent]

    @property
    def first(self) -> str:
        return _user_texts(self.sent[0])[0]

    @property
    def everything(self) -> str:
        return "\n".join(str(messages) for messages in self.sent)

    def _next(self, messages: list[ModelMessage]) -> str:
        self.sent.append(messages)
        move = self.moves[min(len(self.sent), len(self.moves)) - 1]
        return json.dumps(move(_user_texts(messages)[-1]) if callable(move) else move)

    def _whole(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart(self._next(messages))])

    async def _streamed(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        said = self._next(messages)
        yield said[: len(said) // 2]
        yield said[len(said) // 2 :]


def _user_texts(messages: list[ModelMessage]) -> list[str]:
    return [str(p.content) for m in messages for p in m.parts if p.part_kind == "user-prompt"]
