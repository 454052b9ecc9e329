import pytest

from gnomon.core.errors import ConfigurationError
from gnomon.core.settings import Settings


def test_the_fields_of_the_code_agent_keep_names_and_defaults() -> None:
    settings = Settings.load()
    assert (settings.max_rounds, settings.chunk_size, settings.max_file_size_mb) == (20, 100_000, 500)
    assert settings.max_data_context_retries == 2
    assert (settings.conversation_window_size, settings.max_parallel_profiles) == (10, 4)


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_every_field_is_set_by_its_variable(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = {"int": ("7777", 7777), "float": ("7.5", 7.5), "str | None": ("tcp://x", "tcp://x")}
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
    with pytest.raises(ConfigurationError, match=f"{variable}='/data/shop' cannot be used") as caught:
        Settings.load()
    assert caught.value.suggestions[0].startswith(f"{variable}='")


def test_a_value_out_of_range_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_MEMORY_LIMIT_MB", "1")
    with pytest.raises(ConfigurationError, match=r"GNOMON_MEMORY_LIMIT_MB='1'.*greater than or equal to 64"):
        Settings.load()


def test_an_override_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_CHUNK_SIZE", "10")
    assert Settings.load(chunk_size=5).chunk_size == 5
