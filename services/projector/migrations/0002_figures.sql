-- Read models of matches and brilli, by generations of their own: what one log feeds is built, late or wrong without
-- the others. The tables are made by the code that fills them.

CREATE TABLE match_generation (LIKE generation INCLUDING ALL);
CREATE TABLE brilli_generation (LIKE generation INCLUDING ALL);

-- What others read; empty until the first generation is there. Columns are only ever added at the end.
CREATE VIEW match_player AS
SELECT ''::text COLLATE "C" AS player, 0::int8 AS ended_at, ''::text COLLATE "C" AS match,
       ''::text COLLATE "C" AS game, ''::text COLLATE "C" AS season, false AS ranked, ''::text COLLATE "C" AS result
WHERE false;
CREATE VIEW match_history AS
SELECT ''::text COLLATE "C" AS match, ''::text COLLATE "C" AS game, false AS ranked, ''::text COLLATE "C" AS room,
       0::int4 AS game_no, '{}'::text[] COLLATE "C" AS players, ''::text COLLATE "C" AS seats_json,
       ''::text COLLATE "C" AS settings_json, ''::text COLLATE "C" AS deals_json, ''::text COLLATE "C" AS score_json,
       ''::text COLLATE "C" AS outcome, ''::text COLLATE "C" AS reason, 0::int4 AS winner, 0::int4 AS abandoned_by,
       0::int8 AS started_at, 0::int8 AS ended_at, 0::int8 AS version
WHERE false;
CREATE VIEW player_statistics AS
SELECT ''::text COLLATE "C" AS player, ''::text COLLATE "C" AS game, 0::int4 AS played, 0::int4 AS won,
       0::int4 AS lost, 0::int4 AS tied, 0::int4 AS abandoned
WHERE false;
CREATE VIEW win_standing AS
SELECT ''::text COLLATE "C" AS game, ''::text COLLATE "C" AS season, 0::int4 AS won, ''::text COLLATE "C" AS player,
       0::int4 AS played
WHERE false;
CREATE VIEW ledger_entry AS
SELECT ''::text COLLATE "C" AS payout, 0::int8 AS version, 0::int4 AS line, ''::text COLLATE "C" AS account,
       0::int8 AS amount, 0::int8 AS at, ''::text COLLATE "C" AS rule, ''::text COLLATE "C" AS game,
       ''::text COLLATE "C" AS match, ''::text COLLATE "C" AS season, ''::text COLLATE "C" AS cause
WHERE false;
CREATE VIEW balance AS
SELECT ''::text COLLATE "C" AS account, 0::int8 AS balance, 0::int8 AS entries
WHERE false;
CREATE VIEW brilli_standing AS
SELECT ''::text COLLATE "C" AS game, ''::text COLLATE "C" AS season, 0::int8 AS brilli, ''::text COLLATE "C" AS player
WHERE false;

-- Whether a room is ranked: false until the rows that know it have been built and swapped in.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['lobby', 'room'] LOOP
        EXECUTE format(
            'CREATE OR REPLACE VIEW %I AS SELECT before.*, false AS ranked FROM (%s) AS before',
            name, rtrim(pg_get_viewdef(name::regclass), ';')
        );
    END LOOP;
END $$;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'circolo_reader') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO circolo_reader', current_schema());
        GRANT SELECT ON match_player, match_history, player_statistics, win_standing, ledger_entry, balance,
            brilli_standing TO circolo_reader;
    END IF;
END $$;
