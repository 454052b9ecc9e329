"""Write docs/settings.md from the settings themselves."""

from pathlib import Path

from gnomon.core.settings import Settings

HEAD = """# Settings

Every setting is an environment variable; none is needed, and an empty one is as if it was not set. A value that cannot be used is an error that names the
variable. This page is written by `python scripts/document_settings.py`.

| variable | default | what it does |
|---|---|---|
"""


def default_of(field: str) -> str:
    """The default as a reader would write it."""
    value = Settings.model_fields[field].get_default(call_default_factory=True)
    if value is None or value in ((), frozenset(), {}):
        return "none"
    return f"`{value}`"


def main() -> None:
    """Write the page."""
    rows = [
        f"| `{Settings.variable(name)}` | {default_of(name)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    page = Path(__file__).parents[1] / "docs" / "settings.md"
    page.write_text(HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
