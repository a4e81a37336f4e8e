/**
 * The ledger's tables, and the triggers that protect them. A posting changes one account; a posting set closes the postings
 * of one event, and only a set that sums to zero per asset can be closed. Postings without a closed set fail when the
 * transaction commits.
 */
export const LEDGER = `
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
CREATE TRIGGER posting_set_stays BEFORE DELETE ON posting_set BEGIN SELECT RAISE(ABORT, 'posting sets are final'); END;`;
