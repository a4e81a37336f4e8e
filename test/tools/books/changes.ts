import { inFile } from '../../copy/ledger.ts';

/** One text that differs from books in one posting or one transaction. */
export type Change = readonly [name: string, text: string];

const isPosting = (line: string) => /^ +\S+ {2}-?\d+\.\d+ [A-Z]+(?: @@ .*)?$/.test(line);

/** Changes a text of books for a program somewhere, in one of six ways. */
export function changedText(text: string, chance: () => number): Change {
  const lines = text.split('\n');
  const postings = [...lines.keys()].filter((index) => isPosting(lines[index] ?? ''));
  const index = postings[Math.floor(chance() * postings.length)] ?? 0;
  const line = lines[index] ?? '';
  const put = (...instead: readonly string[]) => lines.toSpliced(index, 1, ...instead).join('\n');
  const parts = text.split('\n\n');
  const sets = [...parts.keys()].filter((at) => /\n +(?:; )?id:/.test(`\n${parts[at]}`));
  const at = sets[Math.floor(chance() * sets.length)] ?? 0;
  const ways: readonly (() => Change)[] = [
    () => [
      'an amount changed',
      put(line.replace(/^( +\S+ {2}-?\d+\.\d*)(\d)/, (_, start, d) => `${start}${(Number(d) + 1) % 10}`)),
    ],
    () => ['a sign changed', put(line.replace(/( {2})(-?)(\d)/, (_, gap, sign, d) => `${gap}${sign ? '' : '-'}${d}`))],
    () => ['a posting dropped', put()],
    () => ['a posting doubled', put(line, line)],
    () => ['a transaction dropped', parts.toSpliced(at, 1).join('\n\n')],
    () => ['a transaction doubled', parts.toSpliced(at, 0, parts[at] ?? '').join('\n\n')],
  ];
  return (ways[Math.floor(chance() * ways.length)] as () => Change)();
}

/** Changes a line of books as CSV somewhere. */
export function changedLine(text: string, chance: () => number): Change {
  const lines = text.split('\n').slice(0, -1);
  const index = 1 + Math.floor(chance() * (lines.length - 1));
  const line = lines[index] ?? '';
  const ways: readonly (readonly [string, readonly string[]])[] = [
    ['a line changed', [line.replace(/(\d)(,[A-Z]{3,4},)/, (_, d, rest) => `${(Number(d) + 1) % 10}${rest}`)]],
    ['a line dropped', []],
    ['a line doubled', [line, line]],
  ];
  const [name, instead] = ways[Math.floor(chance() * ways.length)] ?? ['', [line]];
  return [name, `${lines.toSpliced(index, 1, ...instead).join('\n')}\n`];
}

/** The tables whose rows move money, and what in them says how much. */
const MONEY: Readonly<Record<string, string>> = {
  deposits: 'amount_minor',
  payouts: 'deducted_minor',
  withdrawals: 'amount_minor',
  swaps: 'sold_minor',
  fx_trades: 'cngn_minor',
  fee_withdrawals: 'amount_minor',
  bridge_transfers: 'arrived_minor',
};

/** Changes, drops or doubles a row of a month that moved money, in a local copy. Returns the SQL. */
export function changedRow(copyPath: string, month: string, chance: () => number, accounts = '%'): Change {
  const ask = inFile(copyPath);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T;
  const tables = Object.keys(MONEY).flatMap((table) => {
    const rows = ask(
      `SELECT id FROM stored_${table} WHERE id IN (SELECT id FROM book_entries WHERE day LIKE '${month}-%' AND amount_minor <> 0
         AND account LIKE '${accounts}')`,
    );
    return rows.length > 0 ? [{ table, ids: rows.map(([id = '']) => id).sort() }] : [];
  });
  const { table, ids } = pick(tables);
  const id = pick(ids);
  const columns = ask(`SELECT name FROM pragma_table_info('stored_${table}')`).map(([name = '']) => name);
  const others = columns.filter((name) => name !== 'id').join(', ');
  const where = `WHERE id = '${id}'`;
  const ways: readonly Change[] = [
    [`${table}: changed`, `UPDATE stored_${table} SET ${MONEY[table]} = ${MONEY[table]} + 1 ${where}`],
    [`${table}: dropped`, `DELETE FROM stored_${table} ${where}`],
    [
      `${table}: doubled`,
      `INSERT INTO stored_${table} (id, ${others}) SELECT id || 'x', ${others} FROM stored_${table} ${where}`,
    ],
  ];
  return pick(ways);
}

/** How often each change was made, and who noticed it. */
export function tally() {
  const counts = new Map<string, number>();
  return {
    add: (what: string, by: string) => counts.set(`${what}: ${by}`, (counts.get(`${what}: ${by}`) ?? 0) + 1),
    lines: () => [...counts].map(([name, count]) => `  ${count} ${name}`).sort(),
    missed: () => [...counts.keys()].filter((name) => name.endsWith(': nobody')),
  };
}
