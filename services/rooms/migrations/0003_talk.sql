-- What is said in rooms lives beside the log, so that it can be erased; the event holds HMAC-SHA-256(salt, text).

-- Written before the append under the message's id, which is its command's. kept: its event is known to be there;
-- whose command never committed is swept after an hour.
CREATE TABLE chat_text (
    message text COLLATE "C" PRIMARY KEY,
    room text COLLATE "C" NOT NULL,
    player text COLLATE "C" NOT NULL,
    text text NOT NULL,
    salt bytea NOT NULL,
    kept boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX chat_text_player ON chat_text (player);
CREATE INDEX chat_text_doubtful ON chat_text (at) WHERE NOT kept;
