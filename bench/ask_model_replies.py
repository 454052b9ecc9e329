"""Replies of a capable model that were written once, given again in its place, as far as trust goes that of one that earned it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from gnomon.agents.analyst import Analyst
from gnomon.agents.opinions import Opinions
from gnomon.answering import Answering
from gnomon.embedding.encoder import get_encoder
from gnomon.llm import ModelClient
from gnomon.planning.model_reader import ModelReader
from gnomon.reading import LocalReader
from gnomon.semantic.retrieve import Retriever


@dataclass
class Written:
    """Replies by the question that they were written for.

    Args:
        said: What was replied to each question.
        sizes: How many tokens each prompt had.
        objections: What the replies were sent back with.
    """

    said: dict[str, dict[str, object]]
    sizes: list[int] = field(default_factory=list[int])
    objections: list[str] = field(default_factory=list[str])
    _at: str = ""

    @classmethod
    def load(cls, file: Path) -> Written:
        """The replies of a file, one a line."""
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return cls({r.pop("id"): {"ignored": [], "missing": [], **r} for r in rows})

    def asked(self, case: str) -> None:
        """The question that comes next."""
        self._at, self.objections = case, []

    def join(self, analyst: Analyst) -> None:
        """Let the replies read beside the grammar of an analyst, as a model that has earned belief."""
        reader = analyst.manager.reader
        assert isinstance(reader, LocalReader)
        grammar = reader.grammar
        retriever = Retriever.over(analyst.dataset, analyst.model)
        client = ModelClient(FunctionModel(self._reply), timeout=120.0)
        columns = retriever.columns()
        model = ModelReader(client, analyst.model, analyst.index, grammar, columns, earned=lambda: True)
        analyst.manager.learn(model, grammar, analyst.model)
        analyst.manager._gate_seconds = 120.0
        analyst.manager._presenter._opinions = Opinions(Answering(retriever), lambda: True)

    def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [str(getattr(p, "content", "")) for m in messages for p in m.parts]
        if len(messages) == 1:
            self.sizes.append(tokens("\n".join([info.instructions or "", *parts])))
        else:
            self.objections.append(parts[-1][:300])
        return ModelResponse(parts=[TextPart(json.dumps(self.said[self._at]))])


def tokens(text: str) -> int:
    """How many pieces the shipped tokenizer cuts a text into: about as many as a language model's."""
    return sum(len(get_encoder()._loaded().tokenize(line)) - 2 for line in text.splitlines() if line.strip())
