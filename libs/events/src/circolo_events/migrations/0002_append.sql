-- Many unrelated appends in one statement, each with its own outcome.
--
-- a_*: one entry for each append, ascending by (shard, stream), a stream at most once.
--      a_expected: 0 the stream must be new, > 0 exactly this version, -1 any.
--      a_digest:   SHA-256 over the append's canonical bytes; the next link of the stream's hash chain is
--                  SHA-256(previous link || digest).
-- e_*: their events, flat; e_app is the index (from 1) of the append, e_seq counts from 0 within it.
-- d_*: deadlines to arm (kind, due, version); x_*: kinds to clear. Both happen only where the append did.
--
-- outcome: 0 appended; 1 this command was appended before (its first answer is returned); 2 another version.
-- last_version: of the command's last event (0, 1) or of the stream (2). first_pos: of its first event (0, 1).
CREATE FUNCTION append(
    a_shard int2[], a_stream text[], a_expected int8[], a_command uuid[], a_n int2[], a_digest bytea[],
    e_app int4[], e_seq int2[], e_id uuid[], e_type text[], e_schema int2[], e_data bytea[], e_meta bytea[],
    d_app int4[], d_kind text[], d_due int8[], d_version int8[],
    x_app int4[], x_kind text[]
) RETURNS TABLE (outcome int2, last_version int8, first_pos int8)
LANGUAGE plpgsql AS $$
DECLARE
    n int4 := cardinality(a_shard);
    i int4;
    j int4;
    new_version int8;
    new_tail bytea;
    earlier record;
    outcomes int2[] := array_fill(0::int2, ARRAY[n]);
    versions int8[] := array_fill(NULL::int8, ARRAY[n]);
    positions int8[] := array_fill(NULL::int8, ARRAY[n]);
    tails bytea[] := array_fill(NULL::bytea, ARRAY[n]);
    added int8;
    next_pos int8;
BEGIN
    FOR i IN 1..n LOOP
        new_version := NULL;
        IF a_expected[i] = 0 THEN
            INSERT INTO stream AS s (shard, stream, version, tail)
            VALUES (a_shard[i], a_stream[i], a_n[i], sha256(a_digest[i]))
            ON CONFLICT DO NOTHING
            RETURNING s.version, s.tail INTO new_version, new_tail;
        ELSE
            IF a_expected[i] < 0 THEN
                INSERT INTO stream (shard, stream, version, tail) VALUES (a_shard[i], a_stream[i], 0, '')
                ON CONFLICT DO NOTHING;
                -- Wait for whoever holds the row now, so that the next statement's snapshot has what he committed.
                PERFORM 1 FROM stream s WHERE s.shard = a_shard[i] AND s.stream = a_stream[i] FOR UPDATE;
            END IF;
            UPDATE stream AS s
            SET version = s.version + a_n[i], tail = sha256(s.tail || a_digest[i])
            WHERE s.shard = a_shard[i] AND s.stream = a_stream[i]
              AND (a_expected[i] < 0 OR s.version = a_expected[i])
              AND NOT EXISTS (
                SELECT FROM event e
                WHERE e.shard = a_shard[i] AND e.stream = a_stream[i]
                  AND e.command_id = a_command[i] AND e.command_seq = 0
              )
            RETURNING s.version, s.tail INTO new_version, new_tail;
        END IF;

        IF new_version IS NOT NULL THEN
            versions[i] := new_version;
            tails[i] := new_tail;
        ELSE
            SELECT e.version + e.command_n - 1 AS last_version, e.pos INTO earlier
            FROM event e
            WHERE e.shard = a_shard[i] AND e.stream = a_stream[i]
              AND e.command_id = a_command[i] AND e.command_seq = 0;
            IF FOUND THEN
                outcomes[i] := 1;
                versions[i] := earlier.last_version;
                positions[i] := earlier.pos;
            ELSE
                outcomes[i] := 2;
                SELECT s.version INTO new_version FROM stream s WHERE s.shard = a_shard[i] AND s.stream = a_stream[i];
                versions[i] := coalesce(new_version, 0);
            END IF;
        END IF;
    END LOOP;

    i := 1;
    WHILE i <= n LOOP
        added := 0;
        FOR j IN i..n LOOP
            EXIT WHEN a_shard[j] <> a_shard[i];
            IF outcomes[j] = 0 THEN added := added + a_n[j]; END IF;
        END LOOP;
        IF added > 0 THEN
            UPDATE shard_head h SET head = h.head + added WHERE h.shard = a_shard[i]
            RETURNING h.head - added + 1 INTO next_pos;
        END IF;
        j := i;
        WHILE i <= n AND a_shard[i] = a_shard[j] LOOP
            IF outcomes[i] = 0 THEN
                positions[i] := next_pos;
                next_pos := next_pos + a_n[i];
            END IF;
            i := i + 1;
        END LOOP;
    END LOOP;

    INSERT INTO event (shard, pos, stream, version, event_id, command_id, command_seq, command_n, type, schema_v,
                       data, meta, chain)
    SELECT a_shard[e.app], positions[e.app] + e.seq, a_stream[e.app], versions[e.app] - a_n[e.app] + 1 + e.seq, e.id,
           a_command[e.app], e.seq, a_n[e.app], e.type, e.schema_v, e.data, e.meta,
           CASE WHEN e.seq = a_n[e.app] - 1 THEN tails[e.app] END
    FROM unnest(e_app, e_seq, e_id, e_type, e_schema, e_data, e_meta) AS e (app, seq, id, type, schema_v, data, meta)
    WHERE outcomes[e.app] = 0;

    IF cardinality(x_app) > 0 THEN
        DELETE FROM deadline d
        USING unnest(x_app, x_kind) AS x (app, kind)
        WHERE outcomes[x.app] = 0 AND d.shard = a_shard[x.app] AND d.stream = a_stream[x.app] AND d.kind = x.kind;
    END IF;
    IF cardinality(d_app) > 0 THEN
        INSERT INTO deadline AS old (shard, stream, kind, due_at, version)
        SELECT a_shard[d.app], a_stream[d.app], d.kind, d.due_at, d.version
        FROM unnest(d_app, d_kind, d_due, d_version) AS d (app, kind, due_at, version)
        WHERE outcomes[d.app] = 0
        ON CONFLICT (shard, stream, kind) DO UPDATE
        SET due_at = excluded.due_at, version = excluded.version, lease_until = 0, attempts = 0;
    END IF;

    RETURN QUERY SELECT o.outcome, v.version, p.pos
    FROM unnest(outcomes) WITH ORDINALITY AS o (outcome, k)
    JOIN unnest(versions) WITH ORDINALITY AS v (version, k) USING (k)
    JOIN unnest(positions) WITH ORDINALITY AS p (pos, k) USING (k)
    ORDER BY k;
END $$;
