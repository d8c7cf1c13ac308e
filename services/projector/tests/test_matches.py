"""What a finished match is on each card, and what of a match its row says."""

from __future__ import annotations

import random

import msgspec
import pytest
from circolo_contracts import cardgames
from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.games import CATALOGUE
from circolo_events import canonical
from circolo_projector.matches import events, tables
from circolo_projector.matches.match import Match, OutOfOrder, follow
from circolo_projector.matches.results import Unreadable, results
from circolo_projector.season import EVERY, season_of
from msgspec import UNSET
from tables_of_cards import NEW_YEAR_2026, Table, at_random, deal, four, people

ANNA, BRUNO, CARLA, DINO = people(4)


def after(table: Table, happened: list[MatchEvent]) -> Match:
    """The events pass the wire, as the projector reads them."""
    row = Match(table.match)
    for version, event in enumerate(happened, 1):
        name = type(event).__name__
        if name in events.TYPES:
            row = follow(row, version, events.REGISTRY.decode(name, 1, canonical.encode(event)))
    return row


def on_the_cards(table: Table, end: cardgames.MatchEnded) -> list[str]:
    found = results(after(table, [table.started(), end]))
    return [found[seat.player] for seat in table.seats if seat.player is not UNSET]


def test_both_winners_have_won_and_both_losers_lost() -> None:
    table = four(ANNA, BRUNO, CARLA, DINO)
    assert on_the_cards(table, table.ended("WON", winner=1)) == ["LOST", "WON", "LOST", "WON"]


@pytest.mark.parametrize("leaver", range(4))
def test_rules_41_the_partner_of_who_abandoned_has_neither_lost_nor_abandoned(leaver: int) -> None:
    table = four(ANNA, BRUNO, CARLA, DINO)
    seen = on_the_cards(table, table.ended("ABANDONED", abandoned_by=leaver, winner=1 - leaver % 2))
    assert seen[leaver] == "ABANDONED"
    assert seen[(leaver + 2) % 4] == "NOT_WON"
    assert seen[(leaver + 1) % 4] == seen[(leaver + 3) % 4] == "WON"


def test_of_two_the_one_who_stays_has_won() -> None:
    table = four(ANNA, BRUNO, game="SCOPA")
    assert on_the_cards(table, table.ended("ABANDONED", abandoned_by=0, winner=1)) == ["ABANDONED", "WON"]


@pytest.mark.parametrize("count", [3, 4])
def test_in_vinciperdi_all_the_others_have_won_when_one_leaves(count: int) -> None:
    table = four(*people(4)[:count], game="VINCIPERDI")
    seen = on_the_cards(table, table.ended("ABANDONED", abandoned_by=1))
    assert seen == ["WON", "ABANDONED", "WON", "WON"][:count]


def test_in_vinciperdi_one_wins_and_the_others_lose() -> None:
    table = four(ANNA, BRUNO, CARLA, DINO, game="VINCIPERDI")
    assert on_the_cards(table, table.ended("WON", winner=2)) == ["LOST", "LOST", "WON", "LOST"]


def test_sixty_to_sixty_is_a_tie_for_everybody() -> None:
    table = four(ANNA, BRUNO, CARLA, DINO, game="BRISCOLA")
    assert on_the_cards(table, table.ended("TIED")) == ["TIED"] * 4


@pytest.mark.parametrize("outcome", ["STOPPED", "IDLE"])
def test_what_was_stopped_or_left_lying_is_on_nobodys_card(outcome: cardgames.Outcome) -> None:
    table = four(ANNA, BRUNO, CARLA, DINO)
    assert set(on_the_cards(table, table.ended(outcome))) == {"UNDECIDED"}


def test_an_end_that_does_not_say_who_is_not_guessed_at() -> None:
    table = four(ANNA, BRUNO, CARLA, DINO)
    for end in (table.ended("WON"), table.ended("WON", winner=3), table.ended("ABANDONED", abandoned_by=4)):
        with pytest.raises(Unreadable):
            on_the_cards(table, end)


def test_a_match_cannot_start_twice_skip_a_deal_or_go_on_after_its_end() -> None:
    table, chance = four(ANNA, BRUNO, CARLA, DINO), random.Random(0)
    over = [table.started(), *deal(1, 2, chance), table.ended("WON", winner=0)]
    for wrong in (
        [table.started(), table.started()], [table.started(), *deal(2, 2, chance)], deal(1, 2, chance),
        [table.ended("TIED")], [*over, *deal(2, 2, chance)], [*over, table.ended("TIED")],
    ):  # fmt: skip
        with pytest.raises(OutOfOrder):
            after(table, wrong)


def test_an_event_that_is_there_already_changes_nothing() -> None:
    table = four(ANNA, BRUNO, CARLA, DINO)
    row = after(table, [table.started(), table.ended("WON", winner=0)])
    assert follow(row, 2, events.Ended(at=1, outcome="TIED")) is row


def test_a_row_read_back_from_its_columns_is_the_same() -> None:
    chance = random.Random(7)
    names = tables._COLUMNS
    for _ in range(200):
        table, happened = at_random(chance, people(9))
        row = after(table, happened)
        record = dict(zip(names, (column[0] for column in tables.arguments([row])[: len(names)]), strict=True))
        assert tables.match_of(record) == row


def test_store_26_the_figures_read_events_as_they_are_stored_whatever_their_classes_are_called() -> None:
    stored = b"""{"at":1,"commitment":"c","dealer":0,"game":"SCOPA","game_id":"g","game_no":2,"ranked":true,"room":"r",
        "seats":[{"player":"p"},{"cpu":"HARD"}],"seed":"s","settings":{"players":2},"a_field_of_later":[1]}"""
    started = events.REGISTRY.decode("MatchStarted", 1, stored)
    assert isinstance(started, events.Started)
    assert (started.game, started.ranked, started.seats[0].player) == ("SCOPA", True, "p")


@pytest.mark.parametrize("name", events.TYPES)
def test_what_the_figures_take_is_in_the_language_with_the_same_types_and_is_never_secret(name: str) -> None:
    theirs = {field.name: field for field in msgspec.structs.fields(getattr(cardgames, name))}
    for field in msgspec.structs.fields(events.REGISTRY.by_name[name].struct):
        assert field.name in theirs
        assert field.required == theirs[field.name].required
    assert "seed" not in events.Started.__struct_fields__


@pytest.mark.parametrize(
    ("at", "season"),
    [
        (NEW_YEAR_2026, "2026-Q1"), (NEW_YEAR_2026 - 1, "2025-Q4"), (0, "1970-Q1"),
        (1_774_915_200_000 + 86_399_999, "2026-Q1"), (1_774_915_200_000 + 86_400_000, "2026-Q2"),
        (1_798_761_599_999, "2026-Q4"), (1_798_761_600_000, "2027-Q1"),
    ],
)  # fmt: skip
def test_a_season_is_a_quarter_by_utc_to_the_millisecond(at: int, season: str) -> None:
    assert season_of(at) == season


def test_no_game_is_called_as_all_of_them_are() -> None:
    assert EVERY not in CATALOGUE
