"""The cards' names, in every style and language."""

from __future__ import annotations

import pytest
from circolo_contracts.card_names import CARD_STYLES, CardStyle, card_names
from circolo_contracts.cards import DECK
from circolo_contracts.languages import LANGUAGES, Language


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", CARD_STYLES)
def test_every_card_has_a_name_of_its_own(style: CardStyle, language: Language) -> None:
    names = card_names(style, language)
    assert tuple(each.card for each in names) == DECK
    assert len({each.name for each in names}) == 40
    assert len({each.rank for each in names}) == 10
    assert len({each.suit for each in names}) == 4
    of = "di" if language == "IT" else "of"
    assert all(each.name == f"{each.rank} {of} {each.suit.lower()}" for each in names)


@pytest.mark.parametrize(
    ("style", "language", "figures", "settebello"),
    [
        ("TRADITIONAL", "IT", ["Fante", "Cavallo", "Re"], "Sette di denari"),
        ("TRADITIONAL", "EN", ["Knave", "Knight", "King"], "Seven of coins"),
        ("GUEST_VESPA_KING", "IT", ["Ospite", "Vespa", "Re"], "Sette di denari"),
        ("GUEST_VESPA_KING", "EN", ["Guest", "Vespa", "King"], "Seven of coins"),
    ],
)
def test_a_style_differs_in_its_figures_only(
    style: CardStyle, language: Language, figures: list[str], settebello: str
) -> None:
    names = {each.card: each for each in card_names(style, language)}
    assert [each.rank for card, each in names.items() if card in ("8D", "9D", "10D")] == figures
    assert names[DECK[6]].name == settebello
    traditional = {each.card: each for each in card_names("TRADITIONAL", language)}
    assert [card for card in DECK if int(card[:-1]) < 8 and names[card] != traditional[card]] == []


def test_suits_are_those_of_the_card_table() -> None:
    assert [card_names("TRADITIONAL", "IT")[n].suit for n in (0, 10, 20, 30)] == ["Denari", "Coppe", "Spade", "Bastoni"]
    assert [card_names("TRADITIONAL", "EN")[n].suit for n in (0, 10, 20, 30)] == ["Coins", "Cups", "Swords", "Clubs"]
