"""The anomaly engine as one tool: a whole investigation in one call."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.errors import CalculationError
from gnomon.tools.columns import free_name, known
from gnomon.tools.contract import Cost, FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.lineage import Lineage
from gnomon.tools.outputs import Output
from gnomon.tools.resolve import read_frame
from gnomon.tools.wording import counted, percent


class InvestigateInput(BaseModel):
    """The rows to investigate."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    columns: list[str] | None = Field(
        default=None, description="Columns that describe a row; all by default."
    )
    contamination: float | None = Field(
        default=None, gt=0, le=0.5, description="Share of anomalies; estimated by default."
    )
    priority: Literal["balanced", "speed", "accuracy"] = Field(
        default="balanced", description="What to spend time on."
    )
    max_seconds: float | None = Field(default=None, gt=0, description="Time that the detectors may take.")
    top: int = Field(default=10, ge=1, le=1000, description="Anomalies listed with their reasons.")


class FoundAnomaly(BaseModel):
    """One anomalous row and why it is one."""

    index: int
    score: float
    flagged: bool
    why: str


class FoundEpisode(BaseModel):
    """Flagged readings that follow each other, as one stretch of time."""

    index: int
    size: int
    score: float
    when: str
    why: str


class InvestigateOutput(Output):
    """What an investigation found."""

    verdict: str = Field(description="How far the result can be trusted: high, medium or low.")
    significant: bool = Field(description="Whether there is more than chance would give.")
    quality: dict[str, float | None]
    anomaly_count: int
    anomaly_ratio: float
    anomalies: list[FoundAnomaly]
    episodes: list[FoundEpisode] = Field(
        default_factory=list["FoundEpisode"], description="For series: stretches of time that stand out."
    )
    detectors: dict[str, str] = Field(description="Each detector and how it ended.")
    next_action: dict[str, Any]
    rows: Frame = Field(description="Every row with its score and whether it is an anomaly.")
    cleaned: Frame = Field(description="The rows that are not anomalies.")


def run_investigation(given: InvestigateInput, context: ToolContext) -> Output:
    """Investigate rows for anomalies with several detectors, and explain what stands out."""
    from gnomon.anomaly import ADEngine

    frame = read_frame(given.data, context)
    chosen = frame[[known(frame, c) for c in given.columns]] if given.columns else frame
    limits = {"contamination": given.contamination, "max_seconds": given.max_seconds}
    engine = ADEngine(random_state=0)
    state = engine.plan(
        engine.start(chosen), given.priority, {k: v for k, v in limits.items() if v is not None}
    )
    context.cancel.check()
    state = engine.analyze(engine.run(state, lambda message, share: context.progress(share, message)))
    if state.analysis is None or state.consensus is None or state.quality is None:
        failed = "; ".join(f"{r['detector_name']}: {r['error']}" for r in state.results)
        raise CalculationError(
            f"No detector could read these rows ({failed}).", suggestions=["Check the columns."]
        )
    consensus, found, quality = state.consensus, state.analysis["consensus_analysis"], state.quality
    flagged = consensus["labels"].astype(bool)
    used = [str(c) for c in chosen.columns]
    score, flag = free_name("score", frame.columns), free_name("is_anomaly", frame.columns)
    scored, rest = frame.assign(**{score: consensus["scores"], flag: flagged}), frame[~flagged]
    figures = ("separation", "agreement", "stability", "overall", "significance")
    return InvestigateOutput(
        summary=f"{counted(found['n_anomalies'], 'anomaly', 'anomalies')} ({percent(found['anomaly_ratio'])} of the rows), "
        f"verdict {quality['verdict']}: {quality['explanation']}",
        verdict=quality["verdict"],
        significant=bool(quality.get("significant", True)),
        quality={name: quality.get(name) for name in figures},
        anomaly_count=found["n_anomalies"],
        anomaly_ratio=found["anomaly_ratio"],
        anomalies=[
            FoundAnomaly(
                index=a["index"],
                score=a["score"],
                flagged=bool(a.get("flagged", True)),
                why=a.get("narrative", ""),
            )
            for a in found["top_anomalies"][: given.top]
        ],
        episodes=[
            FoundEpisode(**{k: e[k] for k in FoundEpisode.model_fields})
            for e in found.get("episodes", [])[: given.top]
        ],
        detectors={r["detector_name"]: r["status"] for r in state.results},
        next_action=dict(state.next_action),
        rows=Frame.made(scored, Lineage.of(scored, made={score: used, flag: used}, formed={score: False})),
        cleaned=Frame.made(rest.reset_index(drop=True), Lineage.of(rest, rest.index)),
    )


def investigation_tools() -> list[FunctionTool]:
    """The tool of this file."""
    return [
        FunctionTool(
            "anomaly_investigate", run_investigation, InvestigateInput, InvestigateOutput,
            description="Investigates rows for anomalies with several detectors: verdict against chance, reasons in the data's units, next step.",
            goals=(Goal.INVESTIGATE_ANOMALIES, Goal.DETECT_ANOMALIES), cost=Cost.HEAVY, produces_rows="cleaned", chart_rows="rows",
        )
    ]  # fmt: skip
