from pathlib import Path
from typing import Any

import pytest

from gnomon.core.errors import ConfigurationError
from gnomon.core.settings import Settings
from gnomon.server import create_app


def test_the_fields_of_the_code_agent_keep_names_and_defaults() -> None:
    settings = Settings.load()
    assert (settings.max_rounds, settings.chunk_size, settings.max_file_size_mb) == (20, 100_000, 500)
    assert settings.max_data_context_retries == 2
    assert (settings.conversation_window_size, settings.max_parallel_profiles) == (10, 4)


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_every_field_is_set_by_its_variable(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = {"int": ("777", 777), "float": ("7.5", 7.5), "str | None": ("tcp://x", "tcp://x")}
    kind = str(Settings.model_fields[field].annotation).removeprefix("<class '").removesuffix("'>")
    if kind not in samples:
        samples |= {
            kind: {
                "executor": ("processes", "processes"),
                "disabled_tools": ('["trend"]', frozenset({"trend"})),
                "allow_personal": ('["email"]', frozenset({"email"})),
                "data_roots": ('["x"]', ("x",)),
                "tenant_tokens": ('{"acme": "t-1"}', {"acme": "**********"}),
                "model_key": ("k-4711", "**********"),
                "model_output": ("tool", "tool"),
                "model_prose": ("true", "True"),
                "model_measure": ("true", "True"),
                "privacy": ("strict", "strict"),
                "data_privacy": ('{"a.csv": "strict"}', {"a.csv": "strict"}),
                "model_cost_per_run": ("7.5", 7.5),
                "sandbox": ("landlock", "landlock"),
                "allowed_hosts": ('["analyst.local"]', ("analyst.local",)),
            }.get(field, ("some/folder", "some/folder"))
        }
    text, expected = samples[kind]
    monkeypatch.setenv(Settings.variable(field), text)
    value = getattr(Settings.load(), field)
    if field == "data_roots":
        value = tuple(map(str, value))
    if field == "tenant_tokens":
        value = {k: str(v) for k, v in value.items()}
    assert (str(value) if kind not in {"int", "float"} and isinstance(expected, str) else value) == expected


def test_a_bad_value_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_MAX_DATA_CONTEXT_RETRIES", "two")
    with pytest.raises(ConfigurationError, match=r"APP_MAX_DATA_CONTEXT_RETRIES='two' cannot be used"):
        Settings.load()


@pytest.mark.parametrize("variable", ["GNOMON_DATA_ROOTS", "GNOMON_DISABLED_TOOLS", "GNOMON_TENANT_TOKENS"])
def test_a_plain_value_where_json_is_wanted_is_shown_as_it_should_be(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "/data/shop")
    said = "" if "TENANT_TOKENS" in variable else "='/data/shop'"
    with pytest.raises(ConfigurationError, match=f"{variable}{said} cannot be used") as caught:
        Settings.load()
    assert caught.value.suggestions[0].startswith(f"{variable}='")


def test_an_error_over_a_secret_does_not_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ('{"acme": "hush-hush"', '{"acme": ["hush-hush"]}'):
        monkeypatch.setenv("GNOMON_TENANT_TOKENS", value)
        with pytest.raises(ConfigurationError, match="GNOMON_TENANT_TOKENS cannot be used") as caught:
            Settings.load()
        assert "hush" not in f"{caught.value} {caught.value.suggestions}"


def test_a_value_that_is_nested_without_end_or_long_is_an_error_of_a_few_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for value in ("[" * 50_000, '"' + "a" * 50_000):
        monkeypatch.setenv("GNOMON_DATA_ROOTS", value)
        with pytest.raises(ConfigurationError, match="has to be JSON") as caught:
            Settings.load()
        assert len(f"{caught.value} {caught.value.suggestions}") < 1000


def test_a_value_out_of_range_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_MEMORY_LIMIT_MB", "1")
    with pytest.raises(ConfigurationError, match=r"GNOMON_MEMORY_LIMIT_MB='1'.*greater than or equal to 64"):
        Settings.load()


def test_an_override_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_CHUNK_SIZE", "10")
    assert Settings.load(chunk_size=5).chunk_size == 5


@pytest.mark.parametrize(
    "field", [n for n, f in Settings.model_fields.items() if f.annotation in (int, float)]
)
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e300", "99999999999999999999", "-1"])
def test_a_number_that_nothing_can_hold_is_refused_by_name(
    field: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = Settings.variable(field)
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=rf"{variable}='{value}' cannot be used: input should be"):
        Settings.load()


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_an_empty_variable_is_as_if_it_was_not_set(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(Settings.variable(field), raising=False)
    default = getattr(Settings.load(), field)
    monkeypatch.setenv(Settings.variable(field), "")
    assert getattr(Settings.load(), field) == default


@pytest.mark.parametrize("field", ["data_roots", "encoder", "domains", "mcp_config"])
@pytest.mark.parametrize("held", [None, "a file"])
def test_a_place_that_cannot_be_used_is_told_before_anything_is_served(
    field: str, held: str | None, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    if held is not None:
        place.write_text(held)
    named: Any = {field: (place,) if field == "data_roots" else place}
    settings = Settings.load(home=tmp_path / "home", log_dir=tmp_path, **named)
    with pytest.raises(ConfigurationError) as told:
        create_app(settings)
    assert Settings.variable(field) in " ".join([told.value.message, *told.value.suggestions])
    assert "place" in told.value.message
