"""What people can do in a tombola. The host calls; who has a ticket marks and claims."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts import tombola
from msgspec import UNSET

from .at_room import Info, Key
from .playing import Move, in_game, move
from .tombola import Calling, Prize


@strawberry.type
class AtTheTombola:
    @move(
        description="By the host, when he calls the numbers himself. With `expectedVersion` a double tap draws once: "
        "STALE_VERSION when a number was drawn since."
    )
    def draw_number(
        self, info: Info, game_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> Move:
        return in_game(info.context, "drawNumber", game_id, tombola.DrawNumber(), {}, idempotency_key, expected_version)

    @move(
        description="A number of one's own ticket, drawn or not. It decides nothing; `version` does not change by it."
    )
    def mark_number(
        self,
        info: Info,
        game_id: strawberry.ID,
        number: int,
        marked: bool,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = tombola.MarkNumber(marked=marked, number=number)
        fields = {"number": number, "marked": marked}
        return in_game(info.context, "markNumber", game_id, data, fields, idempotency_key, expected_version)

    @move(description="Judged by the numbers drawn, never by marks.")
    def claim_prize(
        self,
        info: Info,
        game_id: strawberry.ID,
        prize: Prize,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        data = tombola.ClaimPrize(prize=prize.value)
        fields = {"prize": prize.value}
        return in_game(info.context, "claimPrize", game_id, data, fields, idempotency_key, expected_version)

    @move(description="Every prize that the ticket is entitled to now, in one go.")
    def claim_all(
        self, info: Info, game_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> Move:
        return in_game(info.context, "claimAll", game_id, tombola.ClaimAll(), {}, idempotency_key, expected_version)

    @move(
        description="By the host: by hand or by the clock, from now on. `everySeconds`: 3 to 30; left out: as before."
    )
    def set_calling(
        self,
        info: Info,
        game_id: strawberry.ID,
        mode: Calling,
        every_seconds: int | None = None,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> Move:
        seconds = UNSET if every_seconds is None else every_seconds
        data = tombola.SetCalling(mode=mode.value, every_seconds=seconds)
        fields: dict[str, object] = {"mode": mode.value}
        if every_seconds is not None:
            fields["everySeconds"] = every_seconds
        return in_game(info.context, "setCalling", game_id, data, fields, idempotency_key, expected_version)

    @move(description="By the host: nothing is called until he resumes.")
    def pause_calling(
        self, info: Info, game_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> Move:
        return in_game(
            info.context, "pauseCalling", game_id, tombola.PauseCalling(), {}, idempotency_key, expected_version
        )

    @move(description="By the host; the next automatic call comes a whole interval later.")
    def resume_calling(
        self, info: Info, game_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> Move:
        return in_game(
            info.context, "resumeCalling", game_id, tombola.ResumeCalling(), {}, idempotency_key, expected_version
        )
