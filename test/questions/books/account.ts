import { DatabaseSync } from 'node:sqlite';
import { zoneNamed } from '../../../src/base/zone.ts';
import type { MonthClose } from '../../../src/copy/closes.ts';
import { bookOf, type ReadBook } from '../../../src/copy/questions/books/read.ts';
import { BOOK_ENTRIES_BY_SET } from '../../../src/copy/schema.ts';
import type { Queries } from '../../../src/journal/store.ts';

/** A posting of the view: account, amount in the smallest unit (null: not known), asset. */
export type Line = readonly [account: string, minor: bigint | null, asset: string];

export interface Step {
  readonly at: string;
  readonly thing: string;
  readonly id: string;
  readonly step: string;
  readonly userId?: string;
  readonly note?: string;
  readonly known?: string;
  readonly bound?: string;
  readonly lines: readonly Line[];
}

/** A month of an account: what it had before, and one step of each kind that changes the form of the books. */
export const MONTH: readonly Step[] = [
  {
    at: '2026-10-02T08:00:00.000Z',
    thing: 'balance',
    id: 'wallet',
    step: 'opening',
    lines: [
      ['assets:wallet', 100_000_000_000n, 'CNGN'],
      ['equity:opening', -100_000_000_000n, 'CNGN'],
    ],
  },
  {
    at: '2026-10-20T08:00:00.000Z',
    thing: 'onramp',
    id: 'on-0',
    step: 'done',
    userId: 'u-1',
    lines: [
      ['assets:held', 50_000_000n, 'CNGN'],
      ['liabilities:users:u-1', -50_000_000n, 'CNGN'],
      ['assets:fees', 1234n, 'NGN'],
      ['income:onramp', -1234n, 'NGN'],
    ],
  },
  // Half past midnight in Lagos.
  {
    at: '2026-10-31T23:30:00.000Z',
    thing: 'payout',
    id: 'pay-1',
    step: 'taken',
    lines: [
      ['assets:wallet', -15_000_000_000n, 'CNGN'],
      ['assets:transit:payout', 15_000_000_000n, 'CNGN'],
    ],
  },
  {
    at: '2026-11-03T09:00:00.000Z',
    thing: 'payout',
    id: 'pay-1',
    step: 'done',
    note: 'rent; "first"\nquarter',
    lines: [
      ['assets:transit:payout', -15_000_000_000n, 'CNGN'],
      ['equity:conversion', 15_000_000_000n, 'CNGN'],
      ['equity:conversion', -1_490_000n, 'NGN'],
      ['equity:conversion', -10_000n, 'NGN'],
      ['assets:bank', 1_490_000n, 'NGN'],
      ['expenses:platform:payout', 10_000n, 'NGN'],
    ],
  },
  {
    at: '2026-11-05T09:00:00.000Z',
    thing: 'trade',
    id: 'trade_7',
    step: 'taken',
    lines: [
      ['assets:wallet', -10_000_001n, 'CNGN'],
      ['assets:transit:trade', 10_000_001n, 'CNGN'],
    ],
  },
  {
    at: '2026-11-05T09:00:00.000Z',
    thing: 'trade',
    id: 'trade_7',
    step: 'done',
    lines: [
      ['assets:transit:trade', -10_000_001n, 'CNGN'],
      ['equity:conversion', 10_000_001n, 'CNGN'],
      ['equity:conversion', -7n, 'USDC'],
      ['assets:vault', 6n, 'USDC'],
      ['expenses:platform:trade', 1n, 'USDC'],
    ],
  },
  {
    at: '2026-11-09T12:00:00.000Z',
    thing: 'offramp',
    id: 'off-1',
    step: 'taken',
    userId: 'u-1',
    lines: [
      ['assets:held', -20_000_000n, 'CNGN'],
      ['assets:held:transit', 20_000_000n, 'CNGN'],
    ],
  },
  {
    at: '2026-11-10T12:00:00.000Z',
    thing: 'offramp',
    id: 'off-1',
    step: 'done',
    userId: 'u-1',
    lines: [
      ['assets:held:transit', -20_000_000n, 'CNGN'],
      ['liabilities:users:u-1', 20_000_000n, 'CNGN'],
      ['assets:fees', 55n, 'NGN'],
      ['income:offramp', -55n, 'NGN'],
    ],
  },
  {
    at: '2026-11-11T12:00:00.000Z',
    thing: 'onramp',
    id: 'on-1',
    step: 'done',
    userId: 'U:2; x',
    lines: [
      ['assets:held', 30_000_000n, 'CNGN'],
      ['liabilities:users:U:2; x', -30_000_000n, 'CNGN'],
    ],
  },
  {
    at: '2026-11-30T22:59:59.999Z',
    thing: 'fee withdrawal',
    id: 'fee-1',
    step: 'taken',
    lines: [
      ['assets:fees', -1000n, 'NGN'],
      ['assets:transit:fees', 1000n, 'NGN'],
    ],
  },
  {
    at: '2026-11-30T23:00:00.000Z',
    thing: 'fee withdrawal',
    id: 'fee-1',
    step: 'done',
    lines: [
      ['assets:transit:fees', -1000n, 'NGN'],
      ['assets:bank', 1000n, 'NGN'],
    ],
  },
];

const LAGOS = zoneNamed('Africa/Lagos');

/** The start of a month of 2026 in Lagos. */
export const startMs = (month: number): number => Date.UTC(2026, month - 1, 1) - 3_600_000;

/** The books of November 2026. */
export const novemberOf = (steps: readonly Step[], closes: readonly MonthClose[] = []): Promise<ReadBook> =>
  monthOf(11, steps, closes);

/** The books of a month of 2026 in Lagos, of a copy that has only these steps. */
export async function monthOf(
  number: number,
  steps: readonly Step[],
  closes: readonly MonthClose[],
): Promise<ReadBook> {
  const database = new DatabaseSync(':memory:', { readBigInts: true });
  database.exec(
    `CREATE TABLE ${BOOK_ENTRIES_BY_SET} (at TEXT, day TEXT, account TEXT, amount_minor INTEGER, asset TEXT, thing TEXT, id TEXT, user_id TEXT, step TEXT, note TEXT, known TEXT, bound TEXT)`,
  );
  const insert = database.prepare(`INSERT INTO ${BOOK_ENTRIES_BY_SET} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  for (const { at, thing, id, step, userId = null, note = null, known = null, bound = null, lines } of steps) {
    for (const [account, minor, asset] of lines)
      insert.run(
        at,
        at.slice(0, 10),
        account,
        minor,
        asset,
        thing,
        id,
        userId,
        step,
        note,
        minor === null || known === 'END_BETWEEN' ? known : null,
        bound,
      );
  }
  const month = {
    sinceMs: startMs(number),
    untilMs: startMs(number + 1),
    title: 'Books of shop',
    zone: LAGOS,
    closes,
  };
  const refuse = () => Promise.reject(new Error('books are only read'));
  const queries: Queries = {
    engine: 'sqlite',
    all: async <R extends object>(sql: string, ...values: (string | bigint | number | null)[]) =>
      database.prepare(sql).all(...values) as R[],
    get: async () => undefined,
    run: refuse,
    now: () => 0,
  };
  return bookOf(queries, month);
}

/** A text that is written in parts. */
export async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}
