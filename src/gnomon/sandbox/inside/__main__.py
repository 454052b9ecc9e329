"""Where the worker begins; it is started by path, so that nothing but the standard library is loaded."""

import sys
from pathlib import Path

if __name__ == "__main__":
    root = str(Path(__file__).parents[3])
    if root not in sys.path:
        sys.path.append(root)
    from gnomon.sandbox.inside.loop import main

    main(int(sys.argv[1]), int(sys.argv[2]))
