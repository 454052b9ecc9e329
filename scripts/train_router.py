"""Train what ships with the language room: the router's head, and what every gate starts from; and encode what the
router of insights learns from.

    python scripts/train_router.py

Reads the questions in ``src/gnomon/language/data`` and writes ``router.npz``, ``exposure.npz``,
``exposure_head.npz`` and ``general_gate.npz`` beside them, and ``asks.npz`` beside the domain paths; takes well under a minute on one core. Held-out questions are not read.
"""

from __future__ import annotations

from gnomon.agents.insight.routing import VECTORS as ASKS
from gnomon.agents.insight.routing import save_vectors
from gnomon.embedding import get_encoder
from gnomon.language.data_gate import GENERAL, save_general
from gnomon.language.exposure import HEAD, VECTORS, make_exposure, save_exposure
from gnomon.language.router import SHIPPED, AgentRouter
from gnomon.language.router_questions import training_questions


def main() -> None:
    questions = training_questions()
    AgentRouter().train([(q.text, q.agent_type) for q in questions]).save(SHIPPED)
    save_exposure(make_exposure(get_encoder()))
    save_general(get_encoder())
    save_vectors(get_encoder())
    for path in (SHIPPED, VECTORS, HEAD, GENERAL, ASKS):
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} KB, from {len(questions)} questions")


if __name__ == "__main__":
    main()
