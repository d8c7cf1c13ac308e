-- What a report froze, and how it stands. DRAFT: written before the append, swept after an hour if that never came;
-- OPEN and CLOSED follow the report's events. note, position and report_text are erased 90 days after the end.
CREATE TABLE report (
    report text COLLATE "C" PRIMARY KEY,
    reporter text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    room text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    frozen bytea NOT NULL,
    note text,
    note_salt bytea,
    position text,
    status text NOT NULL DEFAULT 'DRAFT',
    filed_at int8 NOT NULL,
    closed_at int8,
    closed_by text COLLATE "C",
    verdict text,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX report_newest ON report (filed_at, report);
CREATE INDEX report_reporter ON report (reporter, filed_at);
CREATE INDEX report_draft ON report (at) WHERE status = 'DRAFT';
CREATE INDEX report_closed ON report (closed_at) WHERE status = 'CLOSED';

-- Texts of the chat as they stood when they were reported, with the salts that prove them against the event's digests.
CREATE TABLE report_text (
    report text COLLATE "C" NOT NULL REFERENCES report ON DELETE CASCADE,
    message text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    text text NOT NULL,
    salt bytea NOT NULL,
    PRIMARY KEY (report, message)
);
CREATE INDEX report_text_player ON report_text (player);

-- Who is in which room, so that somebody can be put out of all of them. Follows the rooms' events.
CREATE TABLE membership (
    player text COLLATE "C" NOT NULL,
    room text COLLATE "C" NOT NULL,
    PRIMARY KEY (player, room)
);
CREATE INDEX membership_room ON membership (room);

-- Of whom some tokens are refused: those of an earlier epoch; of who is erased, all of them.
CREATE TABLE player_epoch (
    player text COLLATE "C" PRIMARY KEY,
    epoch int8 NOT NULL,
    erased boolean NOT NULL DEFAULT false
);
CREATE INDEX player_epoch_erased ON player_epoch (player) WHERE erased;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'circolo_reader') THEN
        GRANT SELECT ON player_epoch TO circolo_reader;
    END IF;
END $$;
