import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { views } from '../../src/copy/questions/sql/views.ts';
import { THINGS } from '../../src/things/index.ts';
import { copiedAccount, rowsOf, SENDER } from '../questions/account.ts';
import { type Home, ROOT, sharedEnd, temporaryFolder } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';
import { blocksOf } from './scripts.ts';

const PAGE = 'docs/data.md';
const page = readFileSync(join(ROOT, PAGE), 'utf8');
/** Each question of the page with its query. */
const QUESTIONS = [...page.matchAll(/^([^\n]+\?)\n\n```sql\n(.*?)\n```$/gms)].map(
  ([, asks = '', sql = '']) => [asks, sql] as const,
);

const end = sharedEnd();
let home: Home;
beforeAll(async () => {
  home = await copiedAccount(end);
});

const answerTo = (asked: string) => {
  const found = QUESTIONS.find(([asks]) => asks.includes(asked));
  if (!found) throw new Error(`${PAGE} has no such question: ${asked}`);
  return rowsOf<Record<string, string | number | null>>(home, found[1]);
};

test('there are thirteen questions, and no other query', () => {
  expect(QUESTIONS.length).toBe(13);
  expect(blocksOf(PAGE, 'sql').length).toBe(13);
});

test.each(QUESTIONS)('%s', async (_asks, sql) => {
  expect((await rowsOf(home, sql)).length).toBeGreaterThan(0);
});

describe('the answers', () => {
  test('name the one who paid, where it is someone else', async () => {
    expect(await answerTo('someone other')).toMatchObject([{ sender_name: SENDER, naira: 5100 }]);
    expect(await answerTo('₦5,100')).toMatchObject([{ sender_name: SENDER, status: 'completed' }]);
  });

  test('have the payout that is open, and nothing that has ended', async () => {
    const open = await answerTo('What is open');
    expect(open).toMatchObject([{ list: 'payouts' }]);
    const { pending } = await fiatrailJson<{ pending: { id: string }[] }>(home, ['report', 'pending', '-q']);
    expect(open.map(({ id }) => id)).toEqual(pending.map(({ id }) => id));
    // The other kinds are asked for as well.
    const [, sql = ''] = QUESTIONS.find(([asks]) => asks.includes('What is open')) ?? [];
    const lists = THINGS.flatMap(({ list, states }) => (list && states ? [list.name] : []));
    expect([...sql.matchAll(/ from (\w+) where is_open = 1/g)].map(([, list]) => list).sort()).toEqual(
      [...new Set(lists)].sort(),
    );
  });

  test('say who ran each payout', async () => {
    const runs = await answerTo('Who ran');
    expect(runs.map(({ naira }) => naira)).toEqual([2000, 1000]);
    expect(runs[0]?.['planned_by']).toBeNull();
  });

  test('have the event that waits', async () => {
    expect(await answerTo('not acknowledged yet')).toMatchObject([
      { number: 1, event: 'user.onboarded', forwards_waiting: 1 },
    ]);
  });

  test('have days of Lagos', async () => {
    const [row] = await rowsOf(home, `select date('2026-10-31T23:30:00.000Z', '+1 hour') as day`);
    expect(row).toEqual({ day: '2026-11-01' });
  });

  test('add up to what the service lists', async () => {
    const listed = await fiatrailJson<{
      deposits: { amount: { value: string }; status: string; userId?: string | null }[];
    }>(home, ['history', 'deposits', '--all', '-q']);
    const byUsers = listed.deposits.filter(({ status, userId }) => status === 'completed' && userId);
    const total = byUsers.reduce((sum, { amount }) => sum + Number(amount.value), 0);
    const [row] = await rowsOf(
      home,
      `select sum(amount_minor) / 100.0 as naira from deposits where status = 'completed' and user_id is not null`,
    );
    expect(row).toEqual({ naira: total });
  });
});

test('the lines of a month end run in their order', { timeout: 60_000 }, async () => {
  const [, section = ''] = page.split('\n## Month end\n');
  const lines = [...(section.split('\n## ')[0] ?? '').matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.trimEnd().split('\n'),
  );
  const cwd = temporaryFolder(end);
  const run = async (line: string) => {
    const [, argv = '', file] = /^fiatrail (.*?)(?: > (\S+))?$/.exec(line) ?? [];
    const words = [...argv.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word);
    const ran = await fiatrail(home, words, { cwd });
    if (file) writeFileSync(join(cwd, file), ran.stdout);
    return ran;
  };
  // The checkpoint of the month before.
  await run('fiatrail ops journal head -o json > october.json');
  expect(lines.length).toBe(9);
  for (const line of lines) {
    const { code, stderr } = await run(line);
    // This account has nothing to accept.
    const wanted = line.startsWith('fiatrail report accept') ? 2 : 0;
    expect({ line, code, stderr }).toEqual({ line, code: wanted, stderr: expect.anything() });
  }
});

test('every view and column of the picture exists', () => {
  const known = new Map(views().map(({ name, columns }) => [name, columns.map((column) => column.name)]));
  const joins = [...page.matchAll(/^ {2}(\w+) \|\|--o\{ (\w+) : "(\w+) = (\w+)"$/gm)];
  const columns = joins.flatMap(([, one = '', other = '', key = '', foreign = '']) => [
    [one, key],
    [other, foreign],
  ]);
  expect(joins.length).toBeGreaterThan(10);
  expect(columns.filter(([view = '', column = '']) => !known.get(view)?.includes(column))).toEqual([]);
});

test('the page has the columns that a query gets', async () => {
  for (const { name, columns } of views()) {
    const found = await rowsOf(home, `select * from (select 1) left join ${name} limit 1`);
    expect(Object.keys(found[0] ?? {}).slice(1), name).toEqual(columns.map((column) => column.name));
  }
});
