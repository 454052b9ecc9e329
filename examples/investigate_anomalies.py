"""An anomaly investigation from data to report, with feedback in words and a look at tomorrow's data.

Run with ``python examples/investigate_anomalies.py``; it makes its own data.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gnomon.anomaly import ADEngine


def payments(seed: int, n: int = 1500) -> pd.DataFrame:
    """Ordinary card payments."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(3.5, 0.5, n).round(2),
            "hour": rng.integers(7, 23, n),
            "country": rng.choice(["DE", "FR", "NL"], n, p=[0.6, 0.3, 0.1]),
        }
    )
    frame["fee"] = (frame["amount"] * 0.02 + rng.normal(0, 0.01, n)).round(2)
    return frame


def main() -> None:
    """Plant a few odd payments and find them again."""
    data = payments(1)
    data.loc[10:13, ["amount", "fee"]] = [[4800.0, 96.0], [5200.0, 104.0], [5100.0, 102.0], [4900.0, 98.0]]
    data.loc[40, ["country", "hour"]] = ["KP", 3]
    data.loc[77, "fee"] = 9.5

    engine = ADEngine()
    state = engine.investigate(data)
    print(state.analysis["summary"] if state.analysis else state.next_action["reason"])
    for anomaly in state.analysis["consensus_analysis"]["top_anomalies"][:6] if state.analysis else []:
        print("  ", anomaly.get("narrative"))

    state = engine.iterate(state, "row 40 is normal, a colleague was travelling")
    state = engine.analyze(engine.run(state))
    print("\nAfter feedback:", state.next_action["reason"])
    print("Row 40 flagged:", bool(state.consensus["labels"][40]) if state.consensus else None)

    watch = engine.watch(state)
    print("\nTomorrow:", watch.update(payments(2, 400)).reason)
    dearer = payments(3, 400)
    dearer[["amount", "fee"]] *= 3
    print("Next year:", watch.update(dearer).reason)


if __name__ == "__main__":
    main()
