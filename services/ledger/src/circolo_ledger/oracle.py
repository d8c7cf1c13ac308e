"""What ranked matches pay, a second time: from cardgames' events alone, by exact fractions, with the law's numbers in
the code. Nothing of what decides payments is used here; the proof and the tests hold the two against each other.

Source: document 003 of the club for scopone a nove carte and the house's rules for the other games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import floor

from circolo_contracts.cardgames import DealEnded, MatchEnded, MatchStarted

Owed = dict[str, int]
"""By account, what one payment changes; accounts that it does not change are absent."""
Reason = tuple[str, str]
"""The id of the event that pays, and the rule."""

ONLY_THE_MATCH = {"BRISCOLA", "VINCIPERDI"}
EACH_FOR_HIMSELF = {"VINCIPERDI"}
BY_PLACE = {3: (30, 20, 10), 4: (40, 20, 10, 10)}
TO_A_WINNER, TO_A_LOSER, IF_TIED = 30, 10, 20
OF_A_DEAL, DEALS_THAT_PAY = 12, 5
FOR_LEAVING = 70


class MatchOracle:
    """One ranked match as it goes by: give it every end of a deal and of the match in order."""

    def __init__(self, started: MatchStarted) -> None:
        self._game = started.game
        self._players = [str(seat.player) for seat in started.seats]
        self._sides = len(self._players) if started.game in EACH_FOR_HIMSELF else 2
        self._deals: list[DealEnded] = []
        self._over = False

    def owed(self, event_id: str, event: DealEnded | MatchEnded) -> Iterator[tuple[Reason, Owed]]:
        if self._over:
            return
        if isinstance(event, DealEnded):
            self._deals.append(event)
            if self._deals_pay and len(self._deals) <= DEALS_THAT_PAY:
                yield (event_id, "DEAL"), self._from_pot(self._parts(event.points))
            return
        self._over = True
        if event.outcome == "ABANDONED":
            yield from self._abandoned(event_id, int(event.abandoned_by))  # type: ignore[arg-type]
        elif event.outcome in ("WON", "TIED"):
            yield (event_id, "MATCH"), self._from_pot(self._match(event))
            missing = DEALS_THAT_PAY - len(self._deals)
            if self._deals_pay and missing > 0:
                won = [OF_A_DEAL * missing if self._side(s) == event.winner else 0 for s in self._seats]
                yield (event_id, "UNPLAYED"), self._from_pot(won)

    @property
    def _deals_pay(self) -> bool:
        return self._game not in ONLY_THE_MATCH

    @property
    def _seats(self) -> range:
        return range(len(self._players))

    def _side(self, seat: int) -> int:
        return seat % self._sides

    def _parts(self, points: Sequence[int]) -> list[int]:
        """To each seat of a deal's twelve: its side's points in all points, rounded for the side that has more."""
        mine, theirs = points
        if mine == theirs:
            return [OF_A_DEAL // 2 for _ in self._seats]
        exact = Fraction(OF_A_DEAL * max(mine, theirs), mine + theirs)
        more = floor(exact + Fraction(1, 2))
        ahead = 0 if mine > theirs else 1
        return [more if self._side(seat) == ahead else OF_A_DEAL - more for seat in self._seats]

    def _match(self, event: MatchEnded) -> list[int]:
        if self._game not in EACH_FOR_HIMSELF:
            if event.outcome == "TIED":
                return [IF_TIED for _ in self._seats]
            return [TO_A_WINNER if self._side(seat) == event.winner else TO_A_LOSER for seat in self._seats]
        totals = self._deals[-1].won
        places = sorted(self._seats, key=lambda seat: totals[seat])
        prize = dict(zip(places, BY_PLACE[len(places)], strict=True))
        shared = {}
        for seat in self._seats:
            level = [other for other in self._seats if totals[other] == totals[seat]]
            shared[seat] = floor(Fraction(sum(prize[other] for other in level), len(level)))
        return [shared[seat] for seat in self._seats]

    def _abandoned(self, event_id: str, leaver: int) -> Iterator[tuple[Reason, Owed]]:
        yield (event_id, "PENALTY"), {f"player-{self._players[leaver]}": -FOR_LEAVING, "penalties": FOR_LEAVING}
        if self._deals_pay and len(self._deals) + 1 <= DEALS_THAT_PAY:
            others = [OF_A_DEAL if self._side(seat) != self._side(leaver) else 0 for seat in self._seats]
            yield (event_id, "DEAL"), self._from_pot(others)

    def _from_pot(self, amounts: Sequence[int]) -> Owed:
        owed = {f"player-{player}": amount for player, amount in zip(self._players, amounts, strict=True) if amount}
        return {**owed, "pot": -sum(amounts)}
