import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FakeWorld } from '../support/world.ts';

/** The fees of a row: in the local copy, or in the sandbox's ledger. */
interface Fees {
  readonly own: bigint | null;
  readonly platform: bigint | null;
}

export interface CopiedFees extends Fees {
  readonly id: string;
  readonly user: string | null;
  readonly known: string | null;
  readonly rule: string | null;
}

function rowsIn<T>(path: string, sql: string): readonly T[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all() as unknown as readonly T[];
  } finally {
    database.close();
  }
}

/** What the views say of the fees of each row. */
export const FEES_SQL = ['deposits', 'payouts']
  .map(
    (view) => `SELECT id, user_id AS "user", own_fee_minor AS own, platform_fee_minor AS platform, fee_known AS known,
      fee_rule AS rule FROM ${view}`,
  )
  .join(' UNION ALL ');

export const copiedFees = ({ stateDir }: FakeWorld, name = 'copy-embedded.db'): readonly CopiedFees[] =>
  rowsIn<CopiedFees>(join(stateDir, name), FEES_SQL);

/** What the sandbox took from each row, and whose it is. What was returned cost nothing, but for a payout that the bank sent back. */
function takenIn({ stateDir }: FakeWorld): ReadonlyMap<string, Fees & { readonly user: string | null }> {
  const free = (states: string, fee: string) => `CASE WHEN x.state IN (${states}) THEN 0 ELSE ${fee} END`;
  const returned = `'refunding', 'refunded', 'cancelled', 'failed'`;
  const rows = rowsIn<Fees & { readonly id: string; readonly user: string | null }>(
    join(stateDir, 'sandbox.db'),
    `SELECT deposit_id AS id, u.user_id AS user, ${free(returned, 'fintech_fee_kobo')} AS own,
       ${free(returned, 'platform_fee_kobo')} AS platform FROM deposit x LEFT JOIN user u ON u.id = x.user
     UNION ALL SELECT request_id, u.user_id, ${free(returned, 'fintech_fee_kobo')}, ${free(returned, 'platform_fee_kobo')}
       FROM offramp x LEFT JOIN user u ON u.id = x.user
     UNION ALL SELECT request_id, NULL, 0, ${free(returned, 'platform_fee_kobo')} FROM payout x`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Compares every fee and every user of an offramp with the ledger. */
export function compared(world: FakeWorld, fees: readonly CopiedFees[] = copiedFees(world)) {
  const truth = takenIn(world);
  const wrong = fees.filter(({ id, own, platform, user }) => {
    const is = truth.get(id);
    return (
      is === undefined ||
      (own !== null && own !== is.own) ||
      (platform !== null && platform !== is.platform) ||
      user !== is.user
    );
  });
  const isUnknown = (row: CopiedFees) => row.own === null || row.platform === null;
  return {
    rows: fees.length,
    wrong: wrong.map((row) => ({ ...row, is: truth.get(row.id) })),
    unknown: fees.filter(isUnknown).map(({ known }) => known),
    /** Rows of which the code does not fit what is there. */
    mislabelled: fees.filter(
      (row) => isUnknown(row) !== (row.known !== null) || (row.known === null) !== (row.rule !== null),
    ),
  };
}
