/**
 * The sandbox's tables. Money is INTEGER in the asset's smallest unit, named for it; times are INTEGER
 * milliseconds since the epoch, sandbox time. Rows refer to each other by rowid; what the outside sees is the public id beside it.
 */
export const SCHEMA_VERSION = 1;
/** `frsb`, in ASCII. */
export const SANDBOX_FILE_ID = 0x66727362;

export const SCHEMA = `
CREATE TABLE setting (
  id INTEGER PRIMARY KEY CHECK (id = 1), clock_offset_ms INTEGER NOT NULL, pace TEXT NOT NULL, rate_limits INTEGER NOT NULL,
  bvn_digest_key TEXT NOT NULL, embedded_api_key TEXT NOT NULL) STRICT;

CREATE TABLE fintech (
  id INTEGER PRIMARY KEY, fintech_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, users INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE api_key (
  key TEXT PRIMARY KEY, fintech INTEGER NOT NULL REFERENCES fintech, created_at INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE rate_window (
  fintech INTEGER NOT NULL, endpoint TEXT NOT NULL, window_start INTEGER NOT NULL, used INTEGER NOT NULL,
  PRIMARY KEY (fintech, endpoint)) STRICT, WITHOUT ROWID;

CREATE TABLE onboarding (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user_id TEXT NOT NULL, bvn_digest TEXT NOT NULL,
  first_name TEXT NOT NULL, middle_name TEXT NOT NULL, last_name TEXT NOT NULL, verifies INTEGER NOT NULL,
  state TEXT NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
CREATE UNIQUE INDEX onboarding_bvn ON onboarding (bvn_digest) WHERE state <> 'failed';

CREATE TABLE user (
  id INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, onboarding INTEGER NOT NULL REFERENCES onboarding,
  first_name TEXT NOT NULL, middle_name TEXT NOT NULL, last_name TEXT NOT NULL,
  active INTEGER NOT NULL, created_at INTEGER NOT NULL, verified_at INTEGER NOT NULL) STRICT;
CREATE INDEX user_inactive ON user (fintech) WHERE active = 0;
CREATE INDEX user_by_verified ON user (fintech, verified_at, id, active);
CREATE INDEX user_by_created ON user (fintech, created_at, id, active);

CREATE TABLE wallet (
  id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER REFERENCES user,
  kind TEXT NOT NULL CHECK (kind IN ('fintech', 'managed', 'generated', 'multi_chain')),
  blockchain TEXT NOT NULL, custom_owner TEXT, token_buy TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX wallet_of_fintech ON wallet (fintech) WHERE kind = 'fintech';
CREATE INDEX wallet_by_user ON wallet (user) WHERE user IS NOT NULL;

CREATE TABLE virtual_account (
  id INTEGER PRIMARY KEY, number TEXT NOT NULL UNIQUE, kind TEXT NOT NULL CHECK (kind IN ('user_permanent', 'temporary')),
  fintech INTEGER NOT NULL, user INTEGER NOT NULL REFERENCES user, onramp INTEGER REFERENCES onramp,
  name TEXT NOT NULL, status TEXT NOT NULL, expires_at INTEGER, created_at INTEGER NOT NULL) STRICT;
CREATE INDEX virtual_account_by_user ON virtual_account (user, kind);
CREATE INDEX virtual_account_by_onramp ON virtual_account (onramp) WHERE onramp IS NOT NULL;

CREATE TABLE onramp (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER NOT NULL REFERENCES user,
  wallet INTEGER NOT NULL REFERENCES wallet, state TEXT NOT NULL,
  base_kobo INTEGER NOT NULL, platform_fee_kobo INTEGER NOT NULL, fintech_fee_kobo INTEGER NOT NULL,
  platform_percent_millionths INTEGER NOT NULL, fintech_percent_millionths INTEGER NOT NULL,
  platform_capped INTEGER NOT NULL, fintech_capped INTEGER NOT NULL,
  sweep INTEGER NOT NULL, tx_hash TEXT, created_at INTEGER NOT NULL,
  funding_requested_at INTEGER, funded_at INTEGER, completed_at INTEGER) STRICT;
CREATE INDEX onramp_in_flight ON onramp (fintech, state) WHERE state IN ('requested', 'pending', 'processing', 'funded');

CREATE TABLE deposit (
  id INTEGER PRIMARY KEY, deposit_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER NOT NULL REFERENCES user,
  virtual_account INTEGER NOT NULL REFERENCES virtual_account, onramp INTEGER REFERENCES onramp, state TEXT NOT NULL,
  amount_kobo INTEGER NOT NULL, platform_fee_kobo INTEGER NOT NULL, fintech_fee_kobo INTEGER NOT NULL,
  sender_name TEXT NOT NULL, sender_account TEXT NOT NULL, sender_bank_code TEXT NOT NULL, sender_bank_name TEXT NOT NULL,
  reference TEXT NOT NULL, refund_reason TEXT, refund_reference TEXT, name_score_percent INTEGER, tx_hash TEXT,
  created_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
CREATE INDEX deposit_by_account ON deposit (virtual_account);
CREATE INDEX deposit_in_flight ON deposit (fintech, state) WHERE state IN ('processing', 'refunding');

CREATE TABLE offramp (
  id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER NOT NULL REFERENCES user, state TEXT NOT NULL,
  amount_kobo INTEGER NOT NULL, platform_fee_kobo INTEGER NOT NULL, fintech_fee_kobo INTEGER NOT NULL,
  account_number TEXT NOT NULL, bank_code TEXT NOT NULL, account_name TEXT NOT NULL,
  tx_hash TEXT NOT NULL, block_number INTEGER NOT NULL, payout_reference TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE INDEX offramp_in_flight ON offramp (fintech, state) WHERE state = 'payout_pending';
CREATE TABLE offramp_source (
  offramp INTEGER NOT NULL REFERENCES offramp, wallet INTEGER NOT NULL REFERENCES wallet, network TEXT NOT NULL,
  amount_base INTEGER NOT NULL CHECK (amount_base > 0), PRIMARY KEY (offramp, wallet, network)) STRICT, WITHOUT ROWID;

CREATE TABLE bank_account (
  id INTEGER PRIMARY KEY, account_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, number TEXT NOT NULL, bank_code TEXT NOT NULL,
  verified_name TEXT NOT NULL, label TEXT, is_default INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE INDEX bank_account_by_fintech ON bank_account (fintech, id);

CREATE TABLE fee_setting (
  fintech INTEGER NOT NULL, direction TEXT NOT NULL CHECK (direction IN ('onramp', 'offramp')),
  percent_millionths INTEGER NOT NULL, cap_kobo INTEGER NOT NULL, enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (fintech, direction)) STRICT, WITHOUT ROWID;
CREATE TABLE fee_tally (
  fintech INTEGER NOT NULL, direction TEXT NOT NULL CHECK (direction IN ('onramp', 'offramp')),
  transactions INTEGER NOT NULL, earned_kobo INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY (fintech, direction)) STRICT, WITHOUT ROWID;

CREATE TABLE due (id INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, machine TEXT NOT NULL, subject INTEGER NOT NULL, event TEXT NOT NULL) STRICT;
CREATE INDEX due_by_time ON due (due_at, id);
-- What fell due and could not be done: a fault of the sandbox, set aside so that it holds up nothing else.
CREATE TABLE stuck (id INTEGER PRIMARY KEY, due_at INTEGER NOT NULL, machine TEXT NOT NULL, subject INTEGER NOT NULL, event TEXT NOT NULL, reason TEXT NOT NULL) STRICT;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY, event_id TEXT NOT NULL, fintech INTEGER NOT NULL, event TEXT NOT NULL, request_id TEXT, user_id TEXT,
  data TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;

-- The ledger. A posting moves money on one account; a posting set closes the postings of one event, and only a set that
-- sums to zero per asset can be closed. Postings without a closed set fail when the transaction commits.
CREATE TABLE account (
  id INTEGER PRIMARY KEY, code TEXT NOT NULL, asset TEXT NOT NULL CHECK (asset IN ('NGN', 'CNGN', 'USDC', 'USDT')),
  may_be_negative INTEGER NOT NULL, balance INTEGER NOT NULL DEFAULT 0,
  UNIQUE (code, asset), CHECK (may_be_negative = 1 OR balance >= 0)) STRICT;
CREATE TABLE posting_set (
  id INTEGER PRIMARY KEY, event TEXT NOT NULL, subject TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
CREATE TABLE posting (
  posting_set INTEGER NOT NULL REFERENCES posting_set DEFERRABLE INITIALLY DEFERRED,
  account INTEGER NOT NULL REFERENCES account, minor INTEGER NOT NULL CHECK (minor <> 0),
  PRIMARY KEY (posting_set, account)) STRICT, WITHOUT ROWID;

CREATE TRIGGER posting_moves_balance AFTER INSERT ON posting BEGIN
  UPDATE account SET balance = balance + NEW.minor WHERE id = NEW.account;
END;
CREATE TRIGGER posting_set_sums_to_zero BEFORE INSERT ON posting_set
WHEN EXISTS (
  SELECT 1 FROM posting JOIN account ON account.id = posting.account WHERE posting.posting_set = NEW.id
  GROUP BY account.asset HAVING SUM(posting.minor) <> 0)
BEGIN SELECT RAISE(ABORT, 'the posting set does not sum to zero'); END;
CREATE TRIGGER posting_set_is_not_empty BEFORE INSERT ON posting_set
WHEN NOT EXISTS (SELECT 1 FROM posting WHERE posting_set = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the posting set is empty'); END;
CREATE TRIGGER posting_set_is_new BEFORE INSERT ON posting_set
WHEN EXISTS (SELECT 1 FROM posting_set WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'posting sets are final'); END;
CREATE TRIGGER posting_set_is_closed BEFORE INSERT ON posting
WHEN EXISTS (SELECT 1 FROM posting_set WHERE id = NEW.posting_set)
BEGIN SELECT RAISE(ABORT, 'the posting set is closed'); END;
CREATE TRIGGER posting_is_final BEFORE UPDATE ON posting BEGIN SELECT RAISE(ABORT, 'postings are final'); END;
CREATE TRIGGER posting_stays BEFORE DELETE ON posting BEGIN SELECT RAISE(ABORT, 'postings are final'); END;
CREATE TRIGGER posting_set_is_final BEFORE UPDATE ON posting_set BEGIN SELECT RAISE(ABORT, 'posting sets are final'); END;
CREATE TRIGGER posting_set_stays BEFORE DELETE ON posting_set BEGIN SELECT RAISE(ABORT, 'posting sets are final'); END;
`;

/** Every table and trigger, dropped in an order that foreign keys allow: for a reset. */
export const DROP_ALL = `SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'trigger') AND name NOT LIKE 'sqlite_%' ORDER BY type DESC`;
