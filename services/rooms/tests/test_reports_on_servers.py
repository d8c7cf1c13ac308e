"""Reports on real servers: what is frozen stays frozen, operators see exactly that, and nobody else sees anything."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest
from circolo_contracts.direction import (
    KEPT_DAYS,
    MAX_NOTE,
    REPORTS_IN_WINDOW,
    REPORTS_WINDOW_MS,
    BanPlayer,
    DismissReport,
    ListReports,
    MutePlayer,
    ReportPlayer,
    WarnPlayer,
)
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import JoinRoom, LeaveRoom
from circolo_contracts.wire import Ask, Refused
from club import Club
from directing import HOUR, board, file, is_listed, listed, operator, read
from talking import playing, say, table

DAY = 24 * HOUR


async def closed_as(club: Club, report: str, viewer: str, verdict: str) -> bool:
    return (await read(club, report, viewer)).verdict == verdict


async def in_list_as(club: Club, viewer: str, report: str, verdict: str) -> bool:
    lines = (await listed(club, viewer, first=100)).reports
    return any(line.report == report and line.verdict == verdict for line in lines)


# ---- what is frozen


async def test_a_report_freezes_the_chat_as_its_reporter_reads_it_and_the_position(club: Club) -> None:
    view, people = await table(club)
    for player, text in ((people[0], "Buonasera"), (people[1], "Ho il tre di briscola!"), (people[2], "Zitto")):
        await club.done(f"chat-{view.room}", say(text), who=player)
    await club.done(f"chat-{view.room}", say("fra noi due", to="TEAM"), who=people[0])
    await club.done(f"chat-{view.room}", say("fra noi altri", to="TEAM"), who=people[1])
    direction = await operator(club)
    report = await file(club, view.room, people[0], people[1], "PLAY_DECLARATION", "Lo fa sempre.")
    seen = await read(club, report, direction)
    frozen = ["Buonasera", "Ho il tre di briscola!", "Zitto", "fra noi due"]
    assert [each.text for each in seen.messages] == frozen, "not what the other team says among itself"
    assert (seen.player, seen.reporter, seen.reason, seen.note) == (
        people[1], people[0], "PLAY_DECLARATION", "Lo fa sempre.",
    )  # fmt: skip
    assert not seen.game_id, "nothing was played in this room yet"


async def test_the_position_is_the_public_view_of_that_moment_whatever_comes_after(club: Club) -> None:
    view, people = await playing(club, 2)
    direction = await operator(club)
    async with board(club) as shown:
        report = await file(club, view.room, people[0], people[1])
        assert shown.asked == [f"match-{view.game_id}"]
        shown.view, shown.version = {"table": []}, 18
        seen = await read(club, report, direction)
    assert (seen.game_id, seen.game_version) == (view.game_id, 17)
    assert bytes(seen.position) == b'{"table":["7D"],"turn":2}'  # type: ignore[arg-type]


async def test_erasing_or_editing_the_chat_afterwards_changes_nothing_of_a_report(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    await club.done(f"chat-{view.room}", say("insulto"), who=bruno)
    direction = await operator(club)
    report = await file(club, view.room, anna, bruno)
    await club.pool.execute("UPDATE chat_text SET text = 'complimento'")
    assert [each.text for each in (await read(club, report, direction)).messages] == ["insulto"]
    await club.pool.execute("DELETE FROM chat_text")
    assert [each.text for each in (await read(club, report, direction)).messages] == ["insulto"]


async def test_what_was_altered_in_the_tables_is_not_shown_as_if_it_had_been_frozen(
    club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    view, people = await playing(club, 2)
    await club.done(f"chat-{view.room}", say("insulto"), who=people[1])
    direction = await operator(club)
    async with board(club):
        report = await file(club, view.room, people[0], people[1], note="ecco")
    await club.pool.execute("UPDATE report_text SET text = 'falso'")
    await club.pool.execute("UPDATE report SET note = 'falso', position = '{}'")
    seen = await read(club, report, direction)
    assert ([bool(each.text) for each in seen.messages], bool(seen.note), bool(seen.position)) == (
        [False],
        False,
        False,
    )
    assert len([each for each in caplog.records if "not what was frozen" in each.message]) == 3
    assert "falso" not in caplog.text


async def test_the_same_report_again_is_one_report_with_what_was_frozen_first(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    await club.done(f"chat-{view.room}", say("prima"), who=bruno)
    direction, key = await operator(club), uuid.uuid4().hex
    wish = ReportPlayer(bruno, "INSULTS", "nota")
    answers = await asyncio.gather(*(club.done(f"room-{view.room}", wish, who=anna, key=key) for _ in range(4)))
    assert [each.replayed for each in answers].count(False) == 1
    await club.done(f"chat-{view.room}", say("dopo"), who=bruno)
    await club.done(f"room-{view.room}", LeaveRoom(), who=anna)
    assert (await club.done(f"room-{view.room}", wish, who=anna, key=key)).replayed
    assert [each.text for each in (await read(club, key, direction)).messages] == ["prima"]
    other = await club.refused(f"room-{view.room}", ReportPlayer(bruno, "INSULTS", "altra"), who=anna, key=key)
    assert other.code is RefusalCode.KEY_REUSED


async def test_when_the_game_does_not_answer_the_report_is_repeated_and_nothing_is_half_frozen(club: Club) -> None:
    view, people = await playing(club, 2)
    wish = ReportPlayer(people[1], "CHEATING")
    key = uuid.uuid4().hex
    club.rooms.client.total = 0.3
    assert (await club.refused(f"room-{view.room}", wish, who=people[0], key=key)).code is RefusalCode.UNAVAILABLE
    assert await club.pool.fetchval("SELECT count(*) FROM report") == 0
    async with board(club):
        await club.done(f"room-{view.room}", wish, who=people[0], key=key)


# ---- who may report, and how often


async def test_only_who_is_there_reports_somebody_who_is_or_was_heard_there(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    stream, stranger = f"room-{view.room}", await club.guest("Elena")

    async def refused(who: str, player: str, **how: Any) -> Refused:
        return await club.refused(stream, ReportPlayer(player, "OTHER", **how), who=who)

    assert (await refused(stranger, anna)).code is RefusalCode.NOT_IN_ROOM
    about = await refused(anna, stranger)
    assert (about.code, about.field) == (RefusalCode.NOT_IN_ROOM, "player")
    himself = await refused(anna, anna)
    assert (himself.code, himself.field) == (RefusalCode.NOT_ALLOWED, "player")
    long = await refused(anna, bruno, note="x" * (MAX_NOTE + 1))
    assert (long.code, long.field) == (RefusalCode.INVALID_TEXT, "note")
    assert await club.pool.fetchval("SELECT count(*) FROM report") == 0
    await club.done(f"chat-{view.room}", say("e me ne vado"), who=bruno)
    await club.done(stream, LeaveRoom(), who=bruno)
    assert await file(club, view.room, anna, bruno, note="x" * MAX_NOTE)


async def test_ten_reports_in_an_hour_and_the_next_one_waits(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    for _ in range(REPORTS_IN_WINDOW):
        await file(club, view.room, anna, bruno)
    refused = await club.refused(f"room-{view.room}", ReportPlayer(bruno, "OTHER"), who=anna)
    assert refused.code is RefusalCode.RATE_LIMITED
    await file(club, view.room, bruno, anna)
    club.clock.skip(REPORTS_WINDOW_MS)
    await file(club, view.room, anna, bruno)


# ---- the direction


async def test_operators_list_reports_page_by_page_and_nobody_else_does(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    direction = await operator(club)
    reports = []
    for _ in range(5):
        reports.append(await file(club, view.room, anna, bruno))
        club.clock.skip(1_000)
    await club.until(lambda: is_listed(club, direction, reports[-1]))
    first = await listed(club, direction, first=2)
    assert ([each.report for each in first.reports], first.more) == (reports[:2:-1], True)
    rest = await listed(club, direction, first=3, after=first.reports[-1].cursor)
    assert ([each.report for each in rest.reports], rest.more) == (reports[2::-1], False)
    await club.done(f"report-{reports[4]}", DismissReport(), who=direction)
    await club.until(lambda: in_list_as(club, direction, reports[4], "DISMISSED"))
    still_open = await listed(club, direction, first=1, open_only=True)
    assert [each.report for each in still_open.reports] == [reports[3]]
    for wrong, field in (({"first": 0}, "first"), ({"first": 101}, "first"), ({"after": "x"}, "after")):
        refused = await club.refused(f"player-{direction}", ListReports(**wrong), who=direction)  # type: ignore[arg-type]
        assert (refused.code, refused.field) == (RefusalCode.MALFORMED, field)


async def test_backend_S5_without_the_role_nobody_reads_or_judges_anything(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    report, until = await file(club, view.room, anna, bruno), club.clock.now() + HOUR
    for who in (anna, bruno, await club.guest("Elena")):
        answer = await club.client.send("rooms", f"report-{report}", Ask(viewer=who))
        assert isinstance(answer, Refused)
        assert answer.code is RefusalCode.NOT_ALLOWED
        wishes: list[tuple[str, Any]] = [
            (f"player-{who}", ListReports()), (f"report-{report}", DismissReport()),
            (f"player-{bruno}", WarnPlayer("OTHER")), (f"player-{bruno}", MutePlayer("OTHER", until)),
            (f"player-{bruno}", BanPlayer("OTHER", until)),
        ]  # fmt: skip
        for stream, wish in wishes:
            assert (await club.refused(stream, wish, who=who)).code is RefusalCode.NOT_ALLOWED
    nobody = await club.client.send("rooms", f"report-{report}", Ask())
    assert isinstance(nobody, Refused)
    direction = await operator(club)
    others = await club.refused(f"player-{bruno}", ListReports(), who=direction)
    assert others.code is RefusalCode.NOT_ALLOWED, "one's own list, by one's own stream"
    assert await club.event_types(f"player-{bruno}") == ["PlayerRegistered"]


async def test_a_decision_closes_its_report_and_says_who_when_and_why(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    direction, report = await operator(club), await file(club, view.room, anna, bruno)
    until = club.clock.now() + HOUR
    await club.done(f"player-{bruno}", MutePlayer("INSULTS", until, report), who=direction)
    await club.until(lambda: closed_as(club, report, direction, "MUTED"))
    seen = await read(club, report, direction)
    assert (seen.closed_by, seen.until) == (direction, until)
    assert await club.event_types(f"report-{report}") == ["ReportFiled", "ReportClosed"]
    again = await club.refused(f"player-{bruno}", WarnPlayer("INSULTS", report), who=direction)
    assert (again.code, again.field) == (RefusalCode.REPORT_CLOSED, "report")
    dismissed = await club.refused(f"report-{report}", DismissReport(), who=direction)
    assert dismissed.code is RefusalCode.REPORT_CLOSED


async def test_a_retry_of_a_decision_gets_its_first_answer_although_it_closed_the_report(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    direction, report = await operator(club), await file(club, view.room, anna, bruno)
    wish, key = WarnPlayer("INSULTS", report), uuid.uuid4().hex
    first = await club.done(f"player-{bruno}", wish, who=direction, key=key)
    await club.until(lambda: closed_as(club, report, direction, "WARNED"))
    again = await club.done(f"player-{bruno}", wish, who=direction, key=key)
    assert (again.replayed, again.version) == (True, first.version)
    assert await club.event_types(f"player-{bruno}") == ["PlayerRegistered", "PlayerWarned"]


async def test_a_decision_names_an_open_report_about_that_player(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    direction, report = await operator(club), await file(club, view.room, anna, bruno)
    for player, named, code in (
        (anna, report, RefusalCode.NOT_ALLOWED), (bruno, "9" * 32, RefusalCode.NOT_FOUND),
        (bruno, "../etc", RefusalCode.NOT_FOUND),
    ):  # fmt: skip
        refused = await club.refused(f"player-{player}", WarnPlayer("OTHER", named), who=direction)
        assert (refused.code, refused.field) == (code, "report")
    nobody = await club.refused(f"player-{'9' * 32}", WarnPlayer("OTHER"), who=direction)
    assert nobody.code is RefusalCode.NOT_FOUND


async def test_what_a_report_kept_is_erased_ninety_days_after_its_end_and_not_before(club: Club) -> None:
    view, people = await playing(club, 2)
    await club.done(f"chat-{view.room}", say("insulto"), who=people[1])
    direction = await operator(club)
    async with board(club):
        done, still_open = [await file(club, view.room, people[0], people[1], note="nota") for _ in range(2)]
    await club.done(f"report-{done}", DismissReport(), who=direction)
    await club.until(lambda: in_list_as(club, direction, done, "DISMISSED"))

    async def kept(report: str) -> tuple[bool, bool, bool]:
        seen = await read(club, report, direction)
        return bool(seen.messages[0].text), bool(seen.note), bool(seen.position)

    await club.rooms.frozen.sweep(club.clock.now() + KEPT_DAYS * DAY - HOUR)
    assert await kept(done) == (True, True, True)
    await club.rooms.frozen.sweep(club.clock.now() + KEPT_DAYS * DAY + HOUR)
    assert (await kept(done), await kept(still_open)) == ((False, False, False), (True, True, True))
    assert len((await read(club, done, direction)).messages) == 1, "who spoke and when stays, with the digest"


async def test_a_report_whose_event_never_came_is_swept_after_an_hour(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    report = await file(club, view.room, anna, bruno)
    await club.pool.execute(
        "INSERT INTO report (report, reporter, player, room, reason, frozen, filed_at, at) "
        "VALUES ($1, 'x', 'y', 'z', 'OTHER', '', 1, now() - interval '61 minutes')", uuid.uuid4().hex,
    )  # fmt: skip
    direction = await operator(club)
    await club.until(lambda: is_listed(club, direction, report))
    assert len((await listed(club, direction)).reports) == 1, "a draft is no report yet"
    await club.rooms.frozen.sweep(club.clock.now())
    assert await club.pool.fetchval("SELECT count(*) FROM report") == 1


async def test_a_watcher_may_report_too(club: Club) -> None:
    view, (anna, _) = await table(club, 2)
    watcher = await club.guest("Elena")
    await club.done(f"code-{view.code}", JoinRoom(watch=True), who=watcher)
    assert await file(club, view.room, watcher, anna)
