"""The nine themes, and what files call them."""

from __future__ import annotations

from circolo_contracts.games import TRIVIA

_SETTING = "theme"
_OF_TRIVIA = [setting for setting in TRIVIA.settings if setting.name.startswith(_SETTING)]
THEMES = tuple(setting.name.removeprefix(_SETTING).lower() for setting in _OF_TRIVIA)
"""Their keys: eight Italian themes and the diaspora."""

_TITLES = {
    title.casefold(): key
    for key, setting in zip(THEMES, _OF_TRIVIA, strict=True)
    for title in (key, setting.title_it, setting.title_en)
}
_ELSEWHERE = (
    ("geography", "geografia"),
    ("history", "storia"),
    ("politics", "storia"),
    ("art", "arte"),
    ("entertainment: books", "lingua"),
    ("entertainment", "spettacolo"),
    ("science", "scienza"),
    ("vehicles", "scienza"),
    ("sports", "tradizioni"),
    ("food", "cucina"),
)
"""How the categories of other collections begin."""


def theme_named(text: str) -> str | None:
    """By key, by title in either language, or by the category of another collection; None when it is none of ours."""
    name = " ".join(text.split()).casefold()
    if name in _TITLES:
        return _TITLES[name]
    return next((key for begin, key in _ELSEWHERE if name.startswith(begin)), None)


def chosen(settings: dict[str, bool | int | str]) -> list[str]:
    """Those that a table's settings have switched on."""
    return [theme for theme, setting in zip(THEMES, _OF_TRIVIA, strict=True) if settings[setting.name]]
