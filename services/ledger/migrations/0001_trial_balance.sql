-- What the log's entries add up to, by kind of account (player, pot, penalties). Double entry: the sum of all is zero.
CREATE TABLE trial_balance (
    kind text COLLATE "C" PRIMARY KEY,
    amount int8 NOT NULL
) WITH (fillfactor = 50);
