-- What consumers of a log share: who is at work, and how a checkpoint moves.

-- One active replica a name. A lease and no session lock: it works through a pooler, a stopped process loses it when
-- its time is over, and no open transaction holds vacuum back. Correctness never rests on it.
CREATE TABLE lease (
    name text COLLATE "C" PRIMARY KEY,
    holder uuid NOT NULL,
    until int8 NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Moves the checkpoint of the named shards from exactly these positions, or raises C0001 and changes nothing, so that
-- one statement can carry the move and the effect.
CREATE FUNCTION move_checkpoint(
    p_consumer text, p_version int4, p_source text, p_shard int2[], p_before int8[], p_after int8[]
) RETURNS int4
LANGUAGE plpgsql AS $$
DECLARE
    moved int4;
BEGIN
    -- Locked in the order of shards, so that two movers never deadlock.
    PERFORM 1 FROM checkpoint c
    WHERE c.consumer = p_consumer AND c.version = p_version AND c.source = p_source AND c.shard = ANY (p_shard)
    ORDER BY c.shard FOR UPDATE;
    UPDATE checkpoint c SET pos = m.after
    FROM unnest(p_shard, p_before, p_after) AS m (shard, before, after)
    WHERE c.consumer = p_consumer AND c.version = p_version AND c.source = p_source
      AND c.shard = m.shard AND c.pos = m.before;
    GET DIAGNOSTICS moved = ROW_COUNT;
    IF moved <> cardinality(p_shard) THEN
        RAISE EXCEPTION 'the checkpoint of % version % on % was moved by somebody else', p_consumer, p_version, p_source
            USING ERRCODE = 'C0001';
    END IF;
    RETURN moved;
END $$;
