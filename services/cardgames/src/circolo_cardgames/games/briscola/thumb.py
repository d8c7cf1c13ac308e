"""How a sensible player chooses a card in briscola, from his own seat's view: rules of thumb, no memory, no search.

Everything is weighed in points. A trick that one's own side takes is worth its cards, one that the others take costs
them; against that stands what the card would still have been good for. Out of it come the habits of the card table:
take what is worth taking with the smallest card that does it, leave worthless tricks to the others, do not waste
trumps, do not lead an asso or a three, load points on a trick that the partner holds.
"""

from __future__ import annotations

from circolo_contracts.cardgames import MatchView, PlayCard, PlayedCard
from circolo_contracts.cards import RANK_OF, SUIT_OF, Card
from msgspec import UNSET

from circolo_cardgames.sight import Sight

from .rules import STRENGTH, beats
from .scoring import points_of

LOW_TRUMP, FACE_TRUMP, HIGH_TRUMP = 4.5, 6.5, 13.0
"""What a trump is good for later, beside its own points: nearly every trick with an asso or a three in it."""
LOAD_LATER = 0.2
"""The share of an asso's or three's points that it will bring on average if it is kept."""


def choose(sight: Sight) -> PlayCard:
    """The card that is worth most. The seat must be on turn."""
    view = sight.view
    assert view.legal_moves is not UNSET
    cards, trump = [move.card for move in view.legal_moves], str(view.trump)
    if not view.trick:
        return PlayCard(max(cards, key=lambda card: weigh_lead(card, trump)))
    return PlayCard(max(cards, key=lambda card: _weigh_answer(view, card)))


def weigh_lead(card: Card, trump: str) -> float:
    """A worthless card first, then a small trump, then faces; loads and high trumps last."""
    strength = STRENGTH[RANK_OF[card]]
    if SUIT_OF[card] == trump:
        return -0.6 * keep(card, trump)
    return -1.2 * points_of(card) - 0.1 * strength


def _weigh_answer(view: MatchView, card: Card) -> float:
    trick = [*view.trick, PlayedCard(card, _own_seat(view))]
    stake = sum(points_of(played.card) for played in trick)
    chance = _chance_to_take(view, trick)
    return stake * (2 * chance - 1) - keep(card, str(view.trump))


def _chance_to_take(view: MatchView, trick: list[PlayedCard]) -> float:
    """The chance (0 to 1) that the own side takes it, guessed from the card that holds it and who still plays."""
    trump = str(view.trump)
    holder = trick[0]
    for played in trick[1:]:
        if beats(played.card, holder.card, trump):
            holder = played
    team = {seat.seat: seat.team for seat in view.seats}
    ours = team[holder.seat] == team[_own_seat(view)]
    seats = len(view.seats)
    to_come = [team[(trick[-1].seat + step) % seats] for step in range(1, seats - len(trick) + 1)]
    if not any((side == team[_own_seat(view)]) != ours for side in to_come):
        return 1.0 if ours else 0.0
    holds = chance_to_hold(holder.card, trump)
    return holds if ours else 1.0 - holds


def chance_to_hold(card: Card, trump: str) -> float:
    """That one more player of the other side does not beat it."""
    strength = STRENGTH[RANK_OF[card]]
    if SUIT_OF[card] == trump:
        return 0.7 + 0.03 * strength
    return 0.3 + 0.03 * strength


def keep(card: Card, trump: str) -> float:
    """What the card is good for if it is not played now."""
    points, strength = points_of(card), STRENGTH[RANK_OF[card]]
    if SUIT_OF[card] != trump:
        return LOAD_LATER * points if points >= 10 else 0.1 * strength
    if points >= 10:
        return points + HIGH_TRUMP
    return points + (FACE_TRUMP if points else LOW_TRUMP) + 0.1 * strength


def _own_seat(view: MatchView) -> int:
    assert view.seat is not UNSET
    return view.seat
