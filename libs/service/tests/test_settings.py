from __future__ import annotations

from collections.abc import Iterator

import pytest
from circolo_service.settings import Settings, SettingsProblem, load, table
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    monkeypatch.setenv("CIRCOLO_POSTGRES_URL", "postgresql://circolo:primiera@db/circolo")
    monkeypatch.setenv("CIRCOLO_NATS_URL", "nats://circolo:settebello@bus:4222")
    for name in ("CIRCOLO_HTTP_PORT", "CIRCOLO_LOG_LEVEL", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_everything_but_the_servers_has_a_default(environment: pytest.MonkeyPatch) -> None:
    settings = Settings.load()
    assert (settings.pool_size, settings.migrate_at_start, settings.otlp_endpoint) == (5, True, "")


def test_a_missing_server_is_named(environment: pytest.MonkeyPatch) -> None:
    environment.delenv("CIRCOLO_NATS_URL")
    with pytest.raises(SettingsProblem, match="CIRCOLO_NATS_URL is not set"):
        Settings.load()


def test_an_empty_variable_is_as_good_as_none(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("CIRCOLO_HTTP_PORT", "")
    assert Settings.load().http_port == 8080


def test_every_wrong_variable_is_named_in_one_line_without_its_value(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("CIRCOLO_POSTGRES_URL", "mysql://circolo:primiera@db")
    environment.setenv("CIRCOLO_HTTP_PORT", "briscola")
    environment.setenv("CIRCOLO_LOG_LEVEL", "loud")
    environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "collector")
    with pytest.raises(SettingsProblem) as caught:
        Settings.load()
    text = str(caught.value)
    assert "\n" not in text
    assert "CIRCOLO_POSTGRES_URL must look like postgresql://user:password@host:5432/database" in text
    assert "CIRCOLO_HTTP_PORT: input should be a valid integer" in text
    assert "CIRCOLO_LOG_LEVEL: input should be 'debug', 'info', 'warning' or 'error'" in text
    assert "OTEL_EXPORTER_OTLP_ENDPOINT must look like http://host:4318" in text
    assert not any(secret in text for secret in ("primiera", "briscola", "loud", "collector"))


def test_passwords_are_not_in_the_repr(environment: pytest.MonkeyPatch) -> None:
    shown = repr(Settings.load()) + str(Settings.load())
    assert "primiera" not in shown
    assert "settebello" not in shown


def test_a_services_own_url_wins_over_the_common_one(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("CIRCOLO_POSTGRES_URL_ROOMS", "postgresql://rooms@db/circolo")
    settings = Settings.load()
    assert settings.for_service("rooms").postgres_url == "postgresql://rooms@db/circolo"
    assert settings.for_service("rooms").direct_url == "postgresql://rooms@db/circolo"
    assert settings.for_service("cardgames") is settings


def test_the_migrations_go_past_the_pooler_when_told_to(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("CIRCOLO_POSTGRES_DIRECT_URL", "postgresql://circolo@primary/circolo")
    assert Settings.load().direct_url == "postgresql://circolo@primary/circolo"


def test_a_services_own_settings_are_read_and_refused_the_same_way(environment: pytest.MonkeyPatch) -> None:
    class Own(BaseSettings):
        model_config = SettingsConfigDict(env_prefix="CIRCOLO_OWN_")
        depth: int = Field(default=3, description="How deep.")

    assert load(Own).depth == 3
    environment.setenv("CIRCOLO_OWN_DEPTH", "primiera")
    with pytest.raises(SettingsProblem, match="CIRCOLO_OWN_DEPTH: input should be a valid integer") as caught:
        load(Own)
    assert "primiera" not in str(caught.value)
    assert table(Own).splitlines()[-1] == "| `CIRCOLO_OWN_DEPTH` | `3` | How deep. |"


def test_every_setting_says_what_it_decides() -> None:
    assert [name for name, info in Settings.model_fields.items() if not info.description] == []
