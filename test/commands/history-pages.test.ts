import { expect, test } from 'vitest';
import { listTransactions } from '../../src/contract/endpoints/history.ts';
import { allPages } from '../../src/engine/lists/pages.ts';
import { onboardUser, payIn, settle } from '../service/steps.ts';
import { openSandbox } from '../support/sandbox.ts';

const SIZE = 7;

/** Payments that arrive before each further page. */
const COMING: readonly (readonly [what: string, more: (page: number) => number])[] = [
  ['nothing arrives', () => 0],
  ['one arrives before each page', () => 1],
  ['almost a whole page arrives before each page', () => SIZE - 1],
  ['more than a page arrives at once', (page) => (page === 2 ? 3 * SIZE : 0)],
];

test.each(COMING)('reads every existing row once while %s', async (_what, more) => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  for (let count = 0; count < 40; count++) await payIn(box, user.accountNumber, 100n, user.name);
  await settle(box);
  const page = async (offset: number) => {
    const { transactions, total } = await box.ask(listTransactions, { limit: SIZE, offset });
    return { rows: transactions ?? [], total: total ?? undefined };
  };
  const wanted = (await box.ask(listTransactions, { limit: 100 })).transactions?.map(({ id }) => id);
  const first = await page(0);
  let pages = 1;
  const fetchPage = async (offset: number) => {
    pages += 1;
    for (let count = 0; count < more(pages); count++) await payIn(box, user.accountNumber, 200n, user.name);
    return page(offset);
  };
  const read = first.rows.map(({ id }) => id);
  for await (const rows of allPages({
    first,
    offset: 0,
    size: SIZE,
    idOf: ({ id }) => id,
    fetchPage,
    turn: async () => {},
  }))
    read.push(...rows.map(({ id }) => id));
  expect(read).toEqual(wanted);
});
