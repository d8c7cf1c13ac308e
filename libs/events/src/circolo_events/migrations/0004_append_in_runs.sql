-- ``append`` as before (0002 says what its arguments and its answer mean), with fewer statements inside: a batch of a
-- busy house is two dozen appends, nearly all of them to streams whose version is known, and a statement for each of
-- these was a third of what an append cost.
--
-- Rows are locked ascending by (shard, stream) here too, so that appends never deadlock: neighbours with an exact version
-- are one UPDATE whose only plan is a walk through the arrays. Each row's place (ctid) is looked up by key in a
-- subquery, since a join by the key would be planned as a walk through the table while that has a few rows, and a session
-- would keep the plan. A row that somebody moves between the look-up and the UPDATE has another version by then.
--
-- Generic plans only: with short arrays Postgres takes a plan made for them to be worth its price, and plans every call
-- anew, which costs a lone append half as much again.
CREATE OR REPLACE FUNCTION append(
    a_shard int2[], a_stream text[], a_expected int8[], a_command uuid[], a_n int2[], a_digest bytea[],
    e_app int4[], e_seq int2[], e_id uuid[], e_type text[], e_schema int2[], e_data bytea[], e_meta bytea[],
    d_app int4[], d_kind text[], d_due int8[], d_version int8[],
    x_app int4[], x_kind text[]
) RETURNS TABLE (outcome int2, last_version int8, first_pos int8)
LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    n int4 := cardinality(a_shard);
    i int4;
    j int4;
    found_row record;
    outcomes int2[] := array_fill(2::int2, ARRAY[n]);
    versions int8[] := array_fill(0::int8, ARRAY[n]);
    positions int8[] := array_fill(NULL::int8, ARRAY[n]);
    tails bytea[] := array_fill(NULL::bytea, ARRAY[n]);
    added int8[] := array_fill(0::int8, ARRAY[16]);
    next_pos int8[] := array_fill(0::int8, ARRAY[16]);
BEGIN
    i := 1;
    WHILE i <= n LOOP
        j := i;
        WHILE j < n AND a_expected[i] > 0 AND a_expected[j + 1] > 0 LOOP j := j + 1; END LOOP;
        IF j > i THEN
            FOR found_row IN
                UPDATE stream AS s
                SET version = s.version + a.n, tail = sha256(s.tail || a.digest)
                FROM (
                    SELECT u.*, (SELECT t.ctid FROM stream t WHERE t.shard = u.shard AND t.stream = u.stream) AS place
                    FROM unnest(a_shard[i:j], a_stream[i:j], a_expected[i:j], a_command[i:j], a_n[i:j], a_digest[i:j])
                        WITH ORDINALITY AS u (shard, stream, expected, command, n, digest, nth)
                    WHERE NOT EXISTS (
                        SELECT FROM event e
                        WHERE e.shard = u.shard AND e.stream = u.stream
                          AND e.command_id = u.command AND e.command_seq = 0
                        OFFSET 0 -- asked for each, and not joined
                      )
                    OFFSET 0
                ) AS a
                WHERE s.ctid = a.place AND s.version = a.expected
                RETURNING i + a.nth - 1 AS app, s.version, s.tail
            LOOP
                outcomes[found_row.app] := 0;
                versions[found_row.app] := found_row.version;
                tails[found_row.app] := found_row.tail;
            END LOOP;
        ELSE
            IF a_expected[i] = 0 THEN
                INSERT INTO stream AS s (shard, stream, version, tail)
                VALUES (a_shard[i], a_stream[i], a_n[i], sha256(a_digest[i]))
                ON CONFLICT DO NOTHING
                RETURNING s.version, s.tail INTO found_row;
            ELSE
                IF a_expected[i] < 0 THEN
                    INSERT INTO stream (shard, stream, version, tail) VALUES (a_shard[i], a_stream[i], 0, '')
                    ON CONFLICT DO NOTHING;
                    -- Wait for who holds the row now, so that the next statement's snapshot has what he committed.
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
                RETURNING s.version, s.tail INTO found_row;
            END IF;
            IF FOUND THEN
                outcomes[i] := 0;
                versions[i] := found_row.version;
                tails[i] := found_row.tail;
            END IF;
        END IF;
        i := j + 1;
    END LOOP;

    FOR i IN 1..n LOOP
        IF outcomes[i] = 0 THEN
            positions[i] := added[a_shard[i] + 1];
            added[a_shard[i] + 1] := added[a_shard[i] + 1] + a_n[i];
        ELSE
            SELECT e.version + e.command_n - 1 AS last_version, e.pos INTO found_row
            FROM event e
            WHERE e.shard = a_shard[i] AND e.stream = a_stream[i]
              AND e.command_id = a_command[i] AND e.command_seq = 0;
            IF FOUND THEN
                outcomes[i] := 1;
                versions[i] := found_row.last_version;
                positions[i] := found_row.pos;
            ELSE
                SELECT s.version INTO found_row FROM stream s WHERE s.shard = a_shard[i] AND s.stream = a_stream[i];
                versions[i] := coalesce(found_row.version, 0);
            END IF;
        END IF;
    END LOOP;

    FOR found_row IN
        UPDATE shard_head h SET head = h.head + u.added
        FROM unnest(added) WITH ORDINALITY AS u (added, nth)
        WHERE h.shard = (u.nth - 1)::int2 AND u.added > 0
        RETURNING u.nth, h.head - u.added + 1 AS first_pos
    LOOP
        next_pos[found_row.nth] := found_row.first_pos;
    END LOOP;
    FOR i IN 1..n LOOP
        IF outcomes[i] = 0 THEN positions[i] := positions[i] + next_pos[a_shard[i] + 1]; END IF;
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

    RETURN QUERY SELECT unnest(outcomes), unnest(versions), unnest(positions);
END $$;
