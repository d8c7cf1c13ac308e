"""What people read beside the table: the rules of each game, and what its cards are called."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from enum import Enum
from functools import cache

import strawberry
from circolo_contracts.card_names import card_names
from circolo_contracts.cards import Card
from circolo_contracts.encyclopaedia import Page, page
from circolo_contracts.games import CATALOGUE
from circolo_contracts.smorfia import smorfia

from .enums import GameKind, Language


@strawberry.enum(
    description="TRADITIONAL: fante, cavallo, re (knave, knight, king). GUEST_VESPA_KING: the club's own deck."
)
class CardStyle(Enum):
    TRADITIONAL = "TRADITIONAL"
    GUEST_VESPA_KING = "GUEST_VESPA_KING"


@strawberry.type
class RulesSection:
    id: str = strawberry.field(
        description="The same on every page and in every language: `summary`, `equipment`, `deal`, `play`, `scoring`, "
        "`match`, `settings`, `cpu`, `manners`, in this order."
    )
    title: str
    markdown: str = strawberry.field(description="Without its heading.")


@strawberry.type(description="A page of its own for one of a game's modes.")
class RulesMode:
    mode: str = strawberry.field(description="As the setting has it.")
    title: str
    sections: list[RulesSection]
    markdown: str


@strawberry.type(description="The rules of a game as the house plays it.")
class RulesPage:
    game: GameKind
    language: Language
    title: str
    sections: list[RulesSection]
    markdown: str = strawberry.field(
        description="The whole page: CommonMark with tables; no HTML, no links, no pictures."
    )
    modes: list[RulesMode] = strawberry.field(description="Of a game that is played in several modes; else empty.")


@strawberry.type(description="Labels for people: no move and no rule depends on them.")
class CardName:
    card: Card
    name: str = strawberry.field(description="`Asso di denari`, `Ace of coins`.")
    rank: str
    suit: str


@strawberry.type(description="What a number of the tombola is called: decoration for people.")
class SmorfiaName:
    number: int
    neapolitan: str = strawberry.field(description="In family mode the Italian name where this one is coarse.")
    italian: str
    english: str
    variant: str | None = strawberry.field(description="Another reading that is as common.")


@cache
def rules_page(game: GameKind, language: Language) -> RulesPage:
    """Made once for each process. Raises NoPage: a test sees to it that every game of the catalogue has its pages."""
    found = page(game.value, language.value)
    return RulesPage(
        game=game,
        language=language,
        title=found.title,
        sections=_sections(found),
        markdown=found.markdown,
        modes=[_mode(game, mode, language) for mode in _modes(game)],
    )


def _modes(game: GameKind) -> list[str]:
    setting = CATALOGUE[game.value].setting("mode")
    return [] if setting is None else [str(mode) for mode in setting.choices]


def _mode(game: GameKind, mode: str, language: Language) -> RulesMode:
    found = page(f"{game.value}_{mode}", language.value)
    return RulesMode(mode=mode, title=found.title, sections=_sections(found), markdown=found.markdown)


def _sections(found: Page) -> list[RulesSection]:
    return [RulesSection(id=each.id, title=each.title, markdown=each.markdown) for each in found.sections]


@cache
def names_of_cards(style: CardStyle, language: Language) -> list[CardName]:
    return [
        CardName(card=each.card, name=each.name, rank=each.rank, suit=each.suit)
        for each in card_names(style.value, language.value)
    ]


@cache
def names_of_numbers(family: bool) -> list[SmorfiaName]:
    return [
        SmorfiaName(
            number=each.number,
            neapolitan=each.neapolitan,
            italian=each.italian,
            english=each.english,
            variant=each.variant or None,
        )
        for each in smorfia(family=family)
    ]
