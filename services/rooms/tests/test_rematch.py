"""Rematches without end: the head invites, every seat accepts, the seats stay, the deal goes round."""

from __future__ import annotations

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rematch import (
    AcceptRematch,
    OfferRematch,
    RematchAccepted,
    RematchOffered,
    RematchView,
    RematchWithdrawn,
    WithdrawRematch,
)
from circolo_contracts.rooms import (
    AddCpu,
    ChangeSettings,
    CpuSeated,
    FinishGame,
    GameFinished,
    GameRequested,
    HandOverHost,
    LeaveRoom,
    PlayerLeft,
    RemoveCpu,
    RoomClosed,
    RoomEvent,
    SeatOccupant,
    SeatTaken,
    StartGame,
    TakeSeat,
)
from circolo_events.decider import PUBLIC
from circolo_events.testing.scenario import NOON, Scenario
from msgspec import UNSET
from msgspec.structs import replace
from table_talk import (
    ANNA,
    BRUNO,
    CARLA,
    DARIO,
    ELENA,
    GAME_ID,
    ROOMS,
    at_seats,
    begun,
    came,
    join,
    opened,
    ranked,
    room,
)

FOUR = (ranked(4), came(BRUNO, 1), came(CARLA, 2), came(DARIO, 3), came(ELENA))
PLAYED: tuple[RoomEvent, ...] = (
    *FOUR,
    replace(begun(ANNA, BRUNO, CARLA, DARIO), ranked=True),
    GameFinished(at=NOON, game_id=GAME_ID, outcome="WON", next_dealer=3),
)
OFFERED = RematchOffered(at=NOON, game_id=GAME_ID, player=ANNA)
FRIENDLY = (opened(2), came(BRUNO, 1), begun(ANNA, BRUNO), GameFinished(at=NOON, game_id=GAME_ID, outcome="WON"))


def yes(player: str) -> RematchAccepted:
    return RematchAccepted(at=NOON, player=player)


def seen(table: Scenario) -> object:
    return table.decider.view(table.state, PUBLIC).rematch  # type: ignore[attr-defined]


def begins(table: Scenario) -> GameRequested:
    """The game that the last decision starts."""
    assert isinstance(table.decided, list), table.decided
    requested = table.decided[-1]
    assert isinstance(requested, GameRequested)
    table.go_on()
    return requested


def test_when_every_seat_has_accepted_the_last_yes_starts_the_game() -> None:
    table = room(*PLAYED).when(OfferRematch(), actor=ANNA).then(OFFERED)
    table.when(AcceptRematch(), actor=DARIO).then(yes(DARIO)).when(AcceptRematch(), actor=BRUNO).then(yes(BRUNO))
    assert seen(table) == RematchView(accepted=[ANNA, DARIO, BRUNO], offered_by=ANNA)
    table.when(AcceptRematch(), actor=CARLA)
    requested = begins(table)
    assert [seat.player for seat in requested.seats] == [ANNA, BRUNO, CARLA, DARIO], "the seats stay"
    assert (requested.game_no, requested.dealer, requested.ranked) == (2, 3, True), "the deal goes round"
    assert requested.game_id != GAME_ID
    assert (table.state.phase, seen(table)) == ("PLAYING", UNSET)


def test_rematches_go_on_without_end_and_each_carries_the_dealer_of_the_last() -> None:
    table = room(*PLAYED)
    for number in range(2, 12):
        table.when(OfferRematch(), actor=ANNA, now=NOON + number).go_on()
        for player in (BRUNO, CARLA):
            table.when(AcceptRematch(), actor=player).go_on()
        requested = begins(table.when(AcceptRematch(), actor=DARIO, entropy=number.to_bytes(32, "little")))
        assert (requested.game_no, requested.dealer) == (number, (number + 1) % 4)
        finish = FinishGame(game_id=requested.game_id, idle=False, outcome="WON", next_dealer=requested.dealer + 1)  # type: ignore[operator]
        table.when(finish, actor=ROOMS).go_on()


def test_two_invitations_at_once_make_one_rematch() -> None:
    table = room(*PLAYED).when(OfferRematch(), actor=ANNA).then(OFFERED)
    table.when(OfferRematch(), actor=ANNA).then_nothing()
    for player in (BRUNO, CARLA):
        table.when(AcceptRematch(), actor=player).go_on()
    begins(table.when(AcceptRematch(), actor=DARIO))
    for late in (OfferRematch(), WithdrawRematch(), AcceptRematch()):
        table.when(late, actor=ANNA).then_refused(RefusalCode.GAME_STARTED)


def test_a_new_head_who_invites_too_says_yes_to_the_open_invitation() -> None:
    table = room(*PLAYED, OFFERED).when(HandOverHost(BRUNO), actor=ANNA).go_on()
    table.when(OfferRematch(), actor=BRUNO).then(yes(BRUNO))
    assert seen(table) == RematchView(accepted=[ANNA, BRUNO], offered_by=ANNA)


def test_a_yes_is_given_once() -> None:
    room(*PLAYED, OFFERED, yes(BRUNO)).when(AcceptRematch(), actor=BRUNO).then_nothing()


def test_only_the_head_invites() -> None:
    room(*PLAYED).when(OfferRematch(), actor=BRUNO).then_refused(RefusalCode.NOT_HOST)
    room(*PLAYED).when(OfferRematch(), actor="9" * 32).then_refused(RefusalCode.NOT_IN_ROOM)


def test_a_head_who_does_not_sit_invites_the_others_and_counts_for_nothing() -> None:
    table = room(*PLAYED).when(HandOverHost(ELENA), actor=ANNA).go_on().when(OfferRematch(), actor=ELENA).go_on()
    assert seen(table) == RematchView(accepted=[], offered_by=ELENA)
    table.when(OfferRematch(), actor=ELENA).then_nothing()
    for player in (ANNA, BRUNO, CARLA):
        table.when(AcceptRematch(), actor=player).go_on()
    begins(table.when(AcceptRematch(), actor=DARIO))


def test_who_only_watches_has_nothing_to_accept() -> None:
    room(*PLAYED, OFFERED).when(AcceptRematch(), actor=ELENA).then_refused(RefusalCode.NOT_IN_GAME)


def test_without_an_invitation_there_is_nothing_to_accept_or_withdraw() -> None:
    room(*PLAYED).when(AcceptRematch(), actor=BRUNO).then_refused(RefusalCode.NOT_OFFERED)
    room(*PLAYED).when(WithdrawRematch(), actor=ANNA).then_refused(RefusalCode.NOT_OFFERED)


def test_before_the_first_game_there_is_nothing_to_play_again() -> None:
    room(*FOUR).when(OfferRematch(), actor=ANNA).then_refused(RefusalCode.NO_REMATCH)
    room(*PLAYED[:-1]).when(OfferRematch(), actor=ANNA).then_refused(RefusalCode.GAME_STARTED)


def test_a_game_that_never_started_is_not_played_again() -> None:
    cancelled = GameFinished(at=NOON, game_id=GAME_ID, outcome="CANCELLED")
    table = room(*PLAYED[:-1], cancelled)
    table.when(OfferRematch(), actor=ANNA).then_refused(RefusalCode.NO_REMATCH)
    table.when(StartGame(), actor=ANNA)
    begins(table)


def test_the_head_takes_the_invitation_back_and_may_invite_anew() -> None:
    table = room(*PLAYED, OFFERED, yes(BRUNO)).when(WithdrawRematch(), actor=ANNA)
    table.then(RematchWithdrawn(at=NOON, player=ANNA))
    assert seen(table) is UNSET
    table.when(AcceptRematch(), actor=CARLA).then_refused(RefusalCode.NOT_OFFERED)
    table.when(OfferRematch(), actor=ANNA).then(OFFERED)
    assert seen(table) == RematchView(accepted=[ANNA], offered_by=ANNA), "the yes to the first one counts no more"


def test_who_said_yes_may_take_it_back_until_the_last_yes() -> None:
    table = room(*PLAYED, OFFERED, yes(BRUNO), yes(CARLA)).when(WithdrawRematch(), actor=BRUNO)
    table.then(RematchWithdrawn(at=NOON, player=BRUNO))
    assert seen(table) == RematchView(accepted=[ANNA, CARLA], offered_by=ANNA)
    table.when(AcceptRematch(), actor=DARIO).then(yes(DARIO))
    begins(table.when(AcceptRematch(), actor=BRUNO))


def test_who_said_nothing_has_nothing_to_take_back() -> None:
    room(*PLAYED, OFFERED).when(WithdrawRematch(), actor=BRUNO).then_nothing()


def test_the_old_head_may_still_take_back_what_he_offered() -> None:
    table = room(*PLAYED, OFFERED).when(HandOverHost(BRUNO), actor=ANNA).go_on()
    table.when(WithdrawRematch(), actor=ANNA).then(RematchWithdrawn(at=NOON, player=ANNA))
    assert seen(table) is UNSET


def test_the_series_ends_when_somebody_leaves_and_nobody_has_abandoned_anything() -> None:
    table = room(*PLAYED, OFFERED, yes(CARLA)).when(LeaveRoom(), actor=BRUNO)
    table.then(PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO))
    assert (seen(table), table.state.again) == (UNSET, False)
    table.when(join(), actor=BRUNO).go_on()
    assert at_seats(table) == [ANNA, BRUNO, CARLA, DARIO]
    table.when(AcceptRematch(), actor=BRUNO).then_refused(RefusalCode.NOT_OFFERED)
    table.when(OfferRematch(), actor=ANNA).then_refused(RefusalCode.NO_REMATCH)
    table.when(StartGame(), actor=ANNA)
    assert begins(table).dealer == 3, "a new game of the same evening"


def test_a_spectator_who_leaves_ends_no_series() -> None:
    table = room(*PLAYED, OFFERED).when(LeaveRoom(), actor=ELENA).go_on()
    assert table.state.again
    assert seen(table) == RematchView(accepted=[ANNA], offered_by=ANNA)


def test_the_last_yes_and_a_leaver_in_the_same_millisecond_are_one_of_two_things() -> None:
    ready = (*PLAYED, OFFERED, yes(BRUNO), yes(CARLA))
    table = room(*ready).when(LeaveRoom(), actor=BRUNO).go_on()
    table.when(AcceptRematch(), actor=DARIO).then_refused(RefusalCode.NOT_OFFERED)
    table = room(*ready).when(AcceptRematch(), actor=DARIO)
    game = begins(table).game_id
    table.when(LeaveRoom(), actor=BRUNO).then(PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO, game_id=game))


@pytest.mark.parametrize(
    ("wish", "actor"),
    [
        (ChangeSettings("BRISCOLA", {"bestOf": 3}), ANNA),
        (ChangeSettings("SCOPA", {}), ANNA),
        (RemoveCpu(2), ANNA),
        (AddCpu("HARD", 2), ANNA),
        (TakeSeat(3), BRUNO),
    ],
)
def test_another_table_is_no_table_for_a_rematch(wish: object, actor: str) -> None:
    seats = [SeatOccupant(player=ANNA), SeatOccupant(player=BRUNO), *[SeatOccupant(cpu="EASY")] * 2]
    cpus = [CpuSeated(at=NOON, level="EASY", seat=seat) for seat in (2, 3)]
    over = GameFinished(at=NOON, game_id=GAME_ID, outcome="WON")
    table = room(opened(4), came(BRUNO, 1), *cpus, replace(begun(ANNA, BRUNO), seats=seats), over, OFFERED)
    if isinstance(wish, TakeSeat):
        table.when(RemoveCpu(3), actor=ANNA).go_on()
    table.when(wish, actor=actor).go_on()  # type: ignore[arg-type]
    assert (table.state.again, seen(table)) == (False, UNSET)
    table.when(OfferRematch(), actor=ANNA).then_refused(RefusalCode.NO_REMATCH)


def test_settings_that_change_nothing_leave_the_invitation_open() -> None:
    table = room(*PLAYED, OFFERED).when(ChangeSettings("BRISCOLA", {}), actor=ANNA).then_nothing()
    assert table.state.invitation is not None


def test_a_friendly_table_may_play_rematches_or_simply_start() -> None:
    table = room(*FRIENDLY).when(OfferRematch(), actor=ANNA).then(OFFERED)
    begins(table.when(AcceptRematch(), actor=BRUNO))
    begins(room(*FRIENDLY).when(StartGame(), actor=ANNA))


def test_starting_at_a_friendly_table_makes_the_invitation_void() -> None:
    table = room(*FRIENDLY, OFFERED).when(StartGame(), actor=ANNA)
    begins(table)
    assert table.state.invitation is None


def test_cpus_accept_by_themselves() -> None:
    seats = [SeatOccupant(player=ANNA), SeatOccupant(cpu="HARD")]
    over = GameFinished(at=NOON, game_id=GAME_ID, outcome="WON", next_dealer=1)
    table = room(opened(2), CpuSeated(at=NOON, level="HARD", seat=1), replace(begun(ANNA), seats=seats), over)
    decided = table.when(OfferRematch(), actor=ANNA).decided
    assert isinstance(decided, list)
    assert decided[0] == OFFERED
    assert begins(table).seats == seats


def test_nobody_at_a_ranked_table_is_drawn_into_a_rematch_by_the_head_alone() -> None:
    room(*PLAYED).when(StartGame(), actor=ANNA).then_refused(RefusalCode.REMATCH_ONLY)
    newcomer = (SeatTaken(at=NOON, player=ELENA, seat=1),)
    left = PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO)
    table = room(*PLAYED, left, *newcomer).when(StartGame(), actor=ANNA)
    assert [seat.player for seat in begins(table).seats] == [ANNA, ELENA, CARLA, DARIO]


def test_a_friendly_game_that_somebody_left_for_good_is_not_played_again() -> None:
    away = room(*FRIENDLY[:3]).when(LeaveRoom(), actor=BRUNO).go_on()
    away.when(FinishGame(game_id=GAME_ID, idle=False, outcome="WON"), actor=ROOMS).go_on()
    away.when(join(), actor=BRUNO).go_on().when(OfferRematch(), actor=ANNA).then_refused(RefusalCode.NO_REMATCH)


def test_who_came_back_to_his_seat_before_the_end_plays_the_rematch() -> None:
    back = room(*FRIENDLY[:3]).when(LeaveRoom(), actor=BRUNO).go_on().when(join(), actor=BRUNO).go_on()
    back.when(FinishGame(game_id=GAME_ID, idle=False, outcome="WON"), actor=ROOMS).go_on()
    back.when(OfferRematch(), actor=ANNA).then(OFFERED)


def test_backend_E1_what_was_refused_changes_neither_the_dealer_nor_the_seats_of_the_rematch() -> None:
    table = room(*PLAYED)
    for wish, actor in ((StartGame(), ANNA), (AddCpu("EASY", 1), ANNA), (TakeSeat(7), BRUNO), (OfferRematch(), CARLA)):
        table.when(wish, actor=actor).then_refused(table.decided.code)  # type: ignore[union-attr]
    table.when(OfferRematch(), actor=ANNA).go_on()
    for player in (BRUNO, CARLA):
        table.when(AcceptRematch(), actor=player).go_on()
    requested = begins(table.when(AcceptRematch(), actor=DARIO))
    assert (requested.dealer, [seat.player for seat in requested.seats]) == (3, [ANNA, BRUNO, CARLA, DARIO])


def test_a_room_that_closed_has_no_rematch() -> None:
    closed = room(*PLAYED, OFFERED, RoomClosed(at=NOON, code="ABC234", reason="EXPIRED"))
    closed.when(AcceptRematch(), actor=BRUNO).then_refused(RefusalCode.ROOM_CLOSED)
