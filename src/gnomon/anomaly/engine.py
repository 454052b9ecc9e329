"""``ADEngine``: leads an investigation from data to a report, and answers single questions without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.anomaly.state import DetectionPlan, InvestigationState
from gnomon.core.errors import InvalidInput

if TYPE_CHECKING:
    from gnomon.anomaly.watch import Watch

Progress = Callable[[str, float], None]


class ADEngine:
    """Expert anomaly detection, one step at a time or in one call.

    ``start``, ``plan``, ``run``, ``analyze``, ``iterate`` and ``report`` lead through an investigation;
    each sets ``state.next_action``. The other methods answer single questions and keep no state.

    Args:
        knowledge_dir: A folder with the measured results that choices rest on; None for the shipped one.
        random_state: The seed of everything random. The same seed and data give the same result; None is 0.
    """

    def __init__(self, knowledge_dir: str | None = None, random_state: int | None = None) -> None:
        from gnomon.anomaly.catalogue import Catalogue

        self.catalogue = Catalogue(knowledge_dir)
        self.random_state = random_state

    @property
    def _seed(self) -> int:
        return 0 if self.random_state is None else int(self.random_state)

    # --- the investigation -----------------------------------------------------------------------

    def start(self, X: Any, data_type: str | None = None) -> InvestigationState:
        """Profile the data and open an investigation.

        Args:
            X: A table (array, pandas, polars, Arrow, dict of columns, file path), a series, texts, images
                or a graph.
            data_type: What it is, where that should not be guessed.

        Returns:
            A state in phase ``profiled``; its next action is ``plan``.
        """
        from gnomon.anomaly.session import start_state

        return start_state(X, data_type, self._seed)

    def plan(
        self,
        state: InvestigationState,
        priority: str = "balanced",
        constraints: Mapping[str, Any] | None = None,
    ) -> InvestigationState:
        """Choose up to three detectors.

        Args:
            state: An investigation in any phase; what was found before is set aside.
            priority: ``balanced``, ``speed`` or ``accuracy``.
            constraints: ``exclude_detectors``, ``max_detectors`` (at most 3), ``max_seconds``,
                ``contamination``, and ``consensus``: ``tail_mean`` (the default), ``rank_mean`` (the mean of
                ranks, as PyOD's engine combines) or ``tail_max``.

        Returns:
            The state in phase ``planned``; its next action is ``run``.
        """
        from gnomon.anomaly.session import plan_state

        return plan_state(state, priority, constraints, self.catalogue.knowledge)

    def run(self, state: InvestigationState, progress: Progress | None = None) -> InvestigationState:
        """Fit the planned detectors and take them together.

        A detector that fails or overruns is recorded and left out; it stops nothing else.

        Args:
            state: An investigation in phase ``planned``.
            progress: Called with what is being done and the share that is finished.

        Returns:
            The state in phase ``detected``.
        """
        from gnomon.anomaly.session import run_state

        return run_state(state, self.catalogue.knowledge, progress)

    def analyze(self, state: InvestigationState) -> InvestigationState:
        """Judge the result against chance, explain the top anomalies and say what to do next.

        Args:
            state: An investigation in phase ``detected``.

        Returns:
            The state in phase ``analyzed``.
        """
        from gnomon.anomaly.session import analyze_state

        return analyze_state(state, self.catalogue.knowledge)

    def iterate(self, state: InvestigationState, feedback: str | Mapping[str, Any]) -> InvestigationState:
        """Take feedback into account.

        Args:
            state: An investigation in phase ``analyzed`` (``recover`` also works in ``detected``).
            feedback: A structured change such as ``{"action": "exclude", "detectors": ["KNN"]}``, carried
                out at once, or a sentence, carried out when it is certain and otherwise proposed in
                ``next_action``.

        Returns:
            The state in phase ``planned``, or unchanged with a question in ``next_action``.
        """
        from gnomon.anomaly.feedback import Editor

        editor = Editor(
            state, self.catalogue.knowledge, self.catalogue.plannable(state.profile.get("data_type"))
        )
        changed = editor.words(feedback) if isinstance(feedback, str) else editor.change(feedback)
        changed.steps.append(
            {"call": "iterate", "feedback": feedback if isinstance(feedback, str) else dict(feedback)}
        )
        return changed

    def report(self, state: InvestigationState, format: str = "text") -> str | dict[str, Any]:
        """The report of an analysed investigation.

        Args:
            state: An investigation in phase ``analyzed``.
            format: ``text`` for Markdown, ``json`` for JSON-ready data.

        Raises:
            InvalidInput: There is no analysis to report on (a ValueError).
        """
        from gnomon.anomaly.plans import require_phase
        from gnomon.anomaly.report import report_state

        require_phase(state, "analyzed")
        return report_state(state, format)

    def investigate(
        self,
        X: Any,
        data_type: str | None = None,
        priority: str = "balanced",
        *,
        constraints: Mapping[str, Any] | None = None,
        contamination: float | None = None,
        progress: Progress | None = None,
    ) -> InvestigationState:
        """Start, plan, run and analyse in one call.

        Args:
            X: The data, as in :meth:`start`.
            data_type: What it is, where that should not be guessed.
            priority: ``balanced``, ``speed`` or ``accuracy``.
            constraints: As in :meth:`plan`.
            contamination: The share of rows to flag; None lets the scores decide.
            progress: As in :meth:`run`.
        """
        limits = {
            **(constraints or {}),
            **({} if contamination is None else {"contamination": contamination}),
        }
        state = self.plan(self.start(X, data_type), priority, limits)
        return self.analyze(self.run(state, progress))

    def replay(self, state: InvestigationState, data: Any = None) -> InvestigationState:
        """The same calls again, from the data to where the state stands.

        Args:
            state: The investigation to repeat.
            data: Its data, where the state holds none.
        """
        from gnomon.anomaly.plans import prepared_of

        if data is not None:
            from gnomon.anomaly.serialise import check_same

            check_same(state.source, data)
        elif state.data is None:
            prepared_of(state)
        if not state.steps:
            raise InvalidInput("This investigation has no recorded steps to replay.")
        first, *rest = state.steps
        engine = ADEngine(random_state=first["seed"])
        engine.catalogue = self.catalogue
        again = engine.start(state.data if data is None else data, first["data_type"])
        for step in rest:
            arguments = {k: v for k, v in step.items() if k != "call"}
            again = getattr(engine, step["call"])(again, **arguments)
        return again

    def score(self, state: InvestigationState, X_new: Any) -> dict[str, Any]:
        """Score new rows with the fitted consensus and its threshold.

        Args:
            state: An investigation that was run.
            X_new: Rows with the same columns as the data of the investigation.

        Returns:
            ``scores``, ``labels``, ``threshold``, ``n_anomalies``, ``anomaly_ratio`` and ``per_detector``.
        """
        from gnomon.anomaly.watch import score_new

        return score_new(state, X_new)

    def watch(self, state: InvestigationState) -> Watch:
        """Something that scores arriving batches and says when the threshold no longer fits them."""
        from gnomon.anomaly.watch import Watch

        return Watch(state)

    def validate(self, state: InvestigationState, y: Any) -> dict[str, Any]:
        """Compare the consensus and each detector with labels that became known.

        Args:
            state: An analysed investigation.
            y: 1 for anomalous rows, 0 for normal ones, as many as there are rows.
        """
        from gnomon.anomaly.hindsight import validate_state

        return validate_state(state, y)

    def contamination_diagnostics(
        self, state: InvestigationState, threshold_sweep: Sequence[float] | None = None
    ) -> dict[str, Any]:
        """What share of rows is flagged, where the threshold lies, and what other shares would do.

        Args:
            state: An analysed investigation.
            threshold_sweep: Shares to preview; those outside 0 to 1 are passed over.
        """
        from gnomon.anomaly.hindsight import contamination_figures

        return contamination_figures(state, threshold_sweep)

    # --- single questions ------------------------------------------------------------------------

    def profile_data(self, X: Any, data_type: str | None = None) -> dict[str, Any]:
        """What the data is: type, size, missing values, columns, and what will be done to it."""
        from gnomon.anomaly import detection

        return detection.profile_of(detection.prepare_data(X, data_type), X)

    def plan_detection(
        self,
        profile: Mapping[str, Any],
        priority: str = "balanced",
        constraints: Mapping[str, Any] | None = None,
        *,
        top_k: int = 3,
        llm_client: Callable[[str], str] | None = None,
        llm_strict: bool | None = None,
    ) -> DetectionPlan:
        """One plan with its alternatives, from a profile.

        Args:
            profile: What :meth:`profile_data` returned.
            priority: ``balanced``, ``speed`` or ``accuracy``.
            constraints: As in :meth:`plan`.
            top_k: How many detectors, the first and its alternatives together.
            llm_client: A function from a prompt to an answer that chooses instead; it sees the profile and
                the catalogue, never the data.
            llm_strict: Whether a failure of ``llm_client`` is raised; by default the measured choice stands in.
        """
        from gnomon.anomaly.routing import plan_from_profile

        return plan_from_profile(
            self.catalogue, profile, priority, constraints, top_k, llm_client, llm_strict
        )

    def get_kb_for_routing(
        self, profile: Mapping[str, Any], top_k: int = 3, constraints: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """What is known about the detectors that suit a profile, for a caller who chooses."""
        from gnomon.anomaly.routing import knowledge_for

        return knowledge_for(self.catalogue, profile, top_k, constraints)

    def make_plan(
        self,
        detector_choices: list[str],
        justifications: Sequence[str] | None = None,
        params: Sequence[dict[str, Any]] | None = None,
    ) -> DetectionPlan:
        """A plan from a caller's own choice, the first and its alternatives."""
        from gnomon.anomaly.routing import plan_from_names

        return plan_from_names(self.catalogue, detector_choices, justifications, params)

    def build_detector(self, plan: Mapping[str, Any]) -> Any:
        """The unfitted detector of a plan."""
        from gnomon.anomaly import detection

        return detection.build(plan, self._seed)

    def run_detection(self, X_train: Any, plan: Mapping[str, Any], X_test: Any = None) -> dict[str, Any]:
        """Fit one plan and score its rows, and those of ``X_test`` where given."""
        from gnomon.anomaly import detection

        return detection.run_single(X_train, plan, X_test, self._seed)

    def detect(
        self, X_train: Any, X_test: Any = None, data_type: str | None = None, priority: str = "balanced"
    ) -> dict[str, Any]:
        """Profile, plan, run and analyse with the first choice only."""
        from gnomon.anomaly import detection
        from gnomon.anomaly.results import analyze_result

        prepared = detection.prepare_data(X_train, data_type)
        profile = detection.profile_of(prepared, X_train)
        plan = self.plan_detection(profile, priority=priority)
        result = detection.run_single(X_train, plan, X_test, self._seed, prepared=prepared)
        result["analysis"] = analyze_result(result, prepared)
        return result

    def analyze_results(self, result: Mapping[str, Any], X: Any = None, top_k: int = 10) -> dict[str, Any]:
        """Figures of one result: how many, how the scores lie, the top rows, the columns that matter."""
        from gnomon.anomaly import detection
        from gnomon.anomaly.results import analyze_result

        return analyze_result(result, None if X is None else detection.prepare_data(X, None), top_k)

    def explain_findings(
        self,
        result: Mapping[str, Any],
        indices: Sequence[int] | None = None,
        top_k: int = 5,
        X: Any = None,
        feature_names: Sequence[str] | None = None,
    ) -> list[dict[str, Any]]:
        """Why rows were flagged, in the units of the data where ``X`` is given."""
        from gnomon.anomaly import detection
        from gnomon.anomaly.results import explain_result

        prepared = None if X is None else detection.prepare_data(X, None)
        return explain_result(result, prepared, indices, top_k, feature_names)

    def suggest_next_step(
        self, result: Mapping[str, Any], analysis: Mapping[str, Any], feedback: str | None = None
    ) -> dict[str, Any]:
        """What to try next after one result: ``adjust_threshold``, ``try_alternative`` or ``done``."""
        from gnomon.anomaly.suggest import next_step

        return next_step(self.catalogue, result, analysis, feedback)

    def generate_report(
        self, result: Mapping[str, Any], analysis: Mapping[str, Any], format: str = "text"
    ) -> str:
        """The report of one result, as Markdown or as a JSON string."""
        from gnomon.anomaly.results import result_report

        return result_report(result, analysis, format)

    # --- what is known ---------------------------------------------------------------------------

    def list_detectors(self, data_type: str | None = None, status: str = "shipped") -> list[dict[str, Any]]:
        """The detectors, all or those for one kind of data; ``status='all'`` includes what cannot run here."""
        return self.catalogue.listing(data_type, status)

    def explain_detector(self, name: str) -> dict[str, Any]:
        """What a detector does, its strengths, weaknesses and measured results."""
        return self.catalogue.entry(name)

    def compare_detectors(
        self, names: Sequence[str] | None = None, data_type: str | None = None, top_k: int = 3
    ) -> list[dict[str, Any]]:
        """Detectors side by side: those named, or the best ``top_k`` by measured results."""
        return self.catalogue.comparison(names, data_type, top_k)

    def get_benchmarks(self, benchmark: str = "all") -> dict[str, Any]:
        """Measured results, with where each comes from."""
        return self.catalogue.benchmarks(benchmark)
