"""Deals played at random by the rules alone: they end, hold 40 cards at every moment, and refuse what is not legal."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from circolo_contracts.cardgames import CardPlayed, DealScore
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import CATALOGUE, SettingValue
from circolo_contracts.refusals import RefusalCode
from msgspec import UNSET
from msgspec.structs import replace

from circolo_cardgames.games import GAMES
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.games.rules import CardRules

Settings = Mapping[str, SettingValue]
WHOLE = set(DECK)


def check_deals(kind: str, settings: Settings, *, deals: int, seed: int = 1) -> None:
    """Seeded random legal deals end; the cards stay the 40; what is counted adds up."""
    rules, seats = GAMES[kind].rules(settings), CATALOGUE[kind].seat_count(settings)
    teams = [CATALOGUE[kind].team_of(seat, settings) for seat in range(seats)]
    for number in range(deals):
        chance = random.Random(f"{kind} {seed} {number}")
        positions = list(played_out(rules, opened(rules, seats, chance), chance))
        for position in positions:
            _whole(position)
        deal = positions[-1]
        assert rules.is_over(deal), "nobody is on turn and the deal is not over"
        assert not any(deal.hands), "a deal is over with cards in a hand"
        assert rules.legal_moves(deal) == [], "a move is legal after the end"
        assert rules.follows(deal) is None
        assert len(positions) <= len(DECK)
        _counted(rules, deal, teams)


def check_refusals(kind: str, settings: Settings, *, deals: int, seed: int = 1) -> None:
    """In every position whatever is not a legal move is refused, and every legal one, and the clock's, is not."""
    rules, seats = GAMES[kind].rules(settings), CATALOGUE[kind].seat_count(settings)
    for number in range(deals):
        chance = random.Random(f"refusals {kind} {seed} {number}")
        opening = opened(rules, seats, chance)
        for position in (opening, *played_out(rules, opening, chance)):
            if position.turn != NOBODY:
                _refused(rules, position, chance)


def opened(rules: CardRules, seats: int, chance: random.Random) -> Deal:
    """A deal that is not void, with everybody's cards."""
    while True:
        deck = list(DECK)
        chance.shuffle(deck)
        deal = rules.deal(deck, chance.randrange(seats), seats)
        _whole(deal)
        if not rules.is_void(deal):
            return deal


def played_out(rules: CardRules, deal: Deal, chance: random.Random) -> Iterator[Deal]:
    """The deal after each card and all that follows from it."""
    while deal.turn != NOBODY:
        card = rules.played(deal, any_move(rules, deal, chance), 0)
        deal = rules.evolve(deal, card)
        while (following := rules.follows(deal)) is not None:
            deal = rules.evolve(deal, following)
        yield deal


def any_move(rules: CardRules, deal: Deal, chance: random.Random) -> Move:
    moves = rules.legal_moves(deal)
    assert moves, f"seat {deal.turn} has no legal move"
    legal = chance.choice(moves)
    return Move(legal.card, deal.turn, tuple(chance.choice(legal.captures)) if legal.captures else None)


def _whole(deal: Deal) -> None:
    cards = deal.cards()
    assert len(cards) == len(WHOLE), f"{len(cards)} cards"
    assert set(cards) == WHOLE, "a card is there twice"


def _counted(rules: CardRules, deal: Deal, teams: list[int]) -> None:
    count = rules.count(deal, teams)
    sides = max(teams) + 1
    assert len(count.points) == sides
    assert count.winner is None or 0 <= count.winner < sides
    if count.sheet:
        summed = tuple(sum(line.points[side] for line in count.sheet) for side in range(sides))
        assert summed == count.points, f"the sheet makes {summed}, the points are {count.points}"
        assert all(line.amounts is UNSET or len(line.amounts) == sides for line in count.sheet)
    if sides < len(teams):
        assert rules.count(_piled_together(deal, teams), teams).points == count.points, "partners count together"
    winner = UNSET if count.winner is None else count.winner
    score = DealScore(1, list(count.points), winner, list(count.sheet) if count.sheet else UNSET)
    standing = rules.standing([score], sides)
    assert len(standing.score) == sides
    assert (standing.winner is not None) == (standing.outcome == "WON")


def _piled_together(deal: Deal, teams: list[int]) -> Deal:
    """The same deal with every pile before the first seat of its team; the last taker's stays his team's."""
    piles = [tuple(c for seat, pile in enumerate(deal.piles) if teams[seat] == side for c in pile) for side in range(2)]
    return replace(deal, piles=tuple(piles[seat] if seat < 2 else () for seat in range(len(teams))))


def _refused(rules: CardRules, deal: Deal, chance: random.Random) -> None:
    legal = {move.card: [frozenset(each) for each in move.captures] for move in rules.legal_moves(deal)}
    hand = deal.hands[deal.turn]
    assert list(legal) == [card for card in hand if card in legal], "legal moves come in the order of the hand"
    for card in DECK:
        refusal = rules.refusal(deal, Move(card, deal.turn))
        if card not in hand:
            assert refusal is RefusalCode.CARD_NOT_IN_HAND, f"{card} is not in the hand: {refusal}"
        elif card not in legal:
            assert refusal not in (None, RefusalCode.CARD_NOT_IN_HAND), f"{card} is not legal and not refused"
        else:
            _captures(rules, deal, card, legal[card], chance)
    _automatic(rules, deal)


def _captures(rules: CardRules, deal: Deal, card: Card, options: list[frozenset[Card]], chance: random.Random) -> None:
    bare = rules.refusal(deal, Move(card, deal.turn))
    assert bare is (RefusalCode.ILLEGAL_CAPTURE if len(options) > 1 else None), f"{card} without a capture: {bare}"
    for option in options:
        named = Move(card, deal.turn, tuple(option))
        assert rules.refusal(deal, named) is None, f"{card} takes {set(option)}"
        took = rules.played(deal, named, 0).captured
        assert took is not UNSET and set(took) == option, f"{card} names {set(option)} and takes {took}"
    wrong = [*chance.sample(deal.table, min(len(deal.table), chance.randint(1, 3)))]
    for attempt in ([], wrong, [*wrong, *wrong], [card], [chance.choice(DECK)]):
        right = frozenset(attempt) in options and len(set(attempt)) == len(attempt)
        if right or (not attempt and not options):
            continue
        refusal = rules.refusal(deal, Move(card, deal.turn, tuple(attempt)))
        assert refusal is RefusalCode.ILLEGAL_CAPTURE, f"{card} takes {attempt}: {refusal}"


def _automatic(rules: CardRules, deal: Deal) -> None:
    move = rules.automatic(deal)
    assert move.seat == deal.turn
    assert rules.refusal(deal, move) is None, f"the clock would play {move}"
    assert isinstance(rules.played(deal, move, 0, automatic=True), CardPlayed)
