import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { COMPARED, lessBy, type Sums, simulatedAccount, truthIn, withoutZeros } from './ledger.ts';

/** The sums of the view by account and asset. */
function bookedIn(path: string): { readonly sums: Sums; readonly unknown: Readonly<Record<string, string>> } {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all();
  };
  try {
    expect(
      all(
        'SELECT thing, id, step, asset, sum(amount_minor) AS off FROM book_entries GROUP BY 1, 2, 3, 4 HAVING off <> 0',
      ),
    ).toEqual([]);
    const rows = all(
      `SELECT account || ' ' || asset AS name, sum(amount_minor) AS minor, max(CASE WHEN amount_minor IS NULL THEN known END) AS unknown
       FROM book_entries GROUP BY 1`,
    ) as unknown as readonly { name: string; minor: bigint | null; unknown: string | null }[];
    const unknown = Object.fromEntries(rows.flatMap(({ name, unknown: code }) => (code ? [[name, code]] : [])));
    return { sums: Object.fromEntries(rows.map(({ name, minor }) => [name, minor ?? 0n])), unknown };
  } finally {
    database.close();
  }
}

/** The sums of the accounts that are compared, without those of which something is not known. */
const compared = (sums: Sums, unknown: Readonly<Record<string, string>>) =>
  withoutZeros(
    Object.fromEntries(
      Object.entries(sums).filter(
        ([name]) => COMPARED.some((account) => name.startsWith(account)) && unknown[name] === undefined,
      ),
    ),
  );

/** What is not known of the fees of offramps. */
const UNKNOWN = { 'assets:fees NGN': 'FEE_PARTS', 'income:offramp NGN': 'FEE_PARTS' };

test('every account agrees with the sandbox’s ledger after each day', async () => {
  const account = await simulatedAccount({ seed: 7, users: 40, days: 12 });
  const before = truthIn(account.sandboxPath);
  await account.run('sync');
  for (let day = 0; day < 12; day++) {
    await account.live();
    await account.run('sync');
    const { sums, unknown } = bookedIn(account.copyPath);
    expect({ ...UNKNOWN, ...unknown }).toEqual(UNKNOWN);
    const truth = lessBy(truthIn(account.sandboxPath), before);
    expect(compared(sums, unknown), `day ${day}`).toEqual(compared(truth, unknown));
  }
});
