"""The encyclopaedia: the rules of every game as a page for people, in Italian and English.

A page is ``pages/<game>.<language>.md``: a title, then the sections of ``SECTIONS`` in their order.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from msgspec import Struct

from .languages import Language

SECTIONS: dict[str, dict[Language, str]] = {
    "summary": {"IT": "In breve", "EN": "In brief"},
    "equipment": {"IT": "L'occorrente", "EN": "What you need"},
    "deal": {"IT": "La distribuzione", "EN": "The deal"},
    "play": {"IT": "Il gioco", "EN": "The play"},
    "scoring": {"IT": "Il punteggio", "EN": "Scoring"},
    "match": {"IT": "La fine della partita", "EN": "The end of the match"},
    "settings": {"IT": "Le impostazioni", "EN": "Settings"},
    "cpu": {"IT": "La CPU", "EN": "CPU players"},
    "manners": {"IT": "Il contegno al tavolo", "EN": "Table manners"},
}
"""Every page has these, in this order: id, which never changes, and heading."""

_FOLDER = files("circolo_contracts") / "pages"
_FILE = re.compile(r"([a-z]+(?:_[a-z]+)*)\.(it|en)\.md")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


class Section(Struct, frozen=True):
    id: str
    title: str
    markdown: str
    """Without its heading."""


class Page(Struct, frozen=True):
    game: str
    """As in the game's descriptor."""
    language: Language
    title: str
    sections: tuple[Section, ...]
    markdown: str
    """The whole page."""


class NoPage(LookupError):
    """There is no page of this game in this language."""

    def __init__(self, game: str, language: str) -> None:
        super().__init__(f"no rules page of {game} in {language}")
        self.game = game
        self.language = language


class BadPage(ValueError):
    """A page does not have the title and the sections that every page has."""

    def __init__(self, game: str, language: str, wrong: str) -> None:
        super().__init__(f"the rules page of {game} in {language}: {wrong}")
        self.game = game
        self.language = language


@cache
def pages() -> frozenset[tuple[str, Language]]:
    """Game and language of every page that there is."""
    found = (_FILE.fullmatch(file.name) for file in _FOLDER.iterdir())
    return frozenset((name[1].upper(), "IT" if name[2] == "it" else "EN") for name in found if name)


@cache
def page(game: str, language: Language) -> Page:
    """The page, read once for each process. Raises NoPage, or BadPage when its structure is wrong."""
    if (game, language) not in pages():
        raise NoPage(game, language)
    file = _FOLDER / f"{game.lower()}.{language.lower()}.md"
    return read(game, language, file.read_text(encoding="utf-8"))


def read(game: str, language: Language, markdown: str) -> Page:
    """A page from its text. Raises BadPage."""
    head, *parts = _HEADING.split(markdown)
    if not re.fullmatch(r"# [^\n]+\n+", head):
        raise BadPage(game, language, "it does not begin with a title and nothing else before the first section")
    headings, bodies = parts[::2], [body.strip() for body in parts[1::2]]
    wanted = [titles[language] for titles in SECTIONS.values()]
    if headings != wanted:
        raise BadPage(game, language, f"its sections are {headings} and not {wanted}")
    empty = next((heading for heading, body in zip(headings, bodies, strict=True) if not body), None)
    if empty is not None:
        raise BadPage(game, language, f"the section {empty!r} is empty")
    sections = zip(SECTIONS, headings, bodies, strict=True)
    return Page(game, language, head[2:].strip(), tuple(Section(*each) for each in sections), markdown)
