-- The tables of version 2, as an earlier build made them.
CREATE TABLE setting (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
CREATE TABLE account_name (name text COLLATE "C" PRIMARY KEY, account text COLLATE "C" NOT NULL);
CREATE TABLE operation (
  id text COLLATE "C" PRIMARY KEY, kind text NOT NULL, account text COLLATE "C" NOT NULL, profile text NOT NULL,
  mode text NOT NULL, base_url text NOT NULL, endpoint text NOT NULL, effect text NOT NULL, command text COLLATE "C" NOT NULL,
  summary text NOT NULL, request text NOT NULL, input_digest text COLLATE "C" NOT NULL, once_key text COLLATE "C", tag text,
  operator text NOT NULL, host text NOT NULL, process bigint NOT NULL, created_at bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('prepared', 'sent', 'unknown', 'accepted', 'settled', 'failed', 'refused', 'resolved')), request_id text COLLATE "C", verdict text, detail text,
  result text, updated_at bigint NOT NULL, busy_until bigint NOT NULL, asset text COLLATE "C", minor bigint, baseline text);
CREATE TABLE transition (
  sequence bigint PRIMARY KEY, operation_id text COLLATE "C" NOT NULL REFERENCES operation, host text COLLATE "C" NOT NULL,
  state text NOT NULL, at bigint NOT NULL, request_id text, verdict text, detail text, result text,
  hash text COLLATE "C" NOT NULL);
CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'a transition never changes and is never deleted'; END $$;
CREATE TRIGGER transition_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON transition EXECUTE FUNCTION reject();
CREATE UNIQUE INDEX held_once_key ON operation (account, once_key)
  WHERE once_key IS NOT NULL AND state <> 'refused' AND verdict IS DISTINCT FROM 'not-done';
CREATE INDEX operation_like ON operation (account, input_digest, created_at);
CREATE INDEX operation_by_request ON operation (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX transition_of ON transition (operation_id, sequence);
CREATE INDEX transition_by_host ON transition (host, sequence);
CREATE INDEX transition_by_hash ON transition (hash);
CREATE TABLE rotation (
  operation_id text COLLATE "C" PRIMARY KEY REFERENCES operation, profile text NOT NULL, base_url text NOT NULL,
  stage text NOT NULL, key_place text NOT NULL, old_fingerprint text NOT NULL, pushes text NOT NULL,
  pushed bigint NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX open_rotation ON rotation (profile, base_url) WHERE stage IN ('prepared', 'sending', 'answered', 'stored', 'proven');
CREATE INDEX operation_by_time ON operation (created_at, id);
CREATE INDEX operation_by_kind ON operation (kind, created_at, id);
CREATE INDEX operation_by_state ON operation (state, created_at, id);
CREATE INDEX operation_by_state_kind ON operation (state, kind, created_at, id);
CREATE INDEX operation_in_doubt ON operation (created_at, id) WHERE state IN ('sent', 'unknown');
CREATE INDEX operation_in_doubt_by_kind ON operation (kind, created_at, id) WHERE state IN ('sent', 'unknown');
CREATE INDEX operation_by_once_key ON operation (once_key, created_at, id) WHERE once_key IS NOT NULL;
CREATE TABLE tally (name text PRIMARY KEY, count bigint NOT NULL);
INSERT INTO tally VALUES ('operations', 0);
CREATE FUNCTION count_operation() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN UPDATE tally SET count = count + 1 WHERE name = 'operations'; RETURN NULL; END $$;
CREATE TRIGGER operation_counted AFTER INSERT ON operation FOR EACH ROW EXECUTE FUNCTION count_operation();
CREATE TABLE spent (
  account text COLLATE "C" NOT NULL, asset text COLLATE "C" NOT NULL, day bigint NOT NULL, command text COLLATE "C" NOT NULL,
  minor bigint NOT NULL, PRIMARY KEY (account, asset, day, command));
