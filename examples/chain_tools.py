"""A task in words becomes a plan over tools: remove outliers, forecast, draw."""

import math
import tempfile
from datetime import date, timedelta
from pathlib import Path

from gnomon.core import Settings
from gnomon.workbench import Workbench

rows = [
    {"date": date(2025, 1, 1) + timedelta(d), "sales": 100 + d / 4 + 20 * math.sin(2 * math.pi * d / 7)}
    for d in range(112)
]
rows[60]["sales"] = 900.0


def main() -> None:
    """Plan, run, and print the finding of each step."""
    home = Path(tempfile.mkdtemp())
    with Workbench(Settings.load(home=home, log_dir=home / "logs")) as workbench:
        analysis = workbench.analyze(
            "forecast sales for the next 7 days after removing outliers, then chart it", rows
        )
        assert analysis.plan is not None
        print(analysis.plan.reasoning)
        for step in analysis.result.steps:
            print(f"{step.tool_id}: {step.output['summary']}")


if __name__ == "__main__":
    main()
