"""Claims: which prize a ticket has, who shares it, what is refused and why. The cases of the vectors by their id."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from cartelle import ORDER, T1, T2, T3, VECTORS, WATCHER, A, B, C, D, seated, table
from circolo_contracts.cardgames import GameCancelled, MatchEnded, SeedRevealed, StopMatch
from circolo_contracts.evening import SupersedeGame
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import (
    PRIZES,
    ClaimAll,
    ClaimPrize,
    DrawNumber,
    PrizeAwarded,
    StartTombola,
    TombolaEvent,
)
from circolo_tombola.prizes import Completed, completed
from circolo_tombola.rehearsal import Rehearsal
from msgspec import UNSET

AMBO, TERNO, CINQUINA, TOMBOLA = (ClaimPrize(prize) for prize in ("AMBO", "TERNO", "CINQUINA", "TOMBOLA"))
ALL_OF_T1 = tuple(number for row in T1 for number in row)


def award(done: Sequence[TombolaEvent] | RefusalCode) -> PrizeAwarded:
    assert not isinstance(done, RefusalCode), done
    assert isinstance(done[0], PrizeAwarded)
    return done[0]


def test_party_C01_a_claims_the_ambo_of_his_first_row() -> None:
    won = award(table(drawn=3).play(A, AMBO))
    assert (won.row, won.winning_draw, won.seat, won.numbers) == (0, 3, 0, list(T1[0]))


def test_party_C02_one_number_of_a_row_is_no_ambo() -> None:
    assert table(drawn=2).play(A, AMBO) is RefusalCode.NOT_SATISFIED


def test_party_C03_who_had_it_by_the_winning_draw_shares_it_five_draws_later() -> None:
    game = table(drawn=3)
    award(game.play(A, AMBO))
    game.draw(5)
    won = award(game.play(B, AMBO))
    assert (won.seat, won.row, won.winning_draw) == (1, 0, 3)
    assert [winner.seat for winner in game.view().prizes[0].winners] == [0, 1]


def test_party_C04_who_has_it_by_a_later_draw_does_not() -> None:
    game = table(drawn=3)
    award(game.play(A, AMBO))
    game.draw(2)
    assert completed(T3, "AMBO", game.state.called) == Completed(5, 0)
    assert game.play(C, AMBO) is RefusalCode.NOT_ON_WINNING_DRAW


@pytest.mark.parametrize(("first", "second"), [(A, B), (B, A)])
def test_party_C05_where_the_first_claim_takes_it_there_is_one_winner_and_never_none(first: str, second: str) -> None:
    game = table(drawn=3, claimRule="FIRST_CLAIM")
    award(game.play(first, AMBO))
    assert game.play(second, AMBO) is RefusalCode.PRIZE_TAKEN


def test_party_C06_a_prize_is_yours_once() -> None:
    game = table(drawn=3)
    award(game.play(A, AMBO))
    before = len(game.events)
    assert game.play(A, AMBO) is RefusalCode.ALREADY_WON_BY_YOU
    assert len(game.events) == before


def test_party_C09_a_terno_may_be_claimed_before_anybodys_ambo() -> None:
    game = table(drawn=6)
    assert award(game.play(A, TERNO)).winning_draw == 6
    assert game.view().prizes[0].winning_draw is UNSET
    assert award(game.play(C, AMBO)).winning_draw == 5, "the ambo is still open"


def test_party_C13_a_cinquina_is_a_whole_row() -> None:
    won = award(table(drawn=8).play(A, CINQUINA))
    assert (won.row, won.winning_draw) == (0, 8)


def test_party_C16_columns_do_not_count() -> None:
    assert table(order=(23, 28), drawn=2).play(B, AMBO) is RefusalCode.NOT_SATISFIED


def test_party_C19_the_tombola_ends_the_game_once() -> None:
    game = table(order=ALL_OF_T1, drawn=15)
    done = game.play(A, TOMBOLA)
    assert not isinstance(done, RefusalCode)
    assert [type(event) for event in done] == [PrizeAwarded, MatchEnded, SeedRevealed]
    assert (award(done).row, award(done).numbers, award(done).winning_draw) == (UNSET, sorted(ALL_OF_T1), 15)
    assert (game.view().status, game.view().result.winner) == ("ENDED", 0)  # type: ignore[union-attr]
    assert game.play(A, DrawNumber()) is RefusalCode.GAME_NOT_RUNNING


def test_party_C21_a_co_winner_of_the_tombola_may_claim_after_the_end() -> None:
    game = table([T1, T2, T3, T1], order=ALL_OF_T1, drawn=15)
    game.play(A, TOMBOLA)
    done = game.play(D, TOMBOLA)
    assert not isinstance(done, RefusalCode)
    assert [type(event) for event in done] == [PrizeAwarded], "the end is not repeated"
    assert sum(isinstance(event, MatchEnded) for event in game.events) == 1
    assert game.view().result.winner == 0  # type: ignore[union-attr]


def test_party_C23_the_last_number_of_row_and_ticket_gives_both_the_cinquina_first() -> None:
    order = (*T1[0], *T1[1], 9, 18, 44, 79, 90)
    game = table([T1, T2], order=order, drawn=14, claimRule="FIRST_CLAIM")
    for prize in ("AMBO", "TERNO", "QUATERNA"):
        award(game.play(A, ClaimPrize(prize)))  # type: ignore[arg-type]
    game.draw()
    done = game.play(A, ClaimAll())
    assert not isinstance(done, RefusalCode)
    assert [event.prize for event in done if isinstance(event, PrizeAwarded)] == ["CINQUINA", "TOMBOLA"]
    assert isinstance(done[-1], SeedRevealed)


def test_party_C24_who_only_watches_has_no_ticket() -> None:
    game = table(drawn=3)
    for claim in (AMBO, ClaimAll()):
        assert game.play(WATCHER, claim) is RefusalCode.NO_TICKET
        assert game.play("", claim) is RefusalCode.NO_TICKET


def test_party_C25_the_hosts_ticket_wins_like_any_other() -> None:
    game = table(drawn=3)
    assert game.state.host == A
    award(game.play(A, AMBO))


def test_every_claim_of_the_vectors_is_a_test_here_or_in_its_place() -> None:
    elsewhere = {"C07": "test_service", "C26": "test_service", "C27": "test_calling"}
    here = {name.split("_")[2] for name in globals() if name.startswith("test_party_C")}
    assert {case for case in VECTORS if case.startswith("C")} == here | set(elsewhere)


# ---------------------------------------------------------------- the rules between them


@pytest.mark.parametrize(("prize", "draw"), [("AMBO", 3), ("TERNO", 6), ("QUATERNA", 7), ("CINQUINA", 8)])
def test_the_winning_draw_is_the_one_that_completed_it_however_late_the_claim(prize: str, draw: int) -> None:
    game = table(drawn=15)
    assert award(game.play(A, ClaimPrize(prize))).winning_draw == draw  # type: ignore[arg-type]


def test_more_numbers_than_needed_are_as_good_bug_1() -> None:
    assert award(table(drawn=7).play(A, AMBO)).winning_draw == 3


def test_three_tickets_on_one_draw_all_get_it_bug_6() -> None:
    game = table([T1, T1, T1], drawn=3)
    for player in (A, B, C):
        assert award(game.play(player, AMBO)).winning_draw == 3
    assert len(game.view().prizes[0].winners) == 3


def test_a_second_claimant_may_come_after_five_more_draws_bug_8() -> None:
    game = table([T1, T1], drawn=3)
    award(game.play(A, AMBO))
    game.draw(5)
    award(game.play(B, AMBO))


def test_a_valid_claim_that_comes_after_the_next_call_is_still_valid() -> None:
    game = table(drawn=3)
    game.draw()
    assert award(game.play(A, AMBO)).winning_draw == 3
    assert award(game.play(B, AMBO)).winning_draw == 3


def test_of_two_rows_the_one_that_had_it_first_is_named_and_the_upper_one_on_a_tie() -> None:
    assert completed(T1, "AMBO", [12, 4, 37, 23]) == Completed(3, 1)
    assert completed(T1, "AMBO", [4, 12, 23, 37]) == Completed(3, 0)
    assert completed(T1, "AMBO", [4]) is None


def test_the_same_row_may_win_prize_after_prize() -> None:
    game = table(drawn=8)
    done = game.play(A, ClaimAll())
    assert not isinstance(done, RefusalCode)
    assert [(event.prize, event.row, event.winning_draw) for event in done if isinstance(event, PrizeAwarded)] == [
        ("AMBO", 0, 3), ("TERNO", 0, 6), ("QUATERNA", 0, 7), ("CINQUINA", 0, 8),
    ]  # fmt: skip


def test_what_nobody_had_won_lapses_with_the_tombola_and_what_was_won_may_be_shared() -> None:
    """Decision 13."""
    game = table([T1, T2, T1], order=ALL_OF_T1, drawn=15)
    award(game.play(A, AMBO))
    award(game.play(A, TOMBOLA))
    assert game.play(A, TERNO) is RefusalCode.GAME_ENDED
    assert game.play(B, CINQUINA) is RefusalCode.GAME_ENDED, "whether or not the ticket has it"
    assert award(game.play(C, AMBO)).winning_draw == 2
    assert game.play(B, AMBO) is RefusalCode.NOT_ON_WINNING_DRAW


def test_after_the_hosts_end_too_a_prize_that_was_won_stays_open_to_its_co_winners() -> None:
    game = table(drawn=3)
    award(game.play(A, AMBO))
    game.house(StopMatch())
    assert game.view().result.outcome == "STOPPED"  # type: ignore[union-attr]
    award(game.play(B, AMBO))
    assert game.play(B, TERNO) is RefusalCode.GAME_ENDED


def test_where_the_first_claim_takes_it_it_is_taken_after_the_end_too() -> None:
    game = table([T1, T1], order=ALL_OF_T1, drawn=15, claimRule="FIRST_CLAIM")
    game.play(A, TOMBOLA)
    assert game.play(B, TOMBOLA) is RefusalCode.PRIZE_TAKEN


def test_when_the_room_plays_another_game_nothing_can_be_claimed_in_this_one() -> None:
    game = table([T1, T1], order=ALL_OF_T1, drawn=15)
    game.play(A, TOMBOLA)
    game.house(SupersedeGame("5" * 32))
    assert game.view().superseded
    for claim in (TOMBOLA, ClaimAll()):
        assert game.play(B, claim) is RefusalCode.STALE_GAME
        assert game.play(WATCHER, claim) is RefusalCode.NO_TICKET


def test_a_game_that_runs_is_not_superseded_and_none_is_twice() -> None:
    game = table()
    assert game.house(SupersedeGame("5" * 32)) == []
    game.house(StopMatch())
    assert len(game.house(SupersedeGame("5" * 32))) == 1
    assert game.house(SupersedeGame("6" * 32)) == []


@pytest.mark.parametrize(
    ("drawn", "who", "code"),
    [
        (2, A, RefusalCode.NOT_SATISFIED),
        (8, B, RefusalCode.ALREADY_WON_BY_YOU),
        (5, C, RefusalCode.NOT_ON_WINNING_DRAW),
    ],
)
def test_claim_all_says_why_the_lowest_open_prize_was_refused(drawn: int, who: str, code: RefusalCode) -> None:
    game = table(drawn=drawn)
    if who != A:
        award(game.play(A, AMBO))
        game.play(B, ClaimAll())
    expected = RefusalCode.NOT_SATISFIED if code is RefusalCode.ALREADY_WON_BY_YOU else code
    assert game.play(who, ClaimAll()) is expected


def test_claim_all_of_who_has_everything_says_that_it_is_his() -> None:
    game = table([T1], order=ALL_OF_T1, drawn=15)
    game.play(A, ClaimAll())
    assert game.play(A, ClaimAll()) is RefusalCode.ALREADY_WON_BY_YOU


def test_alone_one_wins_all_five_one_after_the_other() -> None:
    game = seated(1, seed_no=3)
    player, won = game.state.host, []
    while game.state.is_running:
        game.draw()
        done = game.play(player, ClaimAll())
        if not isinstance(done, RefusalCode):
            won += [event.prize for event in done if isinstance(event, PrizeAwarded)]
    assert won == list(PRIZES)


def test_with_all_ninety_called_and_nobody_speaking_the_first_tombola_ends_it() -> None:
    game = seated(24, seed_no=5)
    game.draw(90)
    assert game.view().status == "RUNNING"
    last = award(game.play(game.state.seats[23].player, TOMBOLA))  # type: ignore[arg-type]
    assert last.winning_draw <= 90
    assert game.view().status == "ENDED"


@pytest.mark.parametrize("players", [1, 2, 7, 24])
def test_exactly_as_many_tickets_as_people_bug_2(players: int) -> None:
    game = seated(players)
    assert sum(ticket is not None for ticket in game.state.tickets) == players


def test_a_game_that_never_started_has_no_tickets() -> None:
    game = Rehearsal([None], {}, seed=b"x" * 32)
    (cancelled,) = game.events
    assert isinstance(cancelled, GameCancelled)
    assert cancelled.reason == "SEATS_EMPTY"
    assert game.play(A, AMBO) is RefusalCode.NO_TICKET
    assert game.play(A, DrawNumber()) is RefusalCode.NOT_HOST
    start = StartTombola("TOMBOLA", 1, A, "8" * 32, [], {})
    assert game.play(A, start) is RefusalCode.NOT_ALLOWED
    assert ORDER[:3] == (4, 2, 23)
