"""The SQL of one generation of the brilli: every entry, balances by account, sums by player, game and season."""

from __future__ import annotations

from collections.abc import Iterable

from circolo_events.checkpoints import MOVED
from msgspec.structs import astuple

from circolo_projector.season import EVERY

from .payout import Line

MODEL_VERSION = 1

_COLUMNS = "payout, version, line, account, amount, at, rule, game, match, season, cause"
_TYPES = ("text", "int8", "int4", "text", "int8", "int8", "text", "text", "text", "text", "text")


def create(generation: int) -> str:
    g = f"g{generation:d}"
    return f"""
    CREATE TABLE ledger_entry_{g} (
        payout text COLLATE "C" NOT NULL,
        version int8 NOT NULL,
        line int4 NOT NULL,
        account text COLLATE "C" NOT NULL,
        amount int8 NOT NULL,
        at int8 NOT NULL,
        rule text COLLATE "C" NOT NULL,
        game text COLLATE "C" NOT NULL,
        match text COLLATE "C" NOT NULL,
        season text COLLATE "C" NOT NULL,
        cause text COLLATE "C" NOT NULL,
        PRIMARY KEY (payout, version, line)
    );
    CREATE INDEX ledger_entry_{g}_of_account ON ledger_entry_{g} (account, at, payout, version, line);
    CREATE INDEX ledger_entry_{g}_of_match ON ledger_entry_{g} (match);
    CREATE TABLE balance_{g} (
        account text COLLATE "C" PRIMARY KEY,
        balance int8 NOT NULL,
        entries int8 NOT NULL
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
    CREATE TABLE brilli_standing_{g} (
        player text COLLATE "C" NOT NULL,
        game text COLLATE "C" NOT NULL,
        season text COLLATE "C" NOT NULL,
        brilli int8 NOT NULL,
        PRIMARY KEY (player, game, season)
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
    CREATE INDEX brilli_standing_{g}_most ON brilli_standing_{g} (game, season, brilli, player);
    """


def drop(generation: int) -> str:
    g = f"g{generation:d}"
    return f"DROP TABLE IF EXISTS ledger_entry_{g}, balance_{g}, brilli_standing_{g}"


def turn_views(generation: int) -> str:
    g = f"g{generation:d}"
    return f"""
    CREATE OR REPLACE VIEW ledger_entry AS SELECT {_COLUMNS} FROM ledger_entry_{g};
    CREATE OR REPLACE VIEW balance AS SELECT account, balance, entries FROM balance_{g};
    CREATE OR REPLACE VIEW brilli_standing AS SELECT game, season, brilli, player FROM brilli_standing_{g};
    """


def load(generation: int) -> str:
    """What payouts are about, by their first entry."""
    return (
        f"SELECT DISTINCT ON (payout) payout, game, match, season FROM ledger_entry_g{generation:d} "
        "WHERE payout = ANY ($1::text[]) ORDER BY payout, version, line"
    )


def insert(generation: int, first: int = 1) -> str:
    """One statement for a batch: its entries, and from those that are new, balances and standings.

    Takes ``arguments`` from placeholder ``first`` on; above 1 with the move. An entry that comes again adds nothing.
    """
    g = f"g{generation:d}"
    places = ", ".join(f"${first + n}::{kind}[]" for n, kind in enumerate(_TYPES))
    with_move, moved = (f"{MOVED}, ", " CROSS JOIN moved") if first > 1 else ("", "")
    return f"""
    WITH {with_move}news AS (
        INSERT INTO ledger_entry_{g} ({_COLUMNS})
        SELECT u.* FROM unnest({places}) AS u ({_COLUMNS}){moved}
        ON CONFLICT (payout, version, line) DO NOTHING RETURNING account, amount, game, season
    ), balanced AS (
        INSERT INTO balance_{g} AS old (account, balance, entries)
        SELECT account, sum(amount), count(*) FROM news GROUP BY account ORDER BY account
        ON CONFLICT (account) DO UPDATE SET
            balance = old.balance + excluded.balance, entries = old.entries + excluded.entries
    )
    INSERT INTO brilli_standing_{g} AS old (player, game, season, brilli)
    SELECT substr(account, 8), of_game.game, in_season.season, sum(amount)
    FROM news
    CROSS JOIN LATERAL (VALUES (news.game), ('{EVERY}')) AS of_game (game)
    CROSS JOIN LATERAL (VALUES (news.season), ('{EVERY}')) AS in_season (season)
    WHERE starts_with(account, 'player-')
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (player, game, season) DO UPDATE SET brilli = old.brilli + excluded.brilli
    """


def arguments(lines: Iterable[Line]) -> tuple[list[object], ...]:
    columns: tuple[list[object], ...] = tuple([] for _ in _TYPES)
    for line in lines:
        for column, value in zip(columns, astuple(line), strict=True):
            column.append(value)
    return columns
