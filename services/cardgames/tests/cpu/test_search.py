"""HARD's choice: what it sees is all that it goes by, and what can be seen to win is played."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter, process_time

import pytest
from circolo_cardgames import conformance
from circolo_cardgames.cpu.by_rules import ByRules
from circolo_cardgames.cpu.search import Budget, Found, search
from circolo_cardgames.cpu.thinking import BUDGET
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import NOBODY, Deal
from circolo_cardgames.games.playout import World, move_number
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_cardgames.view import sight
from circolo_contracts.cardgames import LegalMove
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import CATALOGUE, SettingValue, complete_settings
from msgspec import UNSET
from msgspec.structs import replace

See = Callable[..., Sight]
Settings = Mapping[str, SettingValue]
Sights = Callable[..., Iterator[tuple[Sight, Deal]]]
Table = Callable[..., Rehearsal]
Really = Callable[[Deal], World]
SMALL = Budget(plays=4_000, seconds=30.0)
TINY = Budget(plays=1_000, seconds=30.0)
EVERY_GAME = [
    pytest.param(kind, settings, id=conformance.label(kind, settings))
    for kind in GAMES
    for settings in conformance.presets(kind)
    if settings == complete_settings(CATALOGUE[kind], {name: settings[name] for name in {"players"} & set(settings)})
]


def test_it_takes_the_trick_that_wins_the_game(briscola_end: See) -> None:
    """It has 51 points: the 10 of the three are enough, whatever comes after."""
    won = "1C 1B 1S 4D 4B 4C 10S 10B 2B 9S 9B"
    seen = briscola_end("2D 5B 6S", "3C 5C 6C", won=won, trick="3C")
    assert search(seen, "a", SMALL).move.card == "2D"


def test_with_a_point_to_go_it_plays_so_that_nobody_can_hinder_it(briscola_end: See) -> None:
    """It has 60 points and the highest trump."""
    won = "1C 1B 3C 3B 10S 10B 10C 8C 8B 8S"
    seen = briscola_end("1D 4C 4B", "3S 3D 5C", won=won)
    found = search(seen, "a", SMALL)
    assert _wins(seen, found)


def test_at_an_end_without_secrets_it_plays_the_best_there_is(sights: Sights, really: Really) -> None:
    """Two at briscola, three tricks to go: held against every line of play by the rules."""
    tried = 0
    for seed_no in range(12):
        for seen, deal in sights("BRISCOLA", {"players": 2, "bestOf": 1}, seed_no):
            if deal.stock or not 3 <= sum(map(len, deal.hands)) <= 6:
                continue
            worth = GAMES["BRISCOLA"].worth_to(seen)
            position = ByRules(deal, seen.rules, [0, 1])
            values = {move: _best(_after(position, move), worth, seen.seat) for move in position.moves()}
            chosen = move_number(search(seen, "a", SMALL).move.card)
            assert values[chosen] == max(values.values())
            tried += 1
    assert tried > 30


@pytest.mark.parametrize(
    ("hand", "lying", "card", "taken"),
    [
        ("7C 2S 9B", "7D 4B 10S 6C", "7C", "7D"),
        ("10C 5B 9D", "1D 2C 3S 4B", "10C", "1D 2C 3S 4B"),
    ],
    ids=["the settebello", "a scopa"],
)
def test_at_scopa_it_takes_what_everybody_would(opening: See, hand: str, lying: str, card: str, taken: str) -> None:
    seen = opening("SCOPA", {"players": 2}, f"{hand} 8D 8C 8S {lying}")
    move = search(seen, "a", SMALL).move
    assert (move.card, move.capture) == (card, taken.split())


def test_at_tressette_it_throws_its_asso_on_the_partners_sure_trick(opening: See) -> None:
    """Seat 2 has led the three of cups, which nothing beats; seat 0 has only the asso and the four of that suit."""
    hands = ("1C 4C 4D 5D 6D", "5C 6C 4S 5S 6S", "3C 2C 7D 7S 7B", "7C 8C 4B 5B 6B")
    seen = opening("TRESSETTE", {"players": 4}, " ".join(hands))
    deal = seen.deal
    led = ByRules(replace(deal, turn=2, hands=tuple(_thrown(hand) for hand in hands)), seen.rules, [0, 1, 0, 1])
    for card in ("3C", "7C"):
        led.play(move_number(Card(card)))
    view = replace(
        seen.view, turn=0, trick=list(led.deal.trick), legal_moves=[LegalMove(Card("1C")), LegalMove(Card("4C"))],
        seats=[replace(seat, hand_count=len(hand)) for seat, hand in zip(seen.view.seats, led.deal.hands, strict=True)],
    )  # fmt: skip
    assert search(Sight.of(led.deal, seen.rules, 0, view), "a", SMALL).move.card == "1C"


def _thrown(hand: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in hand.split())


def _after(position: ByRules, move: int) -> ByRules:
    after = position.copy()
    after.play(move)
    return after


def _best(position: ByRules, worth: Callable[[tuple[float, ...]], float], seat: int) -> float:
    if position.turn == NOBODY:
        return worth(position.judged())
    values = [_best(_after(position, move), worth, seat) for move in position.moves()]
    return max(values) if position.turn == seat else min(values)


def _wins(seen: Sight, found: Found) -> bool:
    """Whether the other side can no longer hinder it."""
    world = World(
        [[DECK.index(card) for card in seen.deal.hands[0]], [DECK.index(card) for card in seen.unseen()]], [],
    )  # fmt: skip
    position = ByRules.of(seen, world)
    worth = GAMES["BRISCOLA"].worth_to(seen)
    return _best(_after(position, move_number(found.move.card)), worth, 0) > 0


@pytest.mark.parametrize(("kind", "settings"), EVERY_GAME)
def test_it_chooses_a_legal_move_in_every_game_and_the_same_one_again(
    kind: str, settings: Settings, sights: Sights
) -> None:
    for number, (seen, _) in enumerate(sights(kind, settings, 5)):
        if number % 9:
            continue
        found = search(seen, "seed", TINY)
        legal = seen.view.legal_moves
        assert legal is not UNSET
        of_card = next(move for move in legal if move.card == found.move.card)
        if found.move.capture is not UNSET:
            assert sorted(found.move.capture) in [sorted(capture) for capture in of_card.captures]
        assert search(seen, "seed", TINY).move == found.move
        assert not found.cut


@pytest.mark.parametrize(("kind", "settings"), EVERY_GAME)
def test_what_it_cannot_see_does_not_change_its_choice(
    kind: str, settings: Settings, table: Table, really: Really
) -> None:
    """Two worlds: every hidden card changes places, the seat's sight stays, and so does its choice."""
    playing = table(kind, settings, 9)
    deal, seat = playing.state.on_turn(), playing.state.turn
    hidden = [card for place, hand in enumerate(deal.hands) if place != seat for card in hand]
    hidden += [card for card in deal.stock if card != deal.trump_card] + list(deal.aside)
    other = dict(zip(hidden, random.Random(3).sample(hidden, len(hidden)), strict=True))
    turned = replace(
        deal,
        hands=tuple(
            hand if place == seat else tuple(other[card] for card in hand) for place, hand in enumerate(deal.hands)
        ),
        stock=tuple(other.get(card, card) for card in deal.stock),
        aside=tuple(other[card] for card in deal.aside),
    )
    assert turned != deal
    one, two = sight(playing.state, seat), sight(replace(playing.state, deal=turned), seat)
    assert one == two
    assert search(one, "seed", SMALL).move == search(two, "seed", SMALL).move


@pytest.mark.parametrize(("kind", "settings"), EVERY_GAME)
def test_it_keeps_to_its_time(kind: str, settings: Settings, sights: Sights) -> None:
    """From the first card to the last, with more plays than anybody has time for."""
    positions = list(sights(kind, settings, 4))
    for seen, _ in positions[:: len(positions) // 3]:
        started = perf_counter()
        found = search(seen, "seed", Budget(plays=10**12, seconds=0.03))
        assert found.cut or found.worlds == 0
        assert perf_counter() - started < 0.9


@pytest.mark.parametrize("kind", GAMES)
def test_a_decision_takes_less_than_a_second_of_a_core(kind: str, sights: Sights) -> None:
    """With the service's own budget, at the first card of a deal: there is most to think about. Other things run beside
    a test, so it is the time of this process that counts."""
    seen, _ = next(sights(kind, CATALOGUE[kind].defaults(), 4))
    started = process_time()
    search(seen, "seed", BUDGET)
    assert process_time() - started < 1.0


def test_a_machine_without_time_still_looks_at_one_world(sights: Sights) -> None:
    seen, _ = next(sights("BRISCOLA", {"players": 2, "bestOf": 1}, 1))
    found = search(seen, "seed", Budget(plays=10**9, seconds=0.0))
    assert found.cut
    assert found.worlds >= 1


def test_a_move_without_a_choice_is_not_thought_about(briscola_end: See) -> None:
    seen = briscola_end("2D", "3C", won="1C")
    assert search(seen, "a", SMALL).playouts == 0
