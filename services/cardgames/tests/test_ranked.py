"""Ranked matches: who may sit down, and the first accepted abandonment, which closes the match for good."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from circolo_cardgames.checks import check
from circolo_cardgames.conformance.matches import at_random
from circolo_cardgames.match import Match, MatchCommand
from circolo_cardgames.record import read_record, record_of
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_cardgames.state import TURN_GRACE_MS
from circolo_contracts.cardgames import (
    AbandonGame,
    AbandonSeat,
    DealEnded,
    DealStarted,
    GameCancelled,
    MatchEnded,
    MatchEvent,
    MatchResult,
    MatchStarted,
    PlayCard,
    SeedRevealed,
    StartMatch,
    TurnTimeout,
)
from circolo_contracts.games import CATALOGUE, ranked_settings
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor
from circolo_events.decider import PUBLIC, Rejection
from circolo_events.testing import given
from msgspec import UNSET, Struct

RANKED = [
    (kind, players) for kind, game in CATALOGUE.items() if game.ranked and game.service == "cardgames"
    for players in game.seats
]  # fmt: skip
GAME, ROOM = "a" * 32, "b" * 32


def player(seat: int) -> str:
    return f"{seat + 1:032x}"


def person(seat: int) -> Actor:
    return Actor("player", player(seat))


def settings_of(kind: str, players: int) -> dict[str, int | str | bool]:
    game = CATALOGUE[kind]
    settings = ranked_settings(game, {"players": players} if len(game.seats) > 1 else {})
    assert isinstance(settings, dict)
    return settings


def sat_down(kind: str = "SCOPONE_NOVE", players: int = 4, seed: str = "") -> Rehearsal:
    seats = [SeatOccupant(player=player(seat)) for seat in range(players)]
    secret = random.Random(f"{kind} {players} {seed}").randbytes(32)
    return Rehearsal(kind, seats, settings_of(kind, players), seed=secret, ranked=True)


def random_play(table: Rehearsal, plays: int = 10_000, seed: int = 1) -> Rehearsal:
    table.play_on(at_random(random.Random(seed)), plays=plays)
    return table


def ended(decided: Sequence[MatchEvent] | Rejection) -> MatchEnded:
    assert not isinstance(decided, Rejection), decided
    end = decided[-2]
    assert isinstance(end, MatchEnded)
    assert isinstance(decided[-1], SeedRevealed)
    return end


def at_the_last_card(table: Rehearsal) -> Rehearsal:
    """One card before the match is decided."""
    random_play(table)
    last = max(number for number, event in enumerate(table.events) if isinstance(event, DealEnded))
    again = Rehearsal.__new__(Rehearsal)
    again.__dict__.update(table.__dict__)
    played = [number for number, event in enumerate(table.events[:last]) if type(event).__name__ == "CardPlayed"]
    again.events = table.events[: played[-1]]
    again.state = again.match.initial
    for event in again.events:
        again.state = again.match.evolve(again.state, event)
    again.now = again.state.turn_at
    return again


# ---- sitting down


@pytest.mark.parametrize(("kind", "players"), RANKED)
def test_every_competition_has_a_ranked_match_for_each_number_of_seats(kind: str, players: int) -> None:
    table = sat_down(kind, players)
    started = table.events[0]
    assert isinstance(started, MatchStarted)
    assert (started.ranked, started.settings["clockSeconds"], started.settings["onTimeout"]) == (True, 30, "ABANDON")
    assert table.match.view(table.state, PUBLIC).ranked
    assert table.view(0).deadline == table.state.turn_at + 30_000


def test_a_friendly_match_says_nothing_of_it() -> None:
    seats = [SeatOccupant(player=player(seat)) for seat in range(2)]
    table = Rehearsal("BRISCOLA", seats, {"players": 2}, seed=bytes(32))
    assert isinstance(table.events[0], MatchStarted)
    assert table.events[0].ranked is UNSET
    assert not table.view(0).ranked


@pytest.mark.parametrize(
    ("settings", "seats", "reason"),
    [
        ({"players": 2, "bestOf": 3}, (0, 1), "INVALID_SETTING"),
        ({"players": 2, "clockSeconds": 0}, (0, 1), "INVALID_SETTING"),
        ({"players": 2, "onTimeout": "AUTOPLAY"}, (0, 1), "INVALID_SETTING"),
        ({"players": 2}, (0, None), "RANKED"),
    ],
)
def test_a_ranked_match_that_is_not_the_houses_never_starts(
    settings: dict[str, int | str | bool], seats: tuple[int | None, ...], reason: str
) -> None:
    people = [SeatOccupant(cpu="EASY") if seat is None else SeatOccupant(player=player(seat)) for seat in seats]
    start = StartMatch("BRISCOLA", 1, ROOM, people, settings, ranked=True)
    scenario = given(Match(), stream=f"match-{GAME}").when(start, actor=SERVICE, now=7)
    scenario.then(GameCancelled(7, "BRISCOLA", GAME, reason, ROOM))


# ---- abandoning


def test_each_way_out_of_a_match_says_which_it_was() -> None:
    assert ended(sat_down().do(AbandonGame(), person(1))).reason == "LEFT"
    assert ended(sat_down().do(AbandonSeat(player(1), "LEFT"), SERVICE)).reason == "LEFT"
    assert ended(sat_down().do(AbandonSeat(player(1), "EXPELLED"), SERVICE)).reason == "EXPELLED"
    table = sat_down()
    seat, version = table.state.turn, table.state.turn_version
    table.now = table.match.deadlines(table.state)["turn"].due_at
    out = ended(table.do(TurnTimeout(version), SERVICE))
    assert (out.reason, out.abandoned_by, out.winner) == ("TIMEOUT", seat, 1 - seat % 2)
    assert table.view(0).result == MatchResult("ABANDONED", seat, 1 - seat % 2, "TIMEOUT")


@pytest.mark.parametrize(("kind", "players"), RANKED)
def test_the_other_side_wins_where_there_are_two(kind: str, players: int) -> None:
    table = random_play(sat_down(kind, players), plays=7)
    out = ended(table.do(AbandonSeat(player(1), "LEFT"), SERVICE))
    assert (out.outcome, out.abandoned_by) == ("ABANDONED", 1)
    assert out.winner == (0 if table.state.sides == 2 else UNSET)
    assert table.match.deadlines(table.state) == {}
    for step in check(GAME, table.events):
        assert step.holds, step.text


def test_only_the_service_takes_a_seat_out_and_only_one_that_is_there() -> None:
    table = sat_down()
    for actor in (person(0), person(1), Actor("cpu", "1")):
        decided = table.do(AbandonSeat(player(1), "EXPELLED"), actor)
        assert isinstance(decided, Rejection)
        assert decided.code is RefusalCode.NOT_ALLOWED
    decided = table.do(AbandonSeat("9" * 32, "LEFT"), SERVICE)
    assert isinstance(decided, Rejection)
    assert decided.code is RefusalCode.NOT_IN_GAME
    empty = given(Match(), stream=f"match-{GAME}")
    empty.when(AbandonSeat(player(1), "LEFT"), actor=SERVICE).then_refused(RefusalCode.NOT_FOUND)


WAYS_OUT: list[tuple[MatchCommand, Actor]] = [
    (AbandonSeat(player(1), "LEFT"), SERVICE),
    (AbandonSeat(player(2), "LEFT"), SERVICE),
    (AbandonSeat(player(3), "EXPELLED"), SERVICE),
    (TurnTimeout(2), SERVICE),
    (AbandonGame(), person(0)),
]


@pytest.mark.parametrize("order", list(permutations(range(len(WAYS_OUT)), 3)))
def test_leaving_expulsion_and_time_out_in_the_same_millisecond_are_one_abandonment(order: Sequence[int]) -> None:
    table = sat_down()
    assert table.state.turn_version == 2
    moment = table.state.turn_at + 30_000 + TURN_GRACE_MS
    for number in order:
        table.now = moment - 1000
        table.do(*WAYS_OUT[number])
    ends = [event for event in table.events if isinstance(event, MatchEnded)]
    command, actor = WAYS_OUT[order[0]]
    named = command.player if isinstance(command, AbandonSeat) else actor.id
    seat = table.state.seat_of(named)
    reasons = {"AbandonSeat": getattr(command, "reason", None), "TurnTimeout": "TIMEOUT", "AbandonGame": "LEFT"}
    assert len(ends) == 1
    assert ends[0].reason == reasons[type(command).__name__]
    assert seat is None or ends[0].abandoned_by == seat
    assert isinstance(table.events[-1], SeedRevealed)


def test_cards_bug_41_K12_only_who_left_is_named_and_neither_his_partner_nor_who_leaves_after_him() -> None:
    table = random_play(sat_down(), plays=11)
    table.do(AbandonSeat(player(0), "LEFT"), SERVICE)
    for late in (AbandonSeat(player(2), "LEFT"), AbandonSeat(player(1), "EXPELLED")):
        assert table.do(late, SERVICE) == []
    refused = table.do(AbandonGame(), person(2))
    assert isinstance(refused, Rejection)
    assert refused.code is RefusalCode.GAME_NOT_RUNNING
    assert table.state.result == MatchResult("ABANDONED", 0, 1, "LEFT")


def test_cards_bug_17_leaving_between_two_deals_is_leaving_in_the_next_one() -> None:
    table = sat_down()
    while not table.state.deals:
        random_play(table, plays=1)
    assert isinstance(table.events[-1], DealStarted), "there is no moment between the score and the next deal"
    scores = list(table.state.score)
    out = ended(table.do(AbandonSeat(player(3), "LEFT"), SERVICE))
    assert (out.abandoned_by, table.state.deal_no, len(table.state.deals)) == (3, 2, 1)
    assert list(table.state.score) == scores, "what was scored stays scored, once"
    assert sum(isinstance(event, DealEnded) for event in table.events) == 1


def test_leaving_at_the_last_card_is_an_abandonment_and_the_card_comes_too_late() -> None:
    table = at_the_last_card(sat_down())
    seat = table.state.turn
    card = table.state.on_turn().hands[seat][0]
    assert ended(table.do(AbandonSeat(player(seat), "LEFT"), SERVICE)).abandoned_by == seat
    refused = table.do(PlayCard(card), person(seat))
    assert isinstance(refused, Rejection)
    assert refused.code is RefusalCode.GAME_NOT_RUNNING


def test_cards_K13_leaving_after_the_last_card_is_nothing() -> None:
    table = random_play(at_the_last_card(sat_down()), plays=1)
    assert table.state.result is not None
    assert (table.state.result.outcome, table.state.result.reason) == ("WON", UNSET)
    stored = len(table.events)
    for late in (AbandonSeat(player(seat), reason) for seat in range(4) for reason in ("LEFT", "EXPELLED")):
        assert table.do(late, SERVICE) == []
    assert isinstance(table.do(AbandonGame(), person(0)), Rejection)
    assert len(table.events) == stored


# ---- the clock


def test_cards_K11_a_last_card_at_the_very_deadline_and_the_time_out_of_the_same_tick_have_one_outcome() -> None:
    """Stamped at the due time it counts, whichever of the two is decided while the turn is open."""
    for card_first in (True, False):
        table = at_the_last_card(sat_down())
        seat, version, due = table.state.turn, table.state.turn_version, table.state.turn_due
        assert due is not None
        card = PlayCard(table.view(seat).legal_moves[0].card)  # type: ignore[index,union-attr]
        closing = due + TURN_GRACE_MS
        if card_first:
            table.now = closing - 1000
            table.do(card, person(seat), stamp=due)
        table.now = closing - 1000
        table.do(TurnTimeout(version), SERVICE)
        table.now = closing - 1000
        table.do(card, person(seat), stamp=due)
        ends = [event for event in table.events if isinstance(event, MatchEnded)]
        assert [end.outcome for end in ends] == ["WON" if card_first else "ABANDONED"]
        assert ends[0].reason == (UNSET if card_first else "TIMEOUT")


@pytest.mark.parametrize(("after_due", "code"), [(-1, None), (0, None), (1, RefusalCode.LATE), (150, RefusalCode.LATE)])
def test_a_card_counts_up_to_the_very_millisecond_that_everybody_sees(after_due: int, code: RefusalCode | None) -> None:
    table = sat_down()
    seat, due = table.state.turn, table.state.turn_due
    assert due is not None
    table.now = due + 10_000  # a slow worker has not closed the turn yet
    decided = table.do(PlayCard(table.state.on_turn().hands[seat][0]), person(seat), stamp=due + after_due)
    assert (decided.code if isinstance(decided, Rejection) else None) is code


def test_a_slow_worker_takes_out_the_same_seat_however_late_it_comes() -> None:
    for late in (TURN_GRACE_MS, 5_000, 3_600_000):
        table = sat_down()
        seat, version = table.state.turn, table.state.turn_version
        table.now = table.state.turn_at + 30_000 + late - 1000
        assert ended(table.do(TurnTimeout(version), SERVICE)).abandoned_by == seat


def test_backend_C1_a_time_out_that_is_fired_again_finds_nothing_to_fine() -> None:
    table = sat_down()
    version = table.state.turn_version
    for _ in range(5):
        table.now = table.state.turn_at + 60_000
        table.do(TurnTimeout(version), SERVICE)
    assert sum(isinstance(event, MatchEnded) for event in table.events) == 1
    played = random_play(sat_down())
    for number in range(played.state.version + 1):
        assert played.do(TurnTimeout(number), SERVICE) == []


def test_a_time_out_of_a_turn_that_was_played_in_time_fines_nobody() -> None:
    table = sat_down()
    fired = TurnTimeout(table.state.turn_version)
    due = table.state.turn_due
    assert due is not None
    table.now = due - 1000
    random_play(table, plays=1)
    table.now = due + TURN_GRACE_MS
    assert table.do(fired, SERVICE) == []
    assert table.state.is_running


def test_after_a_restart_the_turn_has_the_time_that_it_had() -> None:
    table = random_play(sat_down(), plays=3)
    state = table.match.initial
    for event in table.events:
        state = table.match.evolve(state, event)
    assert table.match.deadlines(state) == table.match.deadlines(table.state)


# ---- the record


@pytest.mark.parametrize("how", [AbandonSeat(player(2), "LEFT"), AbandonSeat(player(2), "EXPELLED"), None])
def test_the_record_tells_why_a_seat_was_out_and_that_the_match_counted(how: Struct | None) -> None:
    table = random_play(sat_down(), plays=5)
    if how is None:
        table.now = table.state.turn_at + 60_000
        how = TurnTimeout(table.state.turn_version)
    table.do(how, SERVICE)  # type: ignore[arg-type]
    again = read_record(record_of(table.events))
    assert isinstance(again[0], MatchStarted)
    assert again[0].ranked is True
    first, last = (next(e for e in events if isinstance(e, MatchEnded)) for events in (table.events, again))
    assert (first.reason, first.abandoned_by) == (last.reason, last.abandoned_by)


# ---- random matches


@pytest.mark.parametrize(("kind", "players"), RANKED)
def test_a_random_ranked_match_with_random_leavers_ends_once_and_for_good(kind: str, players: int) -> None:
    for number in range(12):
        table = sat_down(kind, players, seed=str(number))
        chance = random.Random(f"{kind} {players} {number}")
        random_play(table, plays=chance.randint(0, 150), seed=number)
        decided = table.state.result
        for _ in range(4):
            seat, reason = chance.randrange(players), chance.choice(["LEFT", "EXPELLED"])
            table.do(AbandonSeat(player(seat), reason), SERVICE)  # type: ignore[arg-type]
        ends = [event for event in table.events if isinstance(event, MatchEnded)]
        assert len(ends) == 1
        assert table.state.result == (decided or table.state.result)
        for step in check(GAME, table.events):
            assert step.holds, step.text
