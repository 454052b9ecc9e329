"""Tools that a user declares: a named plan over existing tools, with parameters of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gnomon.core.errors import InvalidInput, NotFound
from gnomon.core.plan import Step, check_steps
from gnomon.tools.contract import Cost, Tool, ToolContext, ToolSpec, invalid_parameters
from gnomon.tools.registry import ToolRegistry

MAX_STEPS = 20
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}


class Parameter(BaseModel):
    """A parameter of a declared tool; without a default it has to be given."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    type: str = Field(pattern="^(string|integer|number|boolean|array)$")
    description: str = ""
    default: Any = None
    required: bool = False


class ToolDeclaration(BaseModel):
    """A tool as a user writes it.

    In the parameters of a step, ``{"$param": "name"}`` stands for a parameter of the declared tool. Steps
    without rows of their own work on the rows that the tool is called with.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{1,63}$")
    description: str = Field(min_length=1, max_length=1000)
    goals: tuple[str, ...] = ()
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    steps: tuple[Step, ...] = Field(min_length=1, max_length=MAX_STEPS)


class SavedPlanTool:
    """A declared tool, ready to be called.

    Args:
        declaration: What it does.
        tools: The tools of its steps, by name.
        version: Which of its versions this is.
    """

    def __init__(self, declaration: ToolDeclaration, tools: Mapping[str, Tool], version: int = 1) -> None:
        self._declaration = declaration
        self._tools = dict(tools)
        last = tools[declaration.steps[-1].tool].spec
        limits = [tools[s.tool].spec.timeout_seconds for s in declaration.steps]
        heavy = any(t.spec.cost is Cost.HEAVY for t in tools.values())
        self._spec = ToolSpec(
            name=declaration.name,
            description=declaration.description,
            goals=declaration.goals,
            input_schema=_schema(declaration),
            output_schema=last.output_schema,
            produces_rows=last.produces_rows,
            chart_rows=last.chart_rows,
            cost=Cost.HEAVY if heavy else Cost.LIGHT,
            version=str(version),
            origin="saved",
            timeout_seconds=sum(own) if (own := [t for t in limits if t is not None]) else None,
        )

    @classmethod
    def declared(
        cls, declaration: Mapping[str, Any], registry: ToolRegistry, version: int = 1
    ) -> SavedPlanTool:
        """A tool from its declaration.

        Raises:
            InvalidInput: The declaration is not sound: unknown tools, parameters that no step knows, circles.
        """
        try:
            read = ToolDeclaration.model_validate(declaration)
            check_steps(read.steps)
        except ValidationError as e:
            raise invalid_parameters("This declaration", e, dict(ToolDeclaration.model_fields)) from None
        except ValueError as e:
            raise InvalidInput(
                f"The steps of {declaration.get('name')!r} do not fit together: {e}."
            ) from None
        if read.name in registry and registry.get(read.name).spec.origin != "saved":
            raise InvalidInput(
                f"{read.name!r} is the name of a tool that exists.", suggestions=["Choose another name."]
            )
        tools = {step.tool: registry.get(step.tool) for step in read.steps}
        for step in read.steps:
            _check_step(step, tools[step.tool].spec, read.parameters)
        return cls(read, tools, version)

    @property
    def declaration(self) -> dict[str, Any]:
        """The declaration as plain data, for the store."""
        return self._declaration.model_dump(mode="json")

    @property
    def spec(self) -> ToolSpec:
        """What is known about the tool without running it."""
        return self._spec

    def unavailable(self) -> str | None:
        """Why the tool cannot run: the first of its steps that cannot."""
        for name, tool in self._tools.items():
            if reason := tool.unavailable():
                return f"its step {name} is not available: {reason}"
        return None

    def __call__(self, params: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        """Run the steps in order and give the output of the last one."""
        values = self._values(params)
        outputs: dict[str, dict[str, Any]] = {}
        waiting = list(self._declaration.steps)
        output: dict[str, Any] = {}
        while waiting:
            step = next(s for s in waiting if s.needs <= set(outputs))
            waiting.remove(step)
            context.cancel.check()
            context.progress(len(outputs) / len(self._declaration.steps), step.tool)
            output = outputs[step.id] = self._tools[step.tool](
                self._arguments(step, values, params, outputs), context
            )
        return {k: _of_unknown_making(v) for k, v in output.items()}

    def steps(self, params: dict[str, Any]) -> tuple[Step, ...]:
        """The steps with the parameters of a call filled in, for whoever has to follow rows through them."""
        values = self._values(params)
        filled: list[Step] = []
        for step in self._declaration.steps:
            arguments = {k: values[v["$param"]] if _is_slot(v) else v for k, v in step.params.items()}
            filled.append(
                step.model_copy(update={"params": {k: v for k, v in arguments.items() if v is not None}})
            )
        return tuple(filled)

    def _values(self, params: dict[str, Any]) -> dict[str, Any]:
        known = self._declaration.parameters
        for name in params:
            if name not in known and name != "data":
                raise NotFound.among(f"parameter of {self._spec.name}", name, ["data", *known])
        values: dict[str, Any] = {}
        for name, parameter in known.items():
            if name not in params and parameter.required:
                raise InvalidInput(f"{self._spec.name} needs {name!r}. {parameter.description}".strip())
            value = params.get(name, parameter.default)
            if value is not None and (
                not isinstance(value, _TYPES[parameter.type]) or _is_stray_bool(value, parameter)
            ):
                raise InvalidInput(
                    f"{self._spec.name} takes {name!r} as {parameter.type}, not {type(value).__name__}."
                )
            values[name] = value
        return values

    def _arguments(
        self, step: Step, values: dict[str, Any], params: dict[str, Any], outputs: dict[str, dict[str, Any]]
    ) -> dict[str, Any]:
        arguments = {k: values[v["$param"]] if _is_slot(v) else v for k, v in step.params.items()}
        arguments = {k: v for k, v in arguments.items() if v is not None}
        for name, ref in step.inputs.items():
            arguments[name] = outputs[ref.step] if ref.field is None else outputs[ref.step][ref.field]
        if "data" in self._tools[step.tool].spec.parameters and "data" not in arguments and "data" in params:
            arguments["data"] = params["data"]
        return arguments


def _of_unknown_making(value: Any) -> Any:
    """Rows without their lineage, which speaks of what the last step was given, not of what the tool was."""
    from gnomon.tools.frames import Frame

    return Frame(value.content) if isinstance(value, Frame) else value


def _is_slot(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"$param"}  # pyright: ignore[reportUnknownArgumentType]


def _is_stray_bool(value: Any, parameter: Parameter) -> bool:
    return isinstance(value, bool) and parameter.type in {"integer", "number"}


def _check_step(step: Step, spec: ToolSpec, parameters: Mapping[str, Parameter]) -> None:
    for name in [*step.params, *step.inputs]:
        if name not in spec.parameters:
            raise NotFound.among(f"parameter of {spec.name}", name, spec.parameters)
    for value in step.params.values():
        if _is_slot(value) and value["$param"] not in parameters:
            raise NotFound.among("declared parameter", str(value["$param"]), parameters)


def _schema(declaration: ToolDeclaration) -> dict[str, Any]:
    from gnomon.tools.frames import Frame

    class WithRows(BaseModel):
        data: Frame

    properties: dict[str, Any] = {"data": WithRows.model_json_schema()["properties"]["data"]}
    for name, parameter in declaration.parameters.items():
        properties[name] = {"type": parameter.type, "description": parameter.description}
        if not parameter.required:
            properties[name]["default"] = parameter.default
    required = [n for n, p in declaration.parameters.items() if p.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
