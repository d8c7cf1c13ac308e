-- Personal text lives beside the log, so that it can be erased; the event holds HMAC-SHA-256(salt, name).

-- What a player is called now: the newest name whose event is committed.
CREATE TABLE profile (
    player text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    salt bytea NOT NULL,
    command_id text COLLATE "C" NOT NULL,
    version int8 NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Names on their way: written before the append under its command id, moved to profile after it. Whose command never
-- committed is swept after an hour.
CREATE TABLE profile_draft (
    command_id text COLLATE "C" PRIMARY KEY,
    player text COLLATE "C" NOT NULL,
    name text NOT NULL,
    salt bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX profile_draft_at ON profile_draft (at);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'circolo_reader') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO circolo_reader', current_schema());
        GRANT SELECT (player, name) ON profile TO circolo_reader;
    END IF;
END $$;
