-- Read models by generation: room_g<number> is filled from the first event on, beside the one that is being read, and
-- the views are turned to it when it has caught up. The tables are made by the code that fills them.

CREATE TABLE generation (
    number int4 PRIMARY KEY,
    model int4 NOT NULL,
    state text NOT NULL CHECK (state IN ('BUILDING', 'LIVE', 'RETIRED')),
    since timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX generation_live ON generation (state) WHERE state = 'LIVE';

-- What others read; empty until the first generation is there. Columns are only ever added at the end.
CREATE VIEW lobby AS
SELECT ''::text COLLATE "C" AS room, ''::text COLLATE "C" AS code, ''::text COLLATE "C" AS game,
       ''::text COLLATE "C" AS host, 0::int4 AS seats, 0::int4 AS taken, ''::text COLLATE "C" AS phase,
       ''::text COLLATE "C" AS settings_json, 0::int8 AS created_at, 0::int8 AS version
WHERE false;
CREATE VIEW room AS
SELECT ''::text COLLATE "C" AS room, ''::text COLLATE "C" AS code, ''::text COLLATE "C" AS visibility,
       ''::text COLLATE "C" AS phase, ''::text COLLATE "C" AS game, ''::text COLLATE "C" AS host, 0::int4 AS seats,
       0::int4 AS taken, 0::int4 AS members, 0::int4 AS spectators, 0::int4 AS game_no,
       ''::text COLLATE "C" AS game_id, ''::text COLLATE "C" AS settings_json, 0::int8 AS created_at,
       0::int8 AS version
WHERE false;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'circolo_reader') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO circolo_reader', current_schema());
        GRANT SELECT ON lobby, room TO circolo_reader;
    END IF;
END $$;
