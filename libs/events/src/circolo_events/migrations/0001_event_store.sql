-- One service's event store, in the service's own schema (unqualified names: the connection's search_path decides).

-- The last contiguous position of each shard. Locked last in an append and ascending, so that appends never deadlock
-- and positions become visible in their order: a reader never sees a hole.
CREATE TABLE shard_head (
    shard int2 PRIMARY KEY,
    head int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
INSERT INTO shard_head (shard) SELECT generate_series(0, 15);

-- A stream's version and the end of its hash chain (one link for each append).
CREATE TABLE stream (
    shard int2 NOT NULL,
    stream text COLLATE "C" NOT NULL,
    version int8 NOT NULL,
    tail bytea NOT NULL,
    PRIMARY KEY (shard, stream)
) WITH (fillfactor = 70);

CREATE TABLE event (
    shard int2 NOT NULL,
    pos int8 NOT NULL,
    stream text COLLATE "C" NOT NULL,
    version int8 NOT NULL,
    event_id uuid NOT NULL,
    command_id uuid NOT NULL,
    command_seq int2 NOT NULL,
    command_n int2 NOT NULL,
    type text NOT NULL,
    schema_v int2 NOT NULL,
    data bytea NOT NULL,
    meta bytea NOT NULL,
    chain bytea,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (shard, pos),
    UNIQUE (shard, stream, version)
);
-- A command commits once on its stream, for ever.
CREATE UNIQUE INDEX event_command ON event (shard, stream, command_id) WHERE command_seq = 0;

-- What is armed. Written and cleared by the append of the event that changed it.
CREATE TABLE deadline (
    shard int2 NOT NULL,
    stream text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    due_at int8 NOT NULL,
    version int8 NOT NULL,
    lease_until int8 NOT NULL DEFAULT 0,
    attempts int4 NOT NULL DEFAULT 0,
    PRIMARY KEY (shard, stream, kind)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX deadline_due ON deadline (due_at);

-- How far a consumer has read a source's shard; moved by compare-and-set in the transaction of the effect.
CREATE TABLE checkpoint (
    consumer text COLLATE "C" NOT NULL,
    version int4 NOT NULL,
    source text COLLATE "C" NOT NULL,
    shard int2 NOT NULL,
    pos int8 NOT NULL,
    PRIMARY KEY (consumer, version, source, shard)
) WITH (fillfactor = 50);

-- A stream whose event a consumer could not digest: its later events wait here too, the shard goes on.
CREATE TABLE parked (
    consumer text COLLATE "C" NOT NULL,
    version int4 NOT NULL,
    source text COLLATE "C" NOT NULL,
    shard int2 NOT NULL,
    pos int8 NOT NULL,
    stream text COLLATE "C" NOT NULL,
    error text NOT NULL,
    attempts int4 NOT NULL DEFAULT 1,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (consumer, version, source, shard, pos)
);
CREATE INDEX parked_stream ON parked (consumer, version, source, stream);

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'circolo_log_reader') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO circolo_log_reader', current_schema());
        GRANT SELECT ON event, stream, shard_head TO circolo_log_reader;
    END IF;
END $$;
