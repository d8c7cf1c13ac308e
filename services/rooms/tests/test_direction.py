"""Roles, warnings, mutes, bans, reports and being forgotten: what the deciders say."""

from __future__ import annotations

from typing import Any

import pytest
from circolo_contracts.direction import (
    LONGEST_SANCTION_MS,
    FrozenLine,
    GrantRole,
    PlayerBanned,
    PlayerErased,
    PlayerMuted,
    PlayerWarned,
    ReportClosed,
    ReportFiled,
    ReportReceipt,
    RevokeRole,
    RoleGranted,
    RoleRevoked,
)
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import HostChanged, PlayerLeft, PlayerRegistered, PlayerView, RoomClosed
from circolo_contracts.wire import Actor
from circolo_events.decider import PUBLIC
from circolo_events.reaction import Send
from circolo_events.store import Recorded
from circolo_events.testing.scenario import NOON, Scenario, given
from circolo_rooms.commands import ChangeName, Identify
from circolo_rooms.direction.commands import Ban, CloseReport, Erase, FileReport, Mute, PutOut, ShowOut, Warn
from circolo_rooms.direction.consequences import on_decision
from circolo_rooms.direction.report import ReportDecider
from circolo_rooms.direction.sanctions import cursor_of
from circolo_rooms.player import OWN, PlayerDecider
from table_talk import ANNA, BRUNO, CARLA, CODE, GAME_ID, ROOM, ROOMS, begun, came, opened, ranked, room

CONSOLE = Actor("service", "console")
REPORT = "5" * 32
LATER = NOON + 3_600_000
REGISTERED = PlayerRegistered(at=NOON, name_digest="d", player=ANNA)
BANNED = PlayerBanned(at=NOON, by=CARLA, epoch=1, reason="CHEATING", until=LATER)
ERASED = PlayerErased(at=NOON, epoch=1)


def anna(*events: Any) -> Scenario:
    return given(PlayerDecider(), REGISTERED, *events, stream=f"player-{ANNA}")


def report(*events: Any) -> Scenario:
    return given(ReportDecider(), *events, stream=f"report-{REPORT}")


# ---- roles


def test_a_role_is_granted_by_a_service_once_and_taken_away_with_the_tokens_that_name_it() -> None:
    operator = (
        anna().when(GrantRole("OPERATOR"), actor=CONSOLE).then(RoleGranted(at=NOON, by="console", role="OPERATOR"))
    )
    assert operator.state.directs(NOON)
    operator.when(GrantRole("OPERATOR"), actor=CONSOLE).then_nothing()
    taken = operator.when(RevokeRole("OPERATOR"), actor=CONSOLE)
    taken.then(RoleRevoked(at=NOON, by="console", epoch=1, role="OPERATOR"))
    assert (taken.state.directs(NOON), taken.state.epoch, taken.state.roles) == (False, 1, ())
    taken.when(RevokeRole("OPERATOR"), actor=CONSOLE).then_nothing()


def test_nobody_grants_himself_a_role() -> None:
    for actor in (ANNA, BRUNO, Actor("cpu", "1")):
        anna().when(GrantRole("OPERATOR"), actor=actor).then_refused(RefusalCode.NOT_ALLOWED)


def test_a_role_is_for_somebody_who_exists() -> None:
    nobody = given(PlayerDecider(), stream=f"player-{ANNA}")
    nobody.when(GrantRole("ANALYST"), actor=CONSOLE).then_refused(RefusalCode.NOT_FOUND)
    anna(ERASED).when(GrantRole("ANALYST"), actor=CONSOLE).then_refused(RefusalCode.NOT_FOUND)


def test_an_operator_who_is_banned_directs_nothing_till_it_is_over() -> None:
    state = anna(RoleGranted(at=NOON, by="console", role="OPERATOR"), BANNED).state
    assert not state.directs(LATER - 1)
    assert state.directs(LATER)


# ---- warned, muted, banned


def test_each_decision_says_who_when_and_why() -> None:
    scene = anna().when(Warn(CARLA, "INSULTS", REPORT), actor=ROOMS)
    scene.then(PlayerWarned(at=NOON, by=CARLA, reason="INSULTS", report=REPORT))
    scene.when(Mute(CARLA, "BLASPHEMY", LATER), actor=ROOMS)
    scene.then(PlayerMuted(at=NOON, by=CARLA, reason="BLASPHEMY", until=LATER))
    scene.when(Ban(CARLA, "CHEATING", LATER), actor=ROOMS).then(BANNED)
    assert (scene.state.warnings, scene.state.epoch) == (1, 1)


@pytest.mark.parametrize("sanction", [Mute, Ban])
@pytest.mark.parametrize("until", [NOON, NOON - 1, 0, NOON + LONGEST_SANCTION_MS + 1])
def test_a_sanction_ends_after_now_and_within_ten_years(sanction: Any, until: int) -> None:
    anna().when(sanction(CARLA, "OTHER", until), actor=ROOMS).then_refused(RefusalCode.MALFORMED, "until")


@pytest.mark.parametrize("until", [NOON + 1, NOON + LONGEST_SANCTION_MS])
def test_a_ban_holds_until_its_end_and_not_at_it(until: int) -> None:
    state = anna().when(Ban(CARLA, "OTHER", until), actor=ROOMS).go_on().state
    assert (state.is_banned(until - 1), state.is_banned(until)) == (True, False)
    muted = anna().when(Mute(CARLA, "OTHER", until), actor=ROOMS).go_on().state
    assert (muted.is_muted(until - 1), muted.is_muted(until)) == (True, False)


def test_every_ban_raises_the_epoch_and_a_later_one_may_end_earlier() -> None:
    scene = anna(BANNED).when(Ban(CARLA, "OTHER", NOON + 5), actor=ROOMS).go_on()
    assert (scene.state.epoch, scene.state.banned_until) == (2, NOON + 5)


def test_nobody_judges_himself_and_nobody_sends_a_sanction_past_the_direction() -> None:
    anna().when(Warn(ANNA, "OTHER"), actor=ROOMS).then_refused(RefusalCode.NOT_ALLOWED)
    for order in (Warn(CARLA, "OTHER"), Mute(CARLA, "OTHER", LATER), Ban(CARLA, "OTHER", LATER)):
        anna().when(order, actor=CARLA).then_refused(RefusalCode.NOT_ALLOWED)


def test_only_the_player_himself_sees_what_was_decided_about_him() -> None:
    scene = anna(RoleGranted(at=NOON, by="console", role="ANALYST"), BANNED)
    view, decider = scene.decider.view, scene.decider
    assert view(scene.state, PUBLIC) == PlayerView(player=ANNA, version=3)
    own = PlayerView(player=ANNA, version=3, banned_until=LATER, roles=["ANALYST"], warnings=0)
    assert view(scene.state, OWN) == own
    assert [decider.viewer(scene.state, who) for who in (ANNA, BRUNO, "")] == [OWN, PUBLIC, PUBLIC]


# ---- being forgotten


def test_who_is_erased_is_nobody_any_more_and_asking_twice_is_no_mistake() -> None:
    gone = anna(RoleGranted(at=NOON, by="console", role="OPERATOR")).when(Erase(), actor=ANNA).then(ERASED)
    assert (gone.state.erased, gone.state.roles, gone.state.name_digest, gone.state.epoch) == (True, (), "", 1)
    assert gone.decider.view(gone.state, PUBLIC).erased
    gone.when(Erase(), actor=ANNA).then_nothing()
    for wish in (ChangeName("d2"), Identify()):
        gone.when(wish, actor=ANNA).then_refused(RefusalCode.UNAUTHENTICATED)
    gone.when(Ban(CARLA, "OTHER", LATER), actor=ROOMS).then_refused(RefusalCode.NOT_FOUND)


def test_nobody_is_erased_by_somebody_else() -> None:
    for actor in (BRUNO, ROOMS):
        anna().when(Erase(), actor=actor).then_refused(RefusalCode.NOT_ALLOWED)


# ---- leaving rooms by it


def test_who_is_banned_leaves_a_ranked_table_and_that_is_an_abandonment() -> None:
    table = room(ranked(), came(BRUNO, 1), begun(ANNA, BRUNO)).when(ShowOut(ANNA, ranked_only=True), actor=ROOMS)
    left = PlayerLeft(at=NOON, keeps_seat=False, player=ANNA, game_id=GAME_ID)
    table.then(left, HostChanged(at=NOON, player=BRUNO))


def test_who_is_banned_stays_at_a_friendly_table_and_who_is_erased_does_not() -> None:
    table = room(opened(), came(BRUNO, 1))
    table.when(ShowOut(BRUNO, ranked_only=True), actor=ROOMS).then_nothing()
    table.when(ShowOut(BRUNO, ranked_only=False), actor=ROOMS)
    table.then(PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO))
    table.when(ShowOut(BRUNO, ranked_only=False), actor=ROOMS).then_nothing()
    table.when(ShowOut(ANNA, ranked_only=False), actor=ROOMS)
    left = PlayerLeft(at=NOON, keeps_seat=False, player=ANNA)
    table.then(left, RoomClosed(at=NOON, code=CODE, reason="EMPTY"))
    table.when(ShowOut(CARLA, ranked_only=False), actor=ROOMS).then_nothing()


def test_no_player_shows_another_out() -> None:
    room(opened(), came(BRUNO, 1)).when(ShowOut(BRUNO, False), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


# ---- reports


FILING = FileReport(
    messages=[FrozenLine(at=NOON, channel="ROOM", digest="d", message_id="4" * 32, player=BRUNO)], player=BRUNO,
    reason="PLAY_DECLARATION", room=ROOM, game_id=GAME_ID, game_version=7, position_digest="p",
)  # fmt: skip
FILED = ReportFiled(
    at=NOON, messages=FILING.messages, player=BRUNO, reason="PLAY_DECLARATION", report=REPORT, reporter=ANNA, room=ROOM,
    game_id=GAME_ID, game_version=7, position_digest="p",
)  # fmt: skip


def test_a_report_is_filed_once_with_what_was_frozen() -> None:
    scene = report().when(FILING, actor=ANNA).then(FILED)
    assert scene.decider.view(scene.state, PUBLIC) == ReportReceipt(report=REPORT, version=1)
    scene.when(FILING, actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)
    report().when(FILING, actor=ROOMS).then_refused(RefusalCode.NOT_ALLOWED)


def test_a_report_is_closed_once() -> None:
    scene = report(FILED).when(CloseReport(CARLA, "MUTED", LATER), actor=ROOMS)
    scene.then(ReportClosed(at=NOON, by=CARLA, verdict="MUTED", until=LATER))
    scene.when(CloseReport(CARLA, "BANNED", LATER), actor=ROOMS).then_nothing()
    scene.when(CloseReport(CARLA, "DISMISSED"), actor=ROOMS).then_refused(RefusalCode.REPORT_CLOSED)


def test_only_rooms_itself_closes_a_report_and_only_one_that_there_is() -> None:
    report(FILED).when(CloseReport(CARLA, "DISMISSED"), actor=CARLA).then_refused(RefusalCode.NOT_ALLOWED)
    report().when(CloseReport(CARLA, "DISMISSED"), actor=ROOMS).then_refused(RefusalCode.NOT_FOUND)


def follows(event: Any) -> list[Send]:
    stream = f"player-{ANNA}"
    recorded = Recorded(0, 1, stream, 1, "4" * 32, "6" * 32, 0, 1, type(event).__name__, 1, b"", b"", NOON)
    return list(on_decision(recorded, event))


def test_a_decision_closes_the_report_that_it_names_and_a_ban_puts_him_out() -> None:
    closing = Send("rooms", f"report-{REPORT}", CloseReport(CARLA, "WARNED"), "close")
    assert follows(PlayerWarned(at=NOON, by=CARLA, reason="OTHER", report=REPORT)) == [closing]
    assert follows(PlayerMuted(at=NOON, by=CARLA, reason="OTHER", until=LATER)) == []
    assert follows(BANNED) == [Send("rooms", f"player-{ANNA}", PutOut(ranked_only=True), "put out")]
    assert follows(ERASED) == [Send("rooms", f"player-{ANNA}", PutOut(ranked_only=False), "put out")]


@pytest.mark.parametrize(
    "text", ["", "x", "1-", f"-{REPORT}", f"1e3-{REPORT}", f"\u0661-{REPORT}", "9" * 40 + f"-{REPORT}"]
)
def test_a_cursor_that_is_none_of_ours_leads_nowhere(text: str) -> None:
    assert cursor_of(text) is None
    assert cursor_of(f"17-{REPORT}") == (17, REPORT)
