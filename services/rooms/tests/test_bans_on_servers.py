"""Roles, mutes, bans and being forgotten on real servers: what follows at once, what gateways are told, what stays."""

from __future__ import annotations

import asyncio
import os
import sys
import uuid
from asyncio.subprocess import PIPE, STDOUT

import jwt
from circolo_contracts.direction import (
    BanPlayer,
    EraseMe,
    GrantRole,
    MutePlayer,
    RevokeRole,
    SignedOut,
    WarnPlayer,
)
from circolo_contracts.ids import global_id
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AssignTeam,
    CreateRoom,
    JoinRoom,
    LeaveRoom,
    RefreshToken,
    RenamePlayer,
    RoomView,
    SignInAsGuest,
    StartGame,
    TakeSeat,
)
from circolo_contracts.wire import Ask, Done
from circolo_rooms.grant import DONE, NO_PLAYER, UNREACHABLE, player_id_of
from club import Club, player_view, room_view, token_of
from directing import CONSOLE, HOUR, file, is_listed, operator, read, sign_outs
from talking import say, table, texts


async def claims_of(club: Club, player: str) -> dict[str, object]:
    answer = await club.done(f"player-{player}", RefreshToken(), who=player)
    token = token_of(answer).token
    claims: dict[str, object] = jwt.decode(token, club.key.public_key(), algorithms=["EdDSA"], issuer="circolo")
    return claims


async def ranked_room(club: Club, host: str, players: int = 4) -> RoomView:
    wish = CreateRoom("BRISCOLA", {"players": players}, "PUBLIC", ranked=True)
    return room_view(await club.done(f"room-{uuid.uuid4().hex}", wish, who=host))


async def ban(club: Club, player: str, *, hours: int = 1, by: str | None = None) -> None:
    wish = BanPlayer("CHEATING", club.clock.now() + hours * HOUR)
    await club.done(f"player-{player}", wish, who=by or await operator(club))


async def members(club: Club, room: str) -> list[str]:
    state = await club.rooms.runtime.state(f"room-{room}")
    return [member.player for member in state.members]


async def is_out(club: Club, room: str, player: str) -> bool:
    return player not in await members(club, room)


# ---- roles


async def test_a_granted_role_is_in_the_next_token_and_a_revoked_one_raises_the_epoch(club: Club) -> None:
    anna = await club.guest()
    assert "roles" not in await claims_of(club, anna)
    await club.done(f"player-{anna}", GrantRole("OPERATOR"), who=CONSOLE)
    await club.done(f"player-{anna}", GrantRole("ANALYST"), who=CONSOLE)
    claims = await claims_of(club, anna)
    assert (claims["roles"], claims["epoch"]) == (["ANALYST", "OPERATOR"], 0)
    told = await sign_outs(club)
    await club.done(f"player-{anna}", RevokeRole("OPERATOR"), who=CONSOLE)
    claims = await claims_of(club, anna)
    assert (claims["roles"], claims["epoch"]) == (["ANALYST"], 1)
    await club.until(lambda: has_told(told, SignedOut(epoch=1, erased=False, player=anna)))


async def has_told(told: list[SignedOut], news: SignedOut) -> bool:
    return news in told


async def test_no_player_grants_a_role(club: Club) -> None:
    anna = await club.guest()
    refused = await club.refused(f"player-{anna}", GrantRole("OPERATOR"), who=anna)
    assert refused.code is RefusalCode.NOT_ALLOWED
    nobody = await club.refused(f"player-{uuid.uuid4().hex}", GrantRole("OPERATOR"), who=CONSOLE)
    assert nobody.code is RefusalCode.NOT_FOUND


def test_a_player_is_named_by_hex_by_stream_or_by_the_id_of_the_api() -> None:
    assert player_id_of("a" * 32) == player_id_of(f"player-{'a' * 32}") == "a" * 32
    assert player_id_of(global_id("Player", f"player-{'a' * 32}")) == "a" * 32
    assert [player_id_of(text) for text in ("anna", "", f"room-{'a' * 32}", "a" * 31)] == [None] * 4


async def granting(nats_url: str, *arguments: str) -> tuple[int | None, str]:
    """Exit code and what it said, of the command as a process of its own."""
    environment = {**os.environ, "CIRCOLO_NATS_URL": nats_url, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "circolo_rooms.grant", *arguments, env=environment, stdout=PIPE, stderr=STDOUT
    )
    said, _ = await asyncio.wait_for(process.communicate(), 30)
    return process.returncode, said.decode()


async def test_the_command_grants_and_revokes_and_says_when_there_is_nobody(club: Club, nats_url: str) -> None:
    anna, nobody = await club.guest(), uuid.uuid4().hex
    assert await granting(nats_url, anna, "operator") == (DONE, f"{anna} is operator\n")
    assert (await claims_of(club, anna))["roles"] == ["OPERATOR"]
    assert await granting(nats_url, anna, "operator", "--revoke") == (DONE, f"{anna} is no longer operator\n")
    granted = [e for e in await club.rooms.store.read_stream(f"player-{anna}") if e.type == "RoleGranted"]
    assert b'"by":"console"' in granted[0].data
    assert await granting(nats_url, nobody, "analyst") == (NO_PLAYER, "circolo grant: there is no such player\n")
    code, said = await granting("nats://127.0.0.1:9", anna, "operator")
    assert code == UNREACHABLE
    assert "NATS cannot be reached" in said
    assert (await granting(nats_url, "anna", "operator"))[0] == UNREACHABLE


# ---- muted and banned


async def test_who_is_muted_says_nothing_until_it_is_over_and_reads_on(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    stream, direction = f"chat-{view.room}", await operator(club)
    await club.done(f"player-{anna}", MutePlayer("INSULTS", club.clock.now() + HOUR), who=direction)
    assert (await club.refused(stream, say("?"), who=anna)).code is RefusalCode.MUTED
    await club.done(stream, say("tace"), who=bruno)
    assert await texts(club, view.room, anna) == ["tace"]
    own = await club.client.send("rooms", f"player-{anna}", Ask(viewer=anna))
    assert player_view(own).muted_until  # type: ignore[arg-type]
    club.clock.skip(HOUR)
    await club.done(stream, say("parlo"), who=anna)


async def test_a_warned_player_sees_it_and_others_do_not(club: Club) -> None:
    anna = await club.guest()
    await club.done(f"player-{anna}", WarnPlayer("BLASPHEMY"), who=await operator(club))
    seen = [player_view(await club.ask(f"player-{anna}", viewer)) for viewer in (anna, "")]  # type: ignore[arg-type]
    assert (seen[0].warnings, bool(seen[1].warnings)) == (1, False)


async def test_a_ban_tells_every_gateway_and_lies_in_the_table_that_they_read(club: Club) -> None:
    anna = await club.guest()
    told = await sign_outs(club)
    await ban(club, anna)
    await club.until(lambda: has_told(told, SignedOut(epoch=1, erased=False, player=anna)))
    row = await club.pool.fetchrow("SELECT epoch, erased FROM player_epoch WHERE player = $1", anna)
    assert tuple(row) == (1, False)
    assert (await claims_of(club, anna))["epoch"] == 1, "he may come back, as who he is now"


async def test_a_banned_player_neither_opens_nor_enters_ranked_tables_until_it_is_over(club: Club) -> None:
    anna, bruno = await club.guest("Anna"), await club.guest("Bruno")
    view = await ranked_room(club, bruno)
    stream = f"room-{view.room}"
    await ban(club, anna)
    wish = CreateRoom("BRISCOLA", {}, "PUBLIC", ranked=True)
    assert (await club.refused(f"room-{uuid.uuid4().hex}", wish, who=anna)).code is RefusalCode.BANNED
    assert (await club.refused(f"code-{view.code}", JoinRoom(), who=anna)).code is RefusalCode.BANNED
    await club.done(f"code-{view.code}", JoinRoom(watch=True), who=anna)
    for who, sit in ((anna, TakeSeat(3)), (anna, AssignTeam(anna, 1)), (bruno, AssignTeam(anna, 1))):
        assert (await club.refused(stream, sit, who=who)).code is RefusalCode.BANNED
    assert (await club.refused(f"code-{view.code}", JoinRoom(), who=anna)).code is RefusalCode.BANNED
    assert (await club.refused(f"chat-{view.room}", say("?"), who=anna)).code is RefusalCode.BANNED
    club.clock.skip(HOUR)
    await club.done(stream, TakeSeat(3), who=anna)


async def test_a_banned_player_may_play_among_friends(club: Club) -> None:
    anna, bruno = await club.guest("Anna"), await club.guest("Bruno")
    view = await club.room(bruno, players=4)
    await ban(club, anna)
    await club.done(f"code-{view.code}", JoinRoom(), who=anna)
    await club.done(f"room-{view.room}", TakeSeat(3), who=anna)
    await club.room(anna)


async def test_a_ban_puts_him_out_of_his_ranked_tables_and_that_abandons_the_game(club: Club) -> None:
    anna, bruno = await club.guest("Anna"), await club.guest("Bruno")
    view = await ranked_room(club, anna, 2)
    await club.done(f"code-{view.code}", JoinRoom(), who=bruno)
    await club.done(f"room-{view.room}", StartGame(), who=anna)
    waiting = await ranked_room(club, bruno)
    await club.done(f"code-{waiting.code}", JoinRoom(), who=anna)
    friendly = await club.room(anna)
    await ban(club, anna)
    for room in (view.room, waiting.room):
        await club.until(lambda room=room: is_out(club, room, anna))  # type: ignore[misc]
    assert await members(club, friendly.room) == [anna]
    [left] = [e for e in await club.rooms.store.read_stream(f"room-{view.room}") if e.type == "PlayerLeft"]
    assert b'"game_id"' in left.data, "cardgames hears by it that the game is abandoned"


async def test_a_late_retry_of_what_he_did_before_the_ban_gets_its_first_answer(club: Club) -> None:
    anna, bruno = await club.guest("Anna"), await club.guest("Bruno")
    view = await ranked_room(club, bruno)
    key = uuid.uuid4().hex
    first = await club.done(f"code-{view.code}", JoinRoom(), who=anna, key=key)
    await ban(club, anna)
    again = await club.done(f"code-{view.code}", JoinRoom(), who=anna, key=key)
    assert (again.replayed, again.version) == (True, first.version)


async def test_two_operators_who_ban_at_once_are_both_on_record(club: Club) -> None:
    anna, first, second = await club.guest(), await operator(club), await operator(club)
    await asyncio.gather(ban(club, anna, by=first), ban(club, anna, by=second))
    assert (await claims_of(club, anna))["epoch"] == 2
    assert await club.event_types(f"player-{anna}") == ["PlayerRegistered", "PlayerBanned", "PlayerBanned"]


# ---- being forgotten


async def all_text(club: Club) -> str:
    """Every personal text that rooms still has."""
    found = []
    for column in ("profile.name", "profile_draft.name", "chat_text.text", "report_text.text", "report.note"):
        of, _, name = column.partition(".")
        found += [row[0] for row in await club.pool.fetch(f"SELECT {name} FROM {of} WHERE {name} IS NOT NULL")]
    return " | ".join(found)


async def test_who_asks_to_be_forgotten_leaves_no_text_no_room_and_no_way_back(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    await club.done(f"player-{anna}", RenamePlayer("Annamaria"), who=anna)
    await club.done(f"chat-{view.room}", say("parole di Annamaria"), who=anna)
    await club.done(f"chat-{view.room}", say("parole di Bruno"), who=bruno)
    told = await sign_outs(club)
    await club.done(f"player-{anna}", EraseMe(), who=anna)
    assert "Annamaria" not in await all_text(club), "done means gone"
    assert await texts(club, view.room, bruno) == [None, "parole di Bruno"]
    await club.until(lambda: has_told(told, SignedOut(epoch=1, erased=True, player=anna)))
    await club.until(lambda: is_out(club, view.room, anna))
    for wish in (RefreshToken(), RenamePlayer("Nuova")):
        assert (await club.refused(f"player-{anna}", wish, who=anna)).code is RefusalCode.UNAUTHENTICATED
    assert (await club.refused(f"player-{anna}", SignInAsGuest("Nuova"), who=anna)).code is RefusalCode.NOT_ALLOWED
    assert (await club.refused(f"chat-{view.room}", say("?"), who=anna)).code is RefusalCode.UNAUTHENTICATED
    assert "Nuova" not in await all_text(club)
    assert (await club.done(f"player-{anna}", EraseMe(), who=anna)).version


async def test_a_repeated_sign_in_or_renaming_brings_no_name_back(club: Club) -> None:
    player, key, other = uuid.uuid4().hex, uuid.uuid4().hex, uuid.uuid4().hex
    stream = f"player-{player}"
    await club.done(stream, SignInAsGuest("Annamaria"), who=player, key=key)
    await club.done(stream, RenamePlayer("Annarosa"), who=player, key=other)
    await club.done(stream, EraseMe(), who=player)
    again = await club.refused(stream, SignInAsGuest("Annamaria"), who=player, key=key)
    assert again.code is RefusalCode.UNAUTHENTICATED
    await club.send(stream, RenamePlayer("Annarosa"), who=player, key=other)
    assert await all_text(club) == ""


async def test_an_open_report_keeps_his_words_until_it_is_closed(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    await club.done(f"chat-{view.room}", say("insulto"), who=bruno)
    direction = await operator(club)
    report = await file(club, view.room, anna, bruno, note="nota di Anna")
    await club.done(f"player-{bruno}", EraseMe(), who=bruno)
    await club.done(f"player-{anna}", EraseMe(), who=anna)
    seen = await read(club, report, direction)
    assert ([each.text for each in seen.messages], seen.note) == (["insulto"], "nota di Anna")
    assert await club.pool.fetchval("SELECT count(*) FROM chat_text") == 0
    await club.rooms.erasure.sweep()
    assert (await read(club, report, direction)).note == "nota di Anna"
    await club.until(lambda: is_listed(club, direction, report))
    await club.pool.execute("UPDATE report SET status = 'CLOSED', closed_at = 1, verdict = 'DISMISSED'")
    await club.rooms.erasure.sweep()
    seen = await read(club, report, direction)
    assert ([bool(each.text) for each in seen.messages], bool(seen.note)) == ([False], False)


async def test_a_report_that_is_closed_is_forgotten_with_him(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    await club.done(f"chat-{view.room}", say("insulto"), who=bruno)
    direction, report = await operator(club), await file(club, view.room, anna, bruno)
    await club.done(f"player-{bruno}", WarnPlayer("INSULTS", report), who=direction)

    async def is_closed() -> bool:
        status: str = await club.pool.fetchval("SELECT status FROM report")
        return status == "CLOSED"

    await club.until(is_closed)
    await club.done(f"player-{bruno}", EraseMe(), who=bruno)
    seen = await read(club, report, direction)
    assert [bool(each.text) for each in seen.messages] == [False]


async def test_what_was_on_its_way_while_he_was_erased_is_swept(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    await club.done(f"player-{anna}", EraseMe(), who=anna)
    await club.rooms.texts.draft(uuid.uuid4().hex, view.room, anna, "in ritardo")
    await club.rooms.profiles.draft(uuid.uuid4().hex, anna, "Ritardo")
    await club.rooms.texts.draft(uuid.uuid4().hex, view.room, bruno, "resto")
    await club.rooms.erasure.sweep()
    left = await all_text(club)
    assert "itardo" not in left
    assert "resto" in left


async def test_messages_sent_while_he_is_erased_leave_no_text(club: Club) -> None:
    view, (anna, bruno) = await table(club, 2)
    flood = [asyncio.create_task(club.send(f"chat-{view.room}", say(f"parola {n}"), who=anna)) for n in range(5)]
    await club.done(f"player-{anna}", EraseMe(), who=anna)
    said = await asyncio.gather(*flood)
    await club.rooms.erasure.sweep()
    assert "parola" not in await all_text(club)
    count = sum(isinstance(each, Done) for each in said)
    await club.done(f"chat-{view.room}", say("ultima"), who=bruno)
    assert await texts(club, view.room, bruno) == [*[None] * count, "ultima"]


# ---- nothing of it anywhere else


async def test_no_personal_text_is_in_an_event_in_jetstream_or_in_a_log(club: Club, caplog) -> None:  # type: ignore[no-untyped-def]
    caplog.set_level("DEBUG")
    secrets = ["Zebedeo", "parolasegreta", "notasegreta", "parolanascosta"]
    player, bruno = uuid.uuid4().hex, await club.guest("Bruno")
    await club.done(f"player-{player}", SignInAsGuest(secrets[0]), who=player)
    view = await club.room(player, players=4)
    for other in (bruno, await club.guest("Carla"), await club.guest("Dario")):
        await club.done(f"code-{view.code}", JoinRoom(), who=other)
    await club.done(f"chat-{view.room}", say(secrets[1]), who=player)
    await club.done(f"chat-{view.room}", say(secrets[3], to="TEAM"), who=player)
    direction, report = await operator(club), await file(club, view.room, bruno, player, note=secrets[2])
    await club.done(f"player-{player}", WarnPlayer("INSULTS", report), who=direction)
    await club.done(f"room-{view.room}", LeaveRoom(), who=bruno)
    rows = await club.pool.fetch("SELECT data, meta FROM event")
    stored = b"".join(row["data"] + row["meta"] for row in rows)
    stream = club.bus.client.jetstream()
    heads = sum((await club.rooms.store.heads()).values())

    async def relayed() -> bool:
        info = await stream.stream_info("LOG_rooms")
        published = b""
        for sequence in range(1, info.state.last_seq + 1):
            published += (await stream.get_msg("LOG_rooms", sequence)).data or b""
        kept["bytes"] = published
        return published.count(b'"pos":') >= heads

    kept = {"bytes": b""}
    await club.until(relayed)
    for secret in secrets:
        assert secret.encode() not in stored
        assert secret.encode() not in kept["bytes"]
        assert secret not in caplog.text
