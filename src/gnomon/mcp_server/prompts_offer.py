"""The prompts that a client can offer its user: tasks in which the tools are used in a good order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from gnomon.core.errors import InvalidInput, NotFound

MAX_ARGUMENT = 1000


@dataclass(frozen=True)
class PromptOffer:
    """A prompt file with its arguments; those with a default may be left out."""

    name: str
    title: str
    description: str
    arguments: dict[str, tuple[str, str | None]]

    def listed(self) -> Prompt:
        """The prompt as the protocol lists it."""
        return Prompt(
            name=self.name,
            title=self.title,
            description=self.description,
            arguments=[
                PromptArgument(name=name, description=text, required=default is None)
                for name, (text, default) in self.arguments.items()
            ],
        )

    def rendered(self, given: dict[str, str]) -> GetPromptResult:
        """The prompt with its arguments filled in.

        Raises:
            InvalidInput: An argument is missing, too long or holds line breaks.
            NotFound: An argument is not known.
        """
        for name in given:
            if name not in self.arguments:
                raise NotFound.among(f"argument of {self.name}", name, self.arguments)
        values: dict[str, str] = {}
        for name, (_, default) in self.arguments.items():
            value = given.get(name, default)
            if value is None:
                raise InvalidInput(f"The prompt {self.name} needs {name!r}.")
            if len(value) > MAX_ARGUMENT or not value.isprintable():
                raise InvalidInput(f"{name!r} has to be one line of at most {MAX_ARGUMENT} characters.")
            values[name] = value
        text = TextContent(type="text", text=_text(self.name).format(**values))
        return GetPromptResult(
            description=self.description, messages=[PromptMessage(role="user", content=text)]
        )


@cache
def _text(name: str) -> str:
    return (files("gnomon.mcp_server") / "prompts" / f"{name}.md").read_text(encoding="utf-8")


_OFFERS = (
    PromptOffer(
        "explore_dataset",
        "Explore a data set",
        "What is in a file, what stands out, what cannot be concluded.",
        {"path": ("Path of the file or folder.", None)},
    ),
    PromptOffer(
        "investigate_anomalies",
        "Investigate anomalies",
        "A whole anomaly investigation, step by step along next_action.",
        {"table": ("Name of an open table.", None)},
    ),
    PromptOffer(
        "forecast",
        "Forecast a series",
        "A forecast with intervals and an honest backtest.",
        {
            "table": ("Name of an open table.", None),
            "value": ("Column to forecast.", None),
            "horizon": ("Steps ahead.", "12"),
        },
    ),
)
PROMPTS = {offer.name: offer for offer in _OFFERS}
