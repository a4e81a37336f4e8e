/**
 * Makes many rows of the few in a local copy: `node grow-copy.ts FILE TIMES MONTHS`. Each row is there as often as TIMES for as many other users, in
 * each of as many months of 30 days before. What the copy knows of balances is noted again.
 */
import { DatabaseSync } from 'node:sqlite';
import { CHANGED_FROM, later, stored } from '../../src/copy/schema.ts';
import { TABLES } from '../../src/copy/tables.ts';

/** What says whose a row is, or which other row belongs to it: in each repetition that is another one. */
const LINKS = ['user_id', 'evm_wallet', 'to_address', 'receivable_address', 'tx_hash', 'reference'];
const TIME = /_at$|^end_bound$/;
const SEEN = ['first_seen_at', 'changed_at', 'deleted_at'];

const [file = '', times = '1', months = '1'] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536');
const namesOf = (table: string) =>
  database
    .prepare(`SELECT name FROM pragma_table_info(?)`)
    .all(table)
    .map(({ name }) => String(name));

/** Repeats the rows of a table. A row of the account itself keeps its wallet. */
function repeat(table: string, [time, month]: readonly [number, number]): void {
  const isOfUser = table === 'stored_users';
  const suffix = `'~${time}.${month}'`;
  const owner = time === 0 ? "''" : `'~${time}'`;
  const values = namesOf(table).map((name) => {
    if (name === 'id') return `id || ${isOfUser ? owner : suffix}`;
    if (name === 'user_id' || name === 'evm_wallet') return `${name} || ${owner}`;
    if (name === 'wallet_address')
      return `CASE WHEN lower(wallet_address) IN (SELECT address FROM stored_account_wallets) THEN wallet_address ELSE wallet_address || ${owner} END`;
    if (LINKS.includes(name)) return `${name} || ${suffix}`;
    if (TIME.test(name) && !SEEN.includes(name) && !isOfUser)
      return `strftime('%Y-%m-%dT%H:%M:%fZ', ${name}, '-${30 * month} days')`;
    return name;
  });
  database.exec(`INSERT INTO ${table} SELECT ${values.join(', ')} FROM ${table} WHERE instr(id, '~') = 0`);
}

const indexNames = later().flatMap((sql) => /EXISTS (\w+)/.exec(sql)?.slice(1) ?? []);
database.exec('BEGIN');
for (const name of indexNames) database.exec(`DROP INDEX IF EXISTS ${name}`);
for (let time = 0; time < Number(times); time++) {
  if (time > 0) repeat('stored_users', [time, 0]);
  for (let month = 0; month < Number(months); month++) {
    if (time + month === 0) continue;
    for (const table of TABLES.filter(({ hasStates }) => hasStates)) repeat(stored(table), [time, month]);
    repeat('stored_offramp_parts', [time, month]);
  }
}
for (const sql of later()) database.exec(sql);
database
  .prepare('INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
  .run(CHANGED_FROM, '2000-01-01T00:00:00.000Z');
database.exec('DELETE FROM stored_unlisted; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
database.close();
