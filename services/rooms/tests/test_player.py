from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import PlayerRegistered, PlayerRenamed, PlayerView
from circolo_events.decider import PUBLIC
from circolo_events.testing.scenario import NOON, Scenario, given
from circolo_rooms.commands import ChangeName, Identify, RegisterPlayer
from circolo_rooms.player import PlayerDecider
from table_talk import ANNA, BRUNO, ROOMS

REGISTERED = PlayerRegistered(at=NOON, name_digest="d1", player=ANNA)


def anna(*events: PlayerRegistered | PlayerRenamed) -> Scenario:
    return given(PlayerDecider(), *events, stream=f"player-{ANNA}")


def test_a_guest_signs_in_once_and_the_event_has_no_name() -> None:
    signed_in = anna().when(RegisterPlayer("d1"), actor=ROOMS).then(REGISTERED)
    assert signed_in.decider.view(signed_in.state, PUBLIC) == PlayerView(player=ANNA, version=1)
    signed_in.when(RegisterPlayer("d2"), actor=ROOMS).then_refused(RefusalCode.NOT_ALLOWED)


def test_nobody_registers_himself_past_the_sign_in() -> None:
    anna().when(RegisterPlayer("d1"), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


def test_a_player_changes_his_own_name_only() -> None:
    anna(REGISTERED).when(ChangeName("d2"), actor=ANNA).then(PlayerRenamed("d2"))
    anna(REGISTERED).when(ChangeName("d2"), actor=BRUNO).then_refused(RefusalCode.NOT_ALLOWED)


def test_who_never_signed_in_is_told_to() -> None:
    for wish in (ChangeName("d2"), Identify()):
        anna().when(wish, actor=ANNA).then_refused(RefusalCode.UNAUTHENTICATED)


def test_asking_who_one_is_stores_nothing() -> None:
    anna(REGISTERED).when(Identify(), actor=ANNA).then_nothing()
    anna(REGISTERED).when(Identify(), actor=BRUNO).then_refused(RefusalCode.NOT_ALLOWED)
