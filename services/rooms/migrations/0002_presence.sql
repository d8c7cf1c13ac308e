-- A gateway's word that a player has a live subscription to a room there, until (ms since 1970). Unlogged: after a
-- crash of the database it is empty, and the gateways say it again within a third of a lease.
CREATE UNLOGGED TABLE presence_lease (
    room text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    gateway text COLLATE "C" NOT NULL,
    until int8 NOT NULL,
    PRIMARY KEY (room, player, gateway)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX presence_lease_until ON presence_lease (until);

-- Who may be marked as connected: written before the mark, deleted after its opposite, so that nobody stays connected
-- for ever because a process or the leases died. leaving: the opposite is on its way.
CREATE TABLE attendance (
    room text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    leaving boolean NOT NULL DEFAULT false,
    PRIMARY KEY (room, player)
);
