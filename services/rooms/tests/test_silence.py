"""Which of a match's events open and close the talk of its room."""

from __future__ import annotations

from typing import Any

import pytest
from circolo_contracts.cardgames import DealStarted, MatchEnded, MatchStarted, TrickEnded
from circolo_contracts.cards import DECK
from circolo_contracts.games import BRISCOLA, TRESSETTE
from circolo_contracts.rooms import SeatOccupant
from circolo_events.reaction import Send
from circolo_events.store import Recorded
from circolo_events.testing.scenario import NOON
from circolo_rooms.talk.commands import FreeTalk, HearMatch, HushTalk
from circolo_rooms.talk.silence import begins_silent, on_match
from table_talk import GAME_ID, ROOM

MATCH = f"match-{GAME_ID}"


def follows(event: Any) -> list[Send]:
    recorded = Recorded(0, 1, MATCH, 1, "4" * 32, "5" * 32, 0, 1, type(event).__name__, 1, b"", b"", NOON)
    return list(on_match(recorded, event))


def started(game: str = "BRISCOLA", players: int = 4) -> MatchStarted:
    seats = [SeatOccupant(cpu="EASY")] * players
    return MatchStarted(
        at=NOON, commitment="", dealer=0, game=game, game_id=GAME_ID, game_no=2, room=ROOM, seats=seats, seed="",
        settings={"players": players},
    )  # fmt: skip


def deal(number: int) -> DealStarted:
    return DealStarted(deal_no=number, dealer=0, deck=list(DECK), leader=1, shuffle_no=number)


def trick(number: int, drawn: int = 4) -> TrickEnded:
    return TrickEnded(drawn=list(DECK[:drawn]), points=0, trick_no=number, winner=0)


def ended(outcome: Any) -> MatchEnded:
    return MatchEnded(at=NOON, last_dealer=0, outcome=outcome, room=ROOM)


def test_a_four_handed_briscola_begins_in_silence_and_no_other_game() -> None:
    assert begins_silent("BRISCOLA", {"players": 4})
    assert not begins_silent("BRISCOLA", {"players": 2})
    assert not begins_silent("TRESSETTE", TRESSETTE.defaults() | {"players": 4})
    assert follows(started()) == [Send("rooms", f"chat-{ROOM}", HushTalk(GAME_ID, 2), "hush")]
    assert follows(started(players=2)) == follows(started("TRESSETTE")) == []
    assert BRISCOLA.team_count({"players": 4}) == 2


def test_the_first_trick_opens_the_talk_and_a_later_one_does_not() -> None:
    assert follows(trick(1)) == [Send("rooms", MATCH, HearMatch(silent=False), "free")]
    assert follows(trick(2)) == follows(trick(1, drawn=2)) == follows(trick(1, drawn=0)) == []


def test_a_later_deal_closes_it_again_and_the_first_one_came_with_the_start() -> None:
    assert follows(deal(1)) == []
    assert follows(deal(2)) == [Send("rooms", MATCH, HearMatch(silent=True), "hush")]


@pytest.mark.parametrize("outcome", ["ABANDONED", "IDLE", "STOPPED"])
def test_a_game_that_is_cut_short_in_its_first_trick_opens_the_talk(outcome: str) -> None:
    assert follows(ended(outcome)) == [Send("rooms", f"chat-{ROOM}", FreeTalk(GAME_ID), "free")]


def test_a_game_that_is_played_to_its_end_has_opened_it_before() -> None:
    assert follows(ended("WON")) == follows(ended("TIED")) == []
