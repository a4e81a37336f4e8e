import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MonthClose } from '../../../src/copy/closes.ts';
import { partsOfClose, totalled } from '../../../src/copy/questions/books/closed.ts';
import { csvBookText, digestsOfLines } from '../../../src/copy/questions/books/csv.ts';
import { type Posting, summed } from '../../../src/copy/questions/books/sets.ts';
import { MONTH, monthOf, type Step, startMs, textOf } from './account.ts';

/** The close of a month with these rows. */
async function closed(month: number, steps: readonly Step[], closes: readonly MonthClose[]): Promise<MonthClose> {
  const book = await monthOf(month, steps, closes);
  await textOf(csvBookText(book));
  const { sets, entries: digest, balances: balancesDigest } = book.counted();
  const [since, until] = [startMs(month), startMs(month + 1)].map((ms) => new Date(ms).toISOString());
  const name = `2026-${String(month).padStart(2, '0')}`;
  const of = {
    month: name,
    zone: 'Africa/Lagos',
    since: since ?? '',
    until: until ?? '',
    stated: [],
    accepted: [],
    reason: null,
    head: null,
  };
  return { ...of, ...partsOfClose(book), sets, digest, balancesDigest, who: 'ada on web-1', at: since ?? '' };
}

const LATE: Step = {
  at: '2026-10-15T10:00:00.000Z',
  thing: 'onramp',
  id: 'late-1',
  step: 'done',
  userId: 'u-1',
  lines: [
    ['assets:held', 5_000_000n, 'CNGN'],
    ['liabilities:users:u-1', -5_000_000n, 'CNGN'],
    ['assets:fees', 77n, 'NGN'],
    ['income:onramp', -77n, 'NGN'],
  ],
};

const postingsOf = (lines: Step['lines']): readonly Posting[] =>
  lines.map(([account, minor, asset]) => ({ account, asset: asset as Posting['asset'], minor: minor ?? 0n }));

test('a row that comes late for a closed month is an adjustment in the open one, and the closed one stays', async () => {
  const october = await closed(10, MONTH, []);
  const later = [...MONTH, LATE];
  const book = await monthOf(11, later, [october]);
  const text = await textOf(csvBookText(book));
  expect(totalled(book.opening)).toEqual(expect.arrayContaining([...october.closing]));
  expect(book.adjustments).toEqual(totalled(postingsOf(LATE.lines)));
  expect(text).toContain('adjustment,2026-10,,adjustment');
  expect(book.untied()).toEqual({ unknown: [], across: [], unbalanced: [], off: [], contradicted: [] });
  // In December, all of it has been counted.
  const november = await closed(11, later, [october]);
  expect((await monthOf(12, later, [october, november])).adjustments).toEqual([]);
});

test('the books of a closed month are the same bytes after rows of other months, and others after its own', async () => {
  const october = await closed(10, MONTH, []);
  const november = await closed(11, MONTH, [october]);
  const digestOf = async (month: number, steps: readonly Step[]) => {
    const book = await monthOf(month, steps, [october, november]);
    await textOf(csvBookText(book));
    return book.counted().entries;
  };
  expect(await digestOf(10, MONTH)).toBe(october.digest);
  expect(await digestOf(11, [...MONTH, LATE])).toBe(november.digest);
  expect(await digestOf(10, [...MONTH, LATE])).not.toBe(october.digest);
});

test('a file of books has the digests of its close, and no other file has', async () => {
  const october = await closed(10, MONTH, []);
  const text = await textOf(csvBookText(await monthOf(10, MONTH, [])));
  const linesIn = (changed: string) => changed.split('\n').slice(0, -1);
  expect(digestsOfLines(linesIn(text))).toEqual({ entries: october.digest, balances: october.balancesDigest });
  for (let index = 0; index < linesIn(text).length; index++) {
    const without = linesIn(text).filter((_, at) => at !== index);
    const twice = linesIn(text).flatMap((line, at) => (at === index ? [line, line] : [line]));
    const other = linesIn(text).map((line, at) =>
      at === index ? line.replace(/\d(?=,[A-Z]{3,4},)/, (d) => String((Number(d) + 1) % 10)) : line,
    );
    for (const changed of [without, twice, ...(other.join() === linesIn(text).join() ? [] : [other])]) {
      const found = digestsOfLines(changed);
      expect([found?.entries === october.digest, found?.balances === october.balancesDigest]).not.toEqual([true, true]);
    }
  }
});

/** Sets of one move each, somewhere in September to November. */
const anyStep = fc
  .record({
    day: fc.integer({ min: 0, max: 90 }),
    id: fc.integer({ min: 1, max: 1_000_000 }),
    accounts: fc.constantFrom(
      ['assets:wallet', 'equity:outside'],
      ['assets:held', 'liabilities:users:u-2'],
      ['assets:fees', 'income:onramp'],
      ['assets:bank', 'equity:conversion'],
    ),
    minor: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
  })
  .map(({ day, id, accounts: [from = '', to = ''], minor }): Step => {
    const at = new Date(Date.UTC(2026, 8, 1, 12) + day * 86_400_000).toISOString();
    return {
      at,
      thing: 'row',
      id: `${id}`,
      step: 'done',
      lines: [
        [from, minor, 'CNGN'],
        [to, -minor, 'CNGN'],
      ],
    };
  });

const distinct = fc.uniqueArray(anyStep, { selector: ({ id }) => id, maxLength: 30 });

test('whatever comes late, closes and the open month together have every row once', async () => {
  await fc.assert(
    fc.asyncProperty(distinct, distinct, distinct, async (first, second, third) => {
      const september = await closed(9, first, []);
      const october = await closed(10, [...first, ...second], [september]);
      const all = [...first, ...second, ...third];
      const book = await monthOf(11, all, [september, october]);
      await textOf(csvBookText(book));
      expect(book.untied()).toMatchObject({ unbalanced: [], off: [] });
      const rows = summed(totalled(all.flatMap(({ lines }) => postingsOf(lines))));
      const kept = (postings: readonly Posting[]) =>
        postings.filter(({ account }) => /^(?:assets|liabilities):/.test(account));
      const sorted = (postings: readonly Posting[]) =>
        postings.map(({ account, minor }) => `${account} ${minor}`).sort();
      // What it ends with is what all rows come to.
      expect(sorted(totalled(kept(book.closing)))).toEqual(sorted(kept(rows)));
      // What the accounts moved that begin at zero was counted once, in a close or now.
      const counted = summed([
        ...[september, october].flatMap(({ moved, adjustments }) => [...moved, ...adjustments]),
        ...book.adjustments,
        ...totalled(book.moved),
      ]);
      const others = (postings: readonly Posting[]) =>
        sorted(postings.filter(({ account }) => !/^(?:assets|liabilities):/.test(account)));
      expect(others(counted)).toEqual(others(rows));
    }),
    { numRuns: 60 },
  );
});
