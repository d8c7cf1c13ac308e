-- ``move_checkpoint`` as before (0003), and its transaction does not wait until it is on the disk. A crash of the
-- database may take the last half second of what consumers did, effect and checkpoint together: then it is done again,
-- by the same ids, as after any crash before the commit. Only the log itself has to be there when somebody is told.
CREATE OR REPLACE FUNCTION move_checkpoint(
    p_consumer text, p_version int4, p_source text, p_shard int2[], p_before int8[], p_after int8[]
) RETURNS int4
LANGUAGE plpgsql AS $$
DECLARE
    moved int4;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
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
