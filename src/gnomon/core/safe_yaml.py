"""The loader for every YAML file: safe, and the compiled one where PyYAML has it, which is ten times as fast."""

from __future__ import annotations

from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
