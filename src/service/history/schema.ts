/**
 * Maps the states of each kind to the five statuses of the lists. Source: interface (the five), inferred (the mapping).
 */
const DEPOSIT_STATUS = {
  pending: 'pending',
  processing: 'processing',
  refunding: 'processing',
  completed: 'completed',
  refunded: 'failed',
  cancelled: 'cancelled',
};
const OFFRAMP_STATUS = {
  pending: 'pending',
  processing: 'processing',
  bank_verification: 'processing',
  transfer_pending: 'processing',
  transfer_confirmed: 'processing',
  payout_pending: 'processing',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};
const PAYOUT_STATUS = {
  pending: 'pending',
  processing: 'processing',
  transferring_cngn: 'processing',
  initiating_payout: 'processing',
  payout_processing: 'processing',
  pending_manual_review: 'pending',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  reversed: 'failed',
};

/** The triggers that copy a table's rows to `movement` and keep them up to date. */
function movementTriggers(table: string, type: string, direction: string, user: string, statuses: object): string {
  const status = `CASE NEW.state ${Object.entries(statuses)
    .map(([state, to]) => `WHEN '${state}' THEN '${to}'`)
    .join(' ')} END`;
  const next = (column: string, where: string) =>
    `(SELECT COALESCE(MAX(${column}), 0) + 1 FROM movement WHERE fintech = NEW.fintech${where})`;
  return `CREATE TRIGGER ${table}_is_listed AFTER INSERT ON ${table} BEGIN
  INSERT INTO movement (fintech, position, direction, direction_position, type, subject, user, status, amount_kobo, created_at)
  VALUES (NEW.fintech, ${next('position', '')}, '${direction}', ${next('direction_position', ` AND direction = '${direction}'`)},
    ${type}, NEW.id, ${user}, ${status}, NEW.amount_kobo, NEW.created_at);
END;
CREATE TRIGGER ${table}_changes_in_list AFTER UPDATE OF state ON ${table} WHEN OLD.state <> NEW.state BEGIN
  UPDATE movement SET status = ${status} WHERE type = ${type} AND subject = NEW.id;
END;`;
}

/**
 * Bank transfers in and out as one list, newest last, with gapless positions, so that a page at any depth is found by
 * position. The triggers maintain the list and the counts and sums per kind and status; they belong to tables that come
 * before these in the schema.
 */
export const MOVEMENTS = `
CREATE TABLE movement (
  id INTEGER PRIMARY KEY, fintech INTEGER NOT NULL, position INTEGER NOT NULL, direction TEXT NOT NULL, direction_position INTEGER NOT NULL,
  type TEXT NOT NULL, subject INTEGER NOT NULL, user INTEGER, status TEXT NOT NULL, amount_kobo INTEGER NOT NULL, created_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX movement_by_position ON movement (fintech, position);
CREATE UNIQUE INDEX movement_by_direction ON movement (fintech, direction, direction_position);
CREATE UNIQUE INDEX movement_by_subject ON movement (type, subject);
CREATE INDEX movement_by_user ON movement (user, position) WHERE user IS NOT NULL;
CREATE TABLE movement_tally (
  fintech INTEGER NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL, movements INTEGER NOT NULL, kobo INTEGER NOT NULL,
  PRIMARY KEY (fintech, type, status)) STRICT, WITHOUT ROWID;
${movementTriggers('deposit', "CASE WHEN NEW.user IS NULL THEN 'fintech_deposit' ELSE 'user_onramp' END", 'in', 'NEW.user', DEPOSIT_STATUS)}
${movementTriggers('offramp', "'user_offramp'", 'out', 'NEW.user', OFFRAMP_STATUS)}
${movementTriggers('payout', "'fintech_offramp'", 'out', 'NULL', PAYOUT_STATUS)}
CREATE TRIGGER movement_is_tallied AFTER INSERT ON movement BEGIN
  INSERT INTO movement_tally VALUES (NEW.fintech, NEW.type, NEW.status, 1, NEW.amount_kobo)
  ON CONFLICT DO UPDATE SET movements = movements + 1, kobo = kobo + excluded.kobo;
END;
CREATE TRIGGER movement_changes_tally AFTER UPDATE OF status ON movement WHEN OLD.status <> NEW.status BEGIN
  UPDATE movement_tally SET movements = movements - 1, kobo = kobo - OLD.amount_kobo
  WHERE fintech = OLD.fintech AND type = OLD.type AND status = OLD.status;
  INSERT INTO movement_tally VALUES (NEW.fintech, NEW.type, NEW.status, 1, NEW.amount_kobo)
  ON CONFLICT DO UPDATE SET movements = movements + 1, kobo = kobo + excluded.kobo;
END;`;
