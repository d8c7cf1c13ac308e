-- The question bank. owner: whose nights get it; '' is the house's, for everybody. mark_*: the text without case, accents,
-- punctuation and spaces, so that a question is there once for each owner.
CREATE TABLE question (
    id text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    theme text COLLATE "C" NOT NULL,
    difficulty int2 NOT NULL CHECK (difficulty BETWEEN 1 AND 5),
    prompt_it text NOT NULL,
    prompt_en text NOT NULL,
    options_it text[] NOT NULL CHECK (cardinality(options_it) = 4),
    options_en text[] NOT NULL CHECK (cardinality(options_en) = 4),
    answer int2 NOT NULL CHECK (answer BETWEEN 0 AND 3),
    source text NOT NULL,
    only_in text COLLATE "C" CHECK (only_in IN ('EN', 'IT')),
    verified boolean NOT NULL DEFAULT false,
    mark_it text COLLATE "C" NOT NULL,
    mark_en text COLLATE "C" NOT NULL,
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (owner, mark_it),
    UNIQUE (owner, mark_en)
);
CREATE INDEX question_owner_theme ON question (owner, theme);

-- What a room has been asked. at: the last time.
CREATE TABLE asked (
    room text COLLATE "C" NOT NULL,
    question text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (room, question)
);

-- Imports that were done, so that a repeated command gets its first answer. report: JSON as it was answered.
CREATE TABLE question_import (
    command_id text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    report bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
