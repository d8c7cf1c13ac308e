"""What holds in every patience, whoever plays it and however."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from circolo_cardgames.games.solitario import PATIENCES
from circolo_cardgames.games.solitario.position import Move
from circolo_cardgames.games.solitario.thumb import choose
from circolo_cardgames.record import read_record, record_of
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.rehearsal import SERVICE
from circolo_cardgames.solitaire.checks import check
from circolo_cardgames.solitaire.rehearsal import SolitaireRehearsal
from circolo_cardgames.state import IDLE_MS
from circolo_contracts.cardgames import (
    AbandonGame,
    IdleTimeout,
    MatchEnded,
    MatchResult,
    SeedRevealed,
    StopMatch,
)
from circolo_contracts.cards import DECK, Card
from circolo_contracts.solitaire import (
    CardsRemoved,
    MoveCard,
    RemoveCards,
    SolitaireCommand,
    SolitaireEvent,
    SolitaireStarted,
    SolitaireView,
    StockTurned,
    TurnStock,
    WasteTurned,
)
from circolo_events.decider import PUBLIC, Rejection
from circolo_service.export import Unreadable
from circolo_service.proof import Check
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

Lay = Callable[..., SolitaireRehearsal]
GAMES = pytest.mark.parametrize("game", PATIENCES)
EVERY_MOVE: list[Move] = [
    TurnStock(),
    *(RemoveCards([card]) for card in DECK),
    *(RemoveCards([one, other]) for one, other in itertools.combinations(DECK, 2)),
    *(MoveCard(card, to) for card in DECK for to in (UNSET, 0, 1, 2, 3)),
]


def laid(game: str, redeals: int, seed: int) -> SolitaireRehearsal:
    return SolitaireRehearsal({"game": game, "redeals": redeals}, seed=seed.to_bytes(32, "big"))


def command(view: SolitaireView, draw: Callable[[int], int]) -> Move:
    move = view.legal_moves[draw(len(view.legal_moves))]
    if move.kind == "TURN":
        return TurnStock()
    return RemoveCards(move.cards) if move.kind == "REMOVE" else MoveCard(move.cards[0], move.to)


@GAMES
@settings(max_examples=40, deadline=None)
@given(redeals=st.integers(0, 3), seed=st.integers(0, 2**64), chance=st.randoms(use_true_random=False))
def test_forty_cards_at_every_moment_and_any_play_ends(game: str, redeals: int, seed: int, chance: object) -> None:
    table = laid(game, redeals, seed)
    for _ in range(5_000):
        assert sorted(table.state.lying().cards()) == sorted(DECK)
        if not table.state.is_running:
            break
        assert table.view().legal_moves, "who is not blocked has a move"
        table.play_on(lambda view: command(view, chance.randrange), moves=1)  # type: ignore[attr-defined]
    assert not table.state.is_running
    assert table.state.result is not None
    assert table.state.result.outcome in ("WON", "BLOCKED")
    won = table.state.rules.is_won(table.state.lying())
    assert (table.state.result.outcome == "WON") == won


@GAMES
def test_exactly_the_listed_moves_are_allowed_and_a_refusal_leaves_no_event(game: str, lay: Lay) -> None:
    for seed_no in range(3):
        table = lay(game, redeals=1, seed_no=seed_no)
        while table.state.is_running:
            rules, lying = table.state.rules, table.state.lying()
            listed = {_key(move) for move in rules.legal_moves(lying)}
            assert len(listed) == len(rules.legal_moves(lying))
            allowed = {_key(move) for move in EVERY_MOVE if rules.refusal(lying, move) is None}
            assert allowed == listed
            before = table.state
            wrong = next(move for move in EVERY_MOVE if _key(move) not in listed)
            assert isinstance(table.do(wrong), Rejection)
            assert table.state is before
            table.play_on(choose, moves=1)


def _key(move: Move) -> object:
    if isinstance(move, RemoveCards):
        return frozenset(move.cards)
    return (move.card, move.to) if isinstance(move, MoveCard) else None


@GAMES
def test_a_replay_of_what_was_stored_equals_the_live_game_to_the_byte(game: str, lay: Lay) -> None:
    table = lay(game)
    table.play_on(choose)
    state = table.solitaire.initial
    for event in table.events:
        name, schema, data = REGISTRY.encode(event)
        again = REGISTRY.decode(name, schema, data)
        assert REGISTRY.encode(again) == (name, schema, data)
        state = table.solitaire.evolve(state, again)  # type: ignore[arg-type]
    assert state == table.state
    twin = lay(game)
    twin.play_on(choose)
    assert twin.events == table.events


def steps(events: list[SolitaireEvent]) -> list[Check]:
    return list(check("a" * 32, events))


@GAMES
def test_a_fair_patience_passes_every_check_and_its_record_is_played_again(game: str, lay: Lay) -> None:
    for seed_no in range(5):
        table = lay(game, seed_no=seed_no)
        table.play_on(choose)
        assert all(step.holds for step in steps(table.events))
        times = [replace(event, at=0) if hasattr(event, "at") else event for event in table.events]
        read = read_record(record_of(table.events))
        assert [replace(event, at=0) if hasattr(event, "at") else event for event in read] == times


@GAMES
def test_an_event_that_was_added_or_turned_card_that_was_left_out_is_found(game: str, lay: Lay) -> None:
    table = lay(game)
    table.play_on(choose)
    events = table.events
    for place in range(1, len(events) - 1):
        twice = [*events[: place + 1], *events[place:]]
        assert not all(step.holds for step in steps(twice))
        if isinstance(events[place], (StockTurned, WasteTurned, MatchEnded)):
            assert not all(step.holds for step in steps([*events[:place], *events[place + 1 :]]))


@pytest.mark.parametrize(
    ("kind", "changed", "complaint"),
    [
        (SolitaireStarted, {"commitment": "0" * 64}, "promised"),
        (SolitaireStarted, {"game_id": "c" * 32}, "promised"),
        (SolitaireStarted, {"seed": "0" * 64}, "the one that was used"),
        (SolitaireStarted, {"deck": list(DECK)}, "is shuffle 1 of the seed"),
        (SolitaireStarted, {"opened": list(DECK[:7])}, "was dealt"),
        (SeedRevealed, {"seed": "0" * 64}, "promised"),
        (SeedRevealed, {"seed": "no seed"}, "promised"),
        (CardsRemoved, {"revealed": [Card("7D")]}, "should have been"),
        (CardsRemoved, {"cards": [Card("7D"), Card("5D")]}, "was not allowed"),
        (CardsRemoved, {"cards": []}, "was not allowed"),
        (StockTurned, {"card": Card("7D")}, "should have been"),
        (StockTurned, {"to_base": True}, "should have been"),
        (WasteTurned, {"redeals_left": 3}, "should have been"),
        (MatchEnded, {"outcome": "WON"}, "cannot end WON"),
        (MatchEnded, {"outcome": "STOPPED"}, "cannot end STOPPED"),
        (MatchEnded, {"winner": 0}, "should have been"),
    ],
)
def test_what_was_tampered_with_is_found(lay: Lay, kind: type, changed: dict[str, object], complaint: str) -> None:
    table = lay("PIRAMIDE", seed_no=2)
    table.play_on(choose)
    assert table.view().result == MatchResult("BLOCKED")
    place = next(n for n, event in enumerate(table.events) if isinstance(event, kind))
    table.events[place] = replace(table.events[place], **changed)  # type: ignore[arg-type]
    found = steps(table.events)
    assert [step.holds for step in found] == [True] * (len(found) - 1) + [False]
    assert complaint in found[-1].text


def test_a_running_patience_is_neither_verified_nor_recorded(lay: Lay) -> None:
    table = lay()
    table.play("T")
    for read in (lambda: steps(table.events), lambda: record_of(table.events)):
        with pytest.raises(Unreadable, match="its seed is still secret"):
            read()


@pytest.mark.parametrize(
    ("order", "result"), [(AbandonGame(), "ABANDONED by seat 0"), (StopMatch(), "STOPPED"), (IdleTimeout(1), "IDLE")]
)
def test_one_that_was_broken_off_is_checked_and_recorded_as_far_as_it_went(
    lay: Lay, order: SolitaireCommand, result: str
) -> None:
    table = lay()
    table.play("T", "T")
    table.now += IDLE_MS
    table.do(order, table.player if isinstance(order, AbandonGame) else SERVICE)
    assert all(step.holds for step in steps(table.events))
    text = record_of(table.events)
    assert text.endswith(f"\n{result}\n")
    assert len(read_record(text)) == len(table.events)


def test_a_record_that_the_rules_do_not_allow_is_refused_by_its_line(lay: Lay) -> None:
    table = lay("PIRAMIDE")
    table.play_on(choose)
    lines = record_of(table.events).splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith("2. "))
    for wrong in ("2. 1D+8C", "2. 10D+10S", "2. T (0X)", "2. 5C>1", "2. hop", ""):
        text = "\n".join([*lines[:place], wrong, *lines[place + 1 :]])
        with pytest.raises(Unreadable, match=r"line \d+"):
            read_record(text)
    with pytest.raises(Unreadable, match="CPU"):
        read_record("\n".join(lines).replace(f'"player {table.player.id}"', '"cpu EASY"'))


@pytest.mark.parametrize("redeals", [0, 2])
@GAMES
def test_the_rule_of_thumb_comes_out_far_more_often_than_chance(game: str, redeals: int) -> None:
    def wins(sensible: bool) -> int:
        won = 0
        for seed in range(100):
            table, turn = laid(game, redeals, seed), itertools.count(seed)
            table.play_on(
                choose if sensible else lambda view, turn=turn: command(view, lambda n: next(turn) * 7919 % n)
            )
            won += table.state.result is not None and table.state.result.outcome == "WON"
        return won

    thumb, chance = wins(True), wins(False)
    assert thumb > 2 * chance
    assert thumb >= {("PIRAMIDE", 0): 1, ("PIRAMIDE", 2): 6, ("ANONIMO", 0): 3, ("ANONIMO", 2): 90}[game, redeals]


def test_views_are_of_one_kind_for_everybody(lay: Lay) -> None:
    table = lay()
    assert table.solitaire.audiences(table.state) == (PUBLIC,)
    assert table.solitaire.viewer(table.state, table.player.id) == table.solitaire.viewer(table.state, "") == PUBLIC


def test_the_last_event_says_where_it_was_played_and_who_won(lay: Lay) -> None:
    table = lay("ANONIMO")
    table.play_on(choose)
    end = table.events[-2]
    assert isinstance(end, MatchEnded)
    assert (end.outcome, end.winner, end.room, end.last_dealer) == ("WON", 0, "b" * 32, 0)
    assert table.view().removed_count == 40
    assert [base.count for base in table.view().bases] == [10, 10, 10, 10]
    assert table.view().seed == table.state.seed
