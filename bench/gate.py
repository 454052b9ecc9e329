"""How well the gate refuses, how well the router routes, and how long both take, as Markdown tables.

    python bench/gate.py [--clinc FILE] [--far 600]

Questions over ten schemas that nothing was trained on (``gate_schemas.json``) must pass gates fitted to their
own names; far-domain requests come from a file of ``[text, intent]`` pairs in CLINC150's form, near-domain
ones from the shipped held-out requests. The router is measured on the splits ``held_out``
and ``unseen`` of the shipped questions.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.core.query import AgentType
from gnomon.embedding import get_encoder
from gnomon.language import AgentRouter, Gate, fit_gate, gate_of, load_negatives, load_questions

SCHEMAS = Path(__file__).parent / "gate_schemas.json"
# Intents that ask for figures out of a personal record: a table of spending could answer them.
NEARLY_DATA = {"spending_history", "transactions", "order_status", "income", "pto_used", "balance"}
ASKS = ("show {m} by {d}", "what is the {m} per {d}", "total {m} for {v}", "which {d} has the highest {m}")


def generated(schema: dict[str, Any]) -> list[str]:
    """Questions made from a schema's names alone, as the semantic model would make them."""
    return [
        ask.format(m=metric, d=dimension, v=schema["values"][i % len(schema["values"])])
        for metric in schema["metrics"]
        for i, dimension in enumerate(schema["dimensions"])
        for ask in ASKS
    ]


def far_requests(path: Path, number: int) -> list[str]:
    """A fixed choice of requests whose intent no table answers."""
    held = json.loads(path.read_text(encoding="utf-8"))
    pairs = [p for part in ("val", "oos_val") for p in held.get(part, []) if p[1] not in NEARLY_DATA]
    order = np.random.default_rng(0).permutation(len(pairs))[:number]
    return [pairs[i][0] for i in order]


def auroc(inside: Sequence[float], outside: Sequence[float]) -> float:
    """The chance that a request to refuse scores above a question to answer."""
    a, b = np.asarray(inside)[:, None], np.asarray(outside)[None, :]
    return float((a < b).mean() + 0.5 * (a == b).mean())


def gate_table(far: list[str]) -> None:
    near = [n.text for n in load_negatives() if n.split == "test"]
    refused: dict[str, list[bool]] = {"questions": [], "near": [], "far": []}
    scores: dict[str, list[float]] = {"questions": [], "near": [], "far": []}
    errors: dict[str, list[float]] = {"questions": [], "near": [], "far": []}
    at_once: dict[str, list[bool]] = {"questions": [], "near": [], "far": []}
    fits: list[float] = []
    wrongly: list[str] = []
    schemas = json.loads(SCHEMAS.read_text(encoding="utf-8"))
    for i, schema in enumerate(schemas):
        started = time.perf_counter()
        gate = gate_of(partial(generated, schema), None, get_encoder())
        own = gate.own
        fits.append(time.perf_counter() - started)
        # Every request meets one of the gates, every question the gate of its own data.
        sets = {
            "questions": schema["questions"],
            "near": near[i :: len(schemas)],
            "far": far[i :: len(schemas)],
        }
        for kind, texts in sets.items():
            for text in texts:
                result = gate.judge(text)
                refused[kind].append(result.is_out_of_domain)
                scores[kind].append(own.score(text) - own.limit)
                alone = own.judge(text)
                errors[kind].append(alone.reconstruction_error / alone.threshold)
                at_once[kind].append(gate.passes_at_once(text))
                if kind == "questions" and result.is_out_of_domain:
                    wrongly.append(f"{schema['name']}: {text}")
    print(
        "| texts | number | refused | passed unfitted | AUROC classifier | AUROC autoencoder |\n|---|---|---|---|---|---|"
    )
    for kind, flags in refused.items():
        if not flags:
            continue
        both = [
            f"{auroc(s['questions'], s[kind]):.4f}" if kind != "questions" else "–" for s in (scores, errors)
        ]
        print(
            f"| {kind} | {len(flags)} | {np.mean(flags):.1%} | {np.mean(at_once[kind]):.1%} | {both[0]} | {both[1]} |"
        )
    caught = sum(refused["near"]) + sum(refused["far"])
    asked = len(refused["near"]) + len(refused["far"])
    precision = caught / max(1, caught + sum(refused["questions"]))
    print(
        f"\nPrecision {precision:.3f}, recall {caught / asked:.3f}; fitting took {np.median(fits):.2f} s (median)."
    )
    print("Refused wrongly:", "; ".join(wrongly) or "none", "\n")


def router_table(router: AgentRouter, split: str) -> None:
    held = [q for q in load_questions() if q.split == split]
    right: dict[str, list[bool]] = {}
    confusion = {(a, b): 0 for a in AgentType for b in AgentType}
    for q in held:
        chosen = router.route(q.text).agent_type
        confusion[q.agent_type, chosen] += 1
        for key in (q.style, "all"):
            right.setdefault(key, []).append(chosen is q.agent_type)
    print(f"Router, split {split}:\n\n| style | questions | right |\n|---|---|---|")
    for style, flags in right.items():
        print(f"| {style} | {len(flags)} | {np.mean(flags):.1%} |")
    print("\n| asked for | routed to presenter | routed to insight |\n|---|---|---|")
    for asked in AgentType:
        print(f"| {asked} | {' | '.join(str(confusion[asked, to]) for to in AgentType)} |")
    print()


def latency_table(gate: Gate, router: AgentRouter) -> None:
    """Every text is new to the encoder, whose memory would otherwise answer."""
    texts = [q.text for q in load_questions()][:400]
    print("| milliseconds | p50 | p90 | p99 |\n|---|---|---|---|")
    for name, call in (("gate, with encoding", gate.judge), ("router, with encoding", router.route)):
        taken: list[float] = []
        for i, text in enumerate(texts):
            fresh = f"{text} {name[0]}{i}"
            started = time.perf_counter()
            call(fresh)
            taken.append(1000 * (time.perf_counter() - started))
        print(f"| {name} | {_percentiles(taken)} |")
    taken = []
    with ThreadPoolExecutor(2) as threads:
        for i, text in enumerate(texts):
            fresh = f"{text} b{i}"
            started = time.perf_counter()
            both = (threads.submit(gate.judge, fresh), threads.submit(router.route, fresh))
            for judged in both:
                judged.result()
            taken.append(1000 * (time.perf_counter() - started))
    print(f"| both, started together as for every question | {_percentiles(taken)} |")


def _percentiles(taken: Sequence[float]) -> str:
    return " | ".join(f"{v:.1f}" for v in np.percentile(taken[20:], [50, 90, 99]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clinc", type=Path, help="a file of [text, intent] pairs in CLINC150's form")
    parser.add_argument("--far", type=int, default=600, help="how many far-domain requests to use")
    arguments = parser.parse_args()
    get_encoder().encode_one("warm up")
    gate_table(far_requests(arguments.clinc, arguments.far) if arguments.clinc else [])
    router = AgentRouter()
    for split in ("held_out", "unseen"):
        router_table(router, split)
    latency_table(fit_gate(generated(json.loads(SCHEMAS.read_text(encoding="utf-8"))[0])), router)


if __name__ == "__main__":
    main()
