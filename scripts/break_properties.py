"""Breaks the mechanism behind each tested correctness property, one at a time, and shows that its test notices.

    python scripts/break_properties.py [NUMBER …]

Everything happens in a temporary copy of ``src`` and ``tests``; the tree itself is never touched. The tests are run
once unbroken (they must pass), then each one alone with its mechanism broken (it must fail). Exit code 1 means that
a broken mechanism was not noticed, that a test fails by itself, or that a patch no longer fits the source.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GATE = "tests/language/test_properties_gate.py"
PRESENTER = "tests/agents/test_properties_presenter.py"
MANAGER = "tests/agents/test_properties_manager.py"
EVALUATION = "tests/agents/test_properties_evaluation.py"
INSIGHT = "tests/agents/test_properties_insight.py"
SEMANTIC = "tests/semantic/test_properties_semantic.py"

_ROUTED = ("language/router.py", "        return _decision(score)\n", "        return _decision(-score)\n")
_LINKED = ("answering/plan.py", "        return named + 3 * (api.table in homes)\n")


@dataclass(frozen=True)
class Break:
    """One way to break a property.

    Args:
        number: The property.
        what: What no longer works.
        file: The source file, below ``src/gnomon``.
        old: The text in it, which occurs once.
        new: What stands in its place.
        test: The test that must notice.
    """

    number: int
    what: str
    file: str
    old: str
    new: str
    test: str


BREAKS = (
    Break(
        1, "the hidden layer is ignored", "language/autoencoder.py",
        'hidden = _sigmoid(np.einsum("i,ij->j", vector, self.w1) + self.b1)', "hidden = np.zeros_like(self.b1)",
        f"{GATE}::test_the_error_is_the_distance_between_a_vector_and_what_the_hidden_layer_keeps",
    ),
    Break(
        2, "the threshold is 5 % too high", "language/ood.py",
        "outside = error > self.threshold\n", "outside = error > 1.05 * self.threshold\n",
        f"{GATE}::test_out_of_domain_is_exactly_an_error_above_mean_plus_lambda_deviations",
    ),
    Break(
        3, "what the gate rejects goes on", "agents/manager.py",
        "if outcome.domain is not None and outcome.domain.is_out_of_domain:", "if False:",
        f"{MANAGER}::test_what_the_gate_rejects_gets_an_explanation_and_nothing_of_a_worker",
    ),
    Break(
        4, "the gate encodes ten times", "language/ood_gate.py",
        "        found = self.detector.detect_vector(vector)\n",
        "        [self.detector.encoder.encode_one(f'{question} {i}') for i in range(10)]\n"
        "        found = self.detector.detect_vector(vector)\n",
        f"{GATE}::test_a_question_is_judged_within_ten_milliseconds_of_work",
    ),
    Break(
        5, "the gate refuses whatever it doubts", "language/ood_gate.py",
        "refused = found.is_out_of_domain or score > self.limit", "refused = score > self.limit - 12",
        f"{GATE}::test_precision_is_higher_than_recall",
    ),
    Break(
        6, "the gate runs before the router", "agents/manager.py",
        'domain = self._threads.submit(run.timed, "gate", self._gate.judge, question)\n',
        'domain = Future()\n        domain.set_result(run.timed("gate", self._gate.judge, question))\n',
        f"{MANAGER}::test_gate_and_router_run_side_by_side_and_both_are_heard",
    ),
    Break(
        7, "the choice ignores the probabilities", "language/router.py",
        "if diagnostic > 0.5 else AgentType.DATA_PRESENTER\n", "if diagnostic > 0.1 else AgentType.DATA_PRESENTER\n",
        f"{GATE}::test_every_text_goes_to_exactly_one_of_the_two_with_probabilities",
    ),
    Break(8, "routes are swapped", *_ROUTED, f"{GATE}::test_asking_for_figures_goes_to_the_presenter"),
    Break(
        9, "routes are swapped", *_ROUTED,
        f"{GATE}::test_asking_for_causes_summaries_and_benchmarks_goes_to_insight",
    ),
    Break(
        10, "the router encodes thirty times", "language/router.py",
        '        """Decide from the text."""\n',
        '        """Decide from the text."""\n'
        "        [self._used_encoder().encode_one(f'{query} {i}') for i in range(30)]\n",
        f"{GATE}::test_routing_takes_far_less_than_the_time_allowed",
    ),
    Break(11, "routes are swapped", *_ROUTED, f"{GATE}::test_held_out_questions_of_each_class_are_routed_right"),
    Break(
        12, "times are left as they are", "planning/augment.py",
        "for place in reversed(relative):", "for place in relative[:0]:",
        f"{MANAGER}::test_times_are_spelt_out_with_the_calendar_they_were_read_with",
    ),
    Break(
        13, "other words are taken unchecked", "planning/augment.py",
        "if len(found) == len(meant) and all(map(_same, found, meant)):", "if found:",
        f"{MANAGER}::test_the_augmented_words_read_to_the_same_request",
    ),
    Break(
        14, "workers get the question as it was asked", "agents/manager.py",
        'augmented = run.timed("augment", self._augmenter.augment, question, today)\n',
        'augmented = run.timed("augment", self._augmenter.augment, question, today)\n'
        "        augmented = AugmentedQuery(question, question, augmented.context, augmented.relative)\n",
        f"{MANAGER}::test_the_worker_is_given_the_augmented_question",
    ),
    Break(
        15, "calculations are no visible tasks", "answering/plan.py",
        "        self.tasks.append(DataTask(step, description, metric, dependencies=tuple(inputs.values())))\n", "",
        f"{PRESENTER}::test_property_15_every_request_is_taken_apart_into_visible_steps",
    ),
    Break(
        16, "the API that fits least is chosen", *_LINKED, "        return -named - 3 * (api.table in homes)\n",
        f"{PRESENTER}::test_property_16_the_chosen_api_has_the_columns_that_the_task_names",
    ),
    Break(
        17, "the time range is not filled in", "answering/plan.py",
        "for name, value in (stated | filled).items() if name in slots}",
        'for name, value in (stated | filled).items() if name in slots - {"time_range"}}',
        f"{PRESENTER}::test_property_17_payloads_carry_every_slot_of_the_request",
    ),
    Break(
        18, "days outside the data are in scope", "answering/scope.py",
        "if days is not None and (asked.start > days[1] or asked.end < days[0]):", "if days is None and asked.days < 0:",
        f"{PRESENTER}::test_property_18_what_the_data_does_not_cover_is_out_of_scope",
    ),
    Break(
        19, "descriptions and examples are not looked at", "answering/plan.py",
        "return len(self._words & set(_WORD.findall(told.lower())))", "return 0 * len(told)",
        f"{PRESENTER}::test_property_19_examples_and_descriptions_decide_between_equal_apis",
    ),
    Break(
        20, "dimensions of the payload are dropped", "tools/retrieval_tools.py",
        "for name in RetrievalQuery.model_fields})", 'for name in RetrievalQuery.model_fields if name != "dimensions"})',
        f"{SEMANTIC}::test_a_payload_that_fits_the_schema_is_executed_as_given",
    ),
    Break(
        21, "the teller computes on its own", "answering/tell_scalar.py",
        '    change = row.get("change")\n', '    change = 1.01 * (row.get("change") or 1.0)\n',
        f"{PRESENTER}::test_property_21_what_is_computed_comes_from_a_calculation_tool",
    ),
    Break(
        22, "columns nobody asked for stay", "answering/run.py",
        "keep = [i for i, c in enumerate(retrieved.columns) if c in named]", "keep = list(range(len(retrieved.columns)))",
        f"{PRESENTER}::test_property_22_only_the_columns_asked_for_remain_under_their_labels",
    ),
    Break(
        23, "a failed call raises", "answering/run.py",
        'errors.append(" ".join([result.error.message, *(result.error.suggestions or ())[:1]]))',
        "raise RuntimeError(result.error.message)",
        f"{PRESENTER}::test_property_23_a_failing_api_gives_a_reason_and_never_an_exception",
    ),
    Break(
        24, "numbers that a writer invents pass", "agents/presenter_writer.py",
        ' or re.search(r"\\d", _SLOT.sub("", text))', "",
        f"{PRESENTER}::test_property_24_a_writer_fills_slots_and_invents_no_number",
    ),
    Break(
        25, "the least likely domain is chosen", "agents/insight/routing.py",
        'order = np.argsort(-likely, kind="stable")', 'order = np.argsort(likely, kind="stable")',
        f"{INSIGHT}::test_any_question_for_an_insight_is_put_into_one_or_more_domains",
    ),
    Break(
        26, "what is learned is turned around", "agents/insight/routing.py",
        "np.where(labels[:, None] == np.arange(domains), 1.0, -1.0)",
        "np.where(labels[:, None] == np.arange(domains), -1.0, 1.0)",
        f"{INSIGHT}::test_questions_in_other_words_than_the_examples_reach_their_domain",
    ),
    Break(
        27, "merged paths lose their examples", "agents/insight/paths.py",
        "few_shot_examples=_distinct(e for p in chosen for e in p.few_shot_examples)", "few_shot_examples=()",
        f"{INSIGHT}::test_any_path_has_methods_knowledge_a_prompt_and_examples",
    ),
    Break(
        28, "what is known is left out", "agents/insight/executor.py",
        "        statements += self._known(domain_path, work)\n", "",
        f"{INSIGHT}::test_what_is_known_of_the_domain_goes_into_the_insight",
    ),
    Break(
        29, "prose of a model is taken unchecked", "agents/insight/writing.py",
        "            if _keeps(text, line):\n", "            if True:\n",
        f"{INSIGHT}::test_a_model_that_adds_a_number_or_a_direction_is_not_listened_to",
    ),
    Break(
        30, "the losing worker runs on until the other ends", "agents/manager.py",
        "        (work.explains if keeps_presenter else work.shows).cancel()\n", "",
        f"{MANAGER}::test_both_workers_start_and_the_one_not_chosen_is_stopped",
    ),
    Break(
        31, "answers take a thousand times as long", "agents/evaluation/benchmark.py",
        "return answer, time.perf_counter() - started", "return answer, 1000 * (time.perf_counter() - started)",
        f"{EVALUATION}::test_nine_in_ten_answers_come_within_fifteen_seconds",
    ),
    Break(
        32, "answers leave unchecked", "agents/manager.py",
        'run.timed("guard", self._guard.answer, answer, outcome.reading, parts)', "answer",
        f"{MANAGER}::test_every_answer_of_a_worker_passes_the_guardrails",
    ),
    Break(
        33, "what the guardrails changed is not used", "agents/guarding.py",
        '"prose": _without(found.text, hidden)', '"prose": answer.prose',
        f"{MANAGER}::test_what_may_not_be_said_never_reaches_the_asker",
    ),
    Break(
        34, "only one figure is looked at", "agents/insight/executor.py",
        "        methods.levels(work, metrics, tested=told)\n", "        methods.levels(work, metrics[:1])\n",
        f"{INSIGHT}::test_a_diagnosis_looks_at_several_sides_of_the_data_side_by_side",
    ),
    Break(
        35, "benchmarks are not looked at", "agents/insight/executor.py",
        "                comparing.benchmarks(work)\n", "                pass\n",
        f"{INSIGHT}::test_the_methods_of_the_path_are_applied_and_no_others",
    ),
    Break(
        36, "effects are told with the wrong sign", "agents/insight/explaining.py",
        'self.effect(f"cause{place}.effect", cause.effect, group)',
        'self.effect(f"cause{place}.effect", -cause.effect, group)',
        f"{INSIGHT}::test_the_planted_cause_is_named_first_and_the_figures_are_those_of_the_data",
    ),
    Break(
        37, "advice is not given", "agents/insight/executor.py",
        "        statements += advice\n", "        statements += advice[:0]\n",
        f"{INSIGHT}::test_every_insight_says_what_happened_why_and_what_to_do",
    ),
    Break(
        38, "rules of the playbook never hold", "agents/insight/playbook.py",
        "            if holds(rule.when, finding) and", "            if not holds(rule.when, finding) and",
        f"{INSIGHT}::test_a_rule_that_an_expert_writes_is_followed_where_its_condition_holds",
    ),
    Break(
        39, "quotes in values are not escaped", "semantic/backends.py",
        "return str(self._ibis.compile(expression, pretty=True))",
        "return str(self._ibis.compile(expression, pretty=True)).replace(\"''\", \"'\")",
        f"{SEMANTIC}::test_words_reach_a_query_only_as_literals",
    ),
    Break(
        40, "conditions are turned around", "semantic/conditions.py",
        "FilterOperator.EQUALS: lambda c, v: c == v,", "FilterOperator.EQUALS: lambda c, v: c != v,",
        f"{EVALUATION}::test_question_level_accuracy_is_at_least_what_the_source_asks",
    ),
    Break(
        41, "every claim counts as right", "agents/evaluation/metrics.py",
        "return sum(claim.ok for claim in claims) / len(claims) if claims else 1.0", "return 1.0",
        f"{EVALUATION}::test_metrics_are_the_shares_that_they_are_defined_as",
    ),
    Break(
        42, "every answer counts as accurate", "agents/evaluation/tracking.py",
        "(told and metrics.is_accurate())", "told",
        f"{EVALUATION}::test_accuracy_is_tracked_with_every_cycle",
    ),
    Break(
        43, "what a tool can do is not looked at", *_LINKED, "        return 0 * named\n",
        f"{PRESENTER}::test_property_43_a_tool_is_chosen_by_what_it_can_do",
    ),
    Break(
        44, "calculations get nothing from retrievals", "answering/plan.py",
        "params=known, inputs=given, order=2", "params=known, inputs={}, order=2",
        f"{PRESENTER}::test_property_44_plans_join_retrieval_apis_and_calculation_functions",
    ),
)  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Break what was asked for; 0 when every break was noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("numbers", nargs="*", type=int, help="properties to break; all by default")
    chosen = parser.parse_args(argv).numbers
    breaks = [b for b in BREAKS if not chosen or b.number in chosen]
    with tempfile.TemporaryDirectory(prefix="gnomon-broken-") as folder:
        copy = Path(folder)
        _copied(copy)
        print("| property | what is broken | the test |\n|---|---|---|", flush=True)
        whole = _run(copy, [b.test for b in breaks]).stdout
        results = [_broken(copy, b, whole=f"FAILED {b.test}" not in whole) for b in breaks]
    missed = [b.number for b, result in zip(breaks, results, strict=True) if result != "noticed"]
    print(f"\n{len(breaks) - len(missed)} of {len(breaks)} broken mechanisms were noticed.")
    return 1 if missed else 0


def _copied(copy: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache", ".hypothesis")
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)


def _broken(copy: Path, b: Break, *, whole: bool) -> str:
    """What the test made of one break; the copy is whole again afterwards."""
    file = copy / "src" / "gnomon" / b.file
    text = file.read_text(encoding="utf-8")
    started = time.perf_counter()
    if not whole:
        result = "fails unbroken, so nothing is shown"
    elif text.count(b.old) != 1:
        result = "cannot be broken: the text is not there once"
    else:
        file.write_text(text.replace(b.old, b.new), encoding="utf-8")
        try:
            code = _run(copy, ["-x", b.test]).returncode
        finally:
            file.write_text(text, encoding="utf-8")
        result = {0: "passes all the same", 1: "noticed"}.get(code, f"could not run (exit code {code})")
    shown = "fails" if result == "noticed" else result.upper()
    print(f"| {b.number} | {b.what} | {shown} ({time.perf_counter() - started:.0f} s) |", flush=True)
    return result


def _run(copy: Path, tests: list[str]) -> subprocess.CompletedProcess[str]:
    """Pytest over the copy; its sources come before any that are installed."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
