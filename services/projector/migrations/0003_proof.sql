-- Whoever may read every log may hold the balances against the ledger's (`circolo ledger prove`).
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'circolo_log_reader') THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO circolo_log_reader', current_schema());
        GRANT SELECT ON balance TO circolo_log_reader;
    END IF;
END $$;
