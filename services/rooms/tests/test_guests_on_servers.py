from __future__ import annotations

import uuid
from pathlib import Path

import asyncpg
import jwt
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import RefreshToken, RenamePlayer, SignInAsGuest
from circolo_contracts.wire import Command, Done, Refused
from circolo_events.canonical import encode
from circolo_rooms.service import compose
from circolo_service.platform import Platform
from circolo_service.settings import Settings, SettingsProblem
from club import Club, opened_club, player_view, prepare, schema_pool, token_of
from msgspec import Raw


async def shown_name(club: Club, player: str) -> str | None:
    name: str | None = await club.pool.fetchval("SELECT name FROM profile WHERE player = $1", player)
    return name


async def drafts(club: Club) -> int:
    count: int = await club.pool.fetchval("SELECT count(*) FROM profile_draft")
    return count


async def test_a_guest_signs_in_and_gets_a_token_for_a_day(club: Club) -> None:
    player = uuid.uuid4().hex
    answer = await club.done(f"player-{player}", SignInAsGuest("  Zio   Peppe "), who=player)
    token = token_of(answer)
    claims = jwt.decode(
        token.token, club.key.public_key(), algorithms=["EdDSA"], issuer="circolo",
        options={"require": ["iss", "sub", "iat", "exp", "epoch"]},
    )  # fmt: skip
    assert (claims["sub"], claims["epoch"], claims["exp"] - claims["iat"]) == (player, 0, 86_400)
    assert token.expires_at == claims["exp"] * 1000
    assert abs(claims["iat"] * 1000 - club.clock.now()) < 5_000
    assert player_view(answer).player == player
    assert await shown_name(club, player) == "Zio Peppe"
    assert await drafts(club) == 0


async def test_no_event_holds_a_name(club: Club) -> None:
    player = await club.guest("Annamaria")
    await club.done(f"player-{player}", RenamePlayer("Annamaria B."), who=player)
    for event in await club.rooms.store.read_stream(f"player-{player}"):
        assert b"Anna" not in event.data + event.meta


async def test_a_repeated_sign_in_is_the_same_player(club: Club) -> None:
    player, key = uuid.uuid4().hex, uuid.uuid4().hex
    first = await club.done(f"player-{player}", SignInAsGuest("Anna"), who=player, key=key)
    again = await club.done(f"player-{player}", SignInAsGuest("Anna"), who=player, key=key)
    assert (again.replayed, again.version, token_of(again).token != "") == (True, first.version, True)
    other = await club.refused(f"player-{player}", SignInAsGuest("Bruno"), who=player, key=key)
    assert other.code is RefusalCode.KEY_REUSED
    assert await shown_name(club, player) == "Anna"
    assert await drafts(club) == 0


async def test_nobody_signs_in_as_a_player_who_exists(club: Club) -> None:
    player = await club.guest("Anna")
    refused = await club.refused(f"player-{player}", SignInAsGuest("Thief"), who=player)
    assert refused.code is RefusalCode.NOT_ALLOWED
    assert (await shown_name(club, player), await drafts(club)) == ("Anna", 0)


@pytest.mark.parametrize("name", ["", "a\x00b", "a\u202eb", "x" * 33, "y" * 200_000])
async def test_a_name_that_is_not_allowed_is_refused_and_leaves_nothing(club: Club, name: str) -> None:
    player = uuid.uuid4().hex
    refused = await club.refused(f"player-{player}", SignInAsGuest(name), who=player)
    assert (refused.code, refused.field) == (RefusalCode.INVALID_TEXT, "name")
    assert await club.event_types(f"player-{player}") == []
    assert await drafts(club) == 0


async def test_what_cannot_be_read_is_malformed(club: Club) -> None:
    player = uuid.uuid4().hex
    for data in (b'{"name":7}', b"{}", b"[]"):
        command = Command(actor=("player", player), data=Raw(data), id=uuid.uuid4().hex, type="SignInAsGuest")  # type: ignore[arg-type]
        answer = await club.client.send("rooms", f"player-{player}", command)
        assert isinstance(answer, Refused)
        assert answer.code is RefusalCode.MALFORMED
    wrong_stream = await club.refused(f"room-{player}", SignInAsGuest("Anna"), who=player)
    assert wrong_stream.code is RefusalCode.NOT_FOUND


async def test_a_player_is_renamed_and_only_the_newest_name_stays(club: Club) -> None:
    player, key = await club.guest("Anna"), uuid.uuid4().hex
    stream = f"player-{player}"
    done = await club.done(stream, RenamePlayer("Annina"), who=player, key=key)
    assert (done.version, await shown_name(club, player)) == (2, "Annina")
    again = await club.done(stream, RenamePlayer("Annina"), who=player, key=key)
    assert again.replayed
    assert (await club.refused(stream, RenamePlayer("Other"), who=player, key=key)).code is RefusalCode.KEY_REUSED
    await club.done(stream, RenamePlayer("Nina"), who=player)
    late = await club.send(stream, RenamePlayer("Annina"), who=player, key=key)
    assert isinstance(late, Done)
    assert (late.version, await shown_name(club, player), await drafts(club)) == (2, "Nina", 0)
    assert await club.pool.fetchval("SELECT count(*) FROM profile") == 1


async def test_nobody_renames_somebody_else_or_without_signing_in(club: Club) -> None:
    anna, bruno = await club.guest("Anna"), await club.guest("Bruno")
    assert (await club.refused(f"player-{anna}", RenamePlayer("X"), who=bruno)).code is RefusalCode.NOT_ALLOWED
    stranger = uuid.uuid4().hex
    code = (await club.refused(f"player-{stranger}", RenamePlayer("X"), who=stranger)).code
    assert code is RefusalCode.UNAUTHENTICATED
    assert await drafts(club) == 0


async def test_a_token_is_renewed_and_nothing_is_stored(club: Club) -> None:
    player = await club.guest()
    answer = await club.done(f"player-{player}", RefreshToken(), who=player)
    claims = jwt.decode(token_of(answer).token, club.key.public_key(), algorithms=["EdDSA"], issuer="circolo")
    assert claims["sub"] == player
    assert await club.event_types(f"player-{player}") == ["PlayerRegistered"]
    stranger = uuid.uuid4().hex
    refused = await club.refused(f"player-{stranger}", RefreshToken(), who=stranger)
    assert refused.code is RefusalCode.UNAUTHENTICATED


async def test_a_name_whose_event_is_committed_is_shown_although_the_process_died(club: Club) -> None:
    player, key = uuid.uuid4().hex, uuid.uuid4().hex
    await club.done(f"player-{player}", SignInAsGuest("Anna"), who=player, key=key)
    # As it was between the commit and the publication:
    await club.pool.execute(
        "INSERT INTO profile_draft SELECT command_id, player, name, salt, now() - interval '2 minutes' FROM profile"
    )
    await club.pool.execute("DELETE FROM profile")
    assert await club.rooms.profiles.sweep() == 1
    assert (await shown_name(club, player), await drafts(club)) == ("Anna", 0)


async def test_a_name_whose_event_never_came_is_swept_after_an_hour(club: Club) -> None:
    await club.rooms.profiles.draft(uuid.uuid4().hex, uuid.uuid4().hex, "Nobody")
    await club.pool.execute("UPDATE profile_draft SET at = now() - interval '59 minutes'")
    assert (await club.rooms.profiles.sweep(), await drafts(club)) == (0, 1)
    await club.pool.execute("UPDATE profile_draft SET at = now() - interval '61 minutes'")
    assert (await club.rooms.profiles.sweep(), await drafts(club)) == (1, 0)


async def test_the_event_holds_the_salted_digest_of_the_name(club: Club) -> None:
    import hashlib
    import hmac
    import json

    player = await club.guest("Nicolò")
    salt = await club.pool.fetchval("SELECT salt FROM profile WHERE player = $1", player)
    (event,) = await club.rooms.store.read_stream(f"player-{player}")
    expected = hmac.new(salt, "Nicolò".encode(), hashlib.sha256).hexdigest()
    assert json.loads(event.data)["name_digest"] == expected
    assert event.data == encode(json.loads(event.data))


async def test_the_gateway_may_read_names_and_nothing_else_of_rooms(database: str) -> None:
    role = "circolo_reader"
    admin = await asyncpg.connect(database)
    made = not await admin.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role)
    if made:
        await admin.execute(f"CREATE ROLE {role}")
    try:
        await prepare(database)
        await admin.execute(f"SET ROLE {role}")
        assert await admin.fetch("SELECT player, name FROM rooms.profile") == []
        for secret in ("SELECT salt FROM rooms.profile", "TABLE rooms.profile_draft", "TABLE rooms.event"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await admin.fetch(secret)
    finally:
        await admin.execute("RESET ROLE")
        await admin.execute(f"DROP OWNED BY {role}")
        if made:
            await admin.execute(f"DROP ROLE {role}")
        await admin.close()


async def test_without_a_usable_key_the_service_says_so_and_does_not_start(
    database: str, nats_url: str, tmp_path: Path
) -> None:
    await prepare(database)
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no key")
    async with schema_pool(database, "rooms") as pool:
        for path in (None, tmp_path / "absent.pem", wrong):
            settings = Settings(postgres_url=database, nats_url=nats_url, token_private_key_file=path)
            with pytest.raises(SettingsProblem, match="CIRCOLO_TOKEN_PRIVATE_KEY_FILE"):
                await compose(Platform("rooms", settings, None, pool, None, "rooms"))  # type: ignore[arg-type]


async def test_players_are_still_there_after_a_restart(database: str, nats_url: str, tmp_path: Path) -> None:
    await prepare(database)
    async with opened_club(database, nats_url, tmp_path) as club:
        player = await club.guest("Anna")
    async with opened_club(database, nats_url, tmp_path) as club:
        await club.done(f"player-{player}", RefreshToken(), who=player)
        assert await shown_name(club, player) == "Anna"
