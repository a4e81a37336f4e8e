import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import type { LocalCopy } from '../../copy/database.ts';
import { withCopy } from '../../copy/open.ts';
import { type Reach, reachOf } from '../../copy/questions/in-copy.ts';
import { lastCheckAt } from '../../copy/questions/report/checks.ts';
import { owedByUser, owedIn, readOwed } from '../../copy/questions/report/owed.ts';
import { owedAt } from '../../copy/questions/report/owed-at.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import type { Below, Column } from '../../present/result.ts';
import { timeText } from '../../present/times.ts';
import { command } from '../../terminal/command.ts';
import { durationOrZero, oneOf, option } from '../../terminal/parse/parameters.ts';
import { moment } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { completeOption, reported } from './known.ts';
import { checkLines } from './lines.ts';

const DAY_MS = 86_400_000;

const ASSET_COLUMNS: readonly Column[] = [
  { field: 'amount', title: 'Owed', align: 'right' },
  { field: 'users', title: 'Users', align: 'right' },
  { field: 'asOf', title: 'As of', isBrief: true },
];

const USER_COLUMNS: readonly Column[] = [
  { field: 'user', title: 'User' },
  { field: 'name', title: 'Name' },
  { field: 'amount', title: 'Owed', align: 'right' },
  { field: 'asOf', title: 'As of', isBrief: true },
];

interface Read {
  readonly users: number;
  readonly unknown: number;
  readonly asOf: string | null;
  readonly read: number;
  readonly unowned: number;
}

/** What the sum is of, and what is not in it. */
function readLines({ users, unknown, asOf, read, unowned }: Read, reach: Reach, zone: Zone): Below {
  const [time, synced] = [asOf, reach.syncedAt].map((at) => at && timeText(at, { zone }, true));
  const checks = checkLines(undefined, reach, zone);
  const lacking = [
    ...(unknown > 0 ? [{ check: 'Balances', says: `the service does not say what ${unknown} of them hold` }] : []),
    ...(unowned > 0
      ? [
          {
            check: 'Movements',
            says: `${unowned} since the oldest reading are of wallets that no list names with a user`,
          },
        ]
      : []),
    ...(synced ? [{ check: 'Movements', says: `known until ${synced}; for later ones run: fiatrail sync` }] : []),
  ];
  const rows = [
    { check: 'Users', says: `${users}, ${read} of them read now${time ? `; the oldest balance is of ${time}` : ''}` },
    ...lacking,
    ...checks.rows.filter(({ check }) => check !== 'Copy'),
  ];
  return { title: 'Read', isAlways: true, rows, columns: checks.columns };
}

/** What was owed at a time. A day is its end. */
async function owedThen(
  account: Account,
  terminal: Terminal,
  copy: LocalCopy,
  {
    at,
    by,
    complete,
  }: { readonly at: ReturnType<typeof moment>; readonly by: 'user' | undefined; readonly complete: boolean },
): Promise<Outcome> {
  const { zone } = terminal.globals;
  const nowMs = account.world.clock.now();
  const untilMs = at.endMs({ zone, nowMs }) - (at.kind === 'day' ? 1 : 0);
  return copy.read(async (queries) => {
    const lastMs = Math.max(nowMs, Date.parse((await lastCheckAt(queries)) ?? '') || 0);
    if (untilMs > lastMs && at.startMs({ zone, nowMs }) > lastMs)
      throw new CliError('usage', '--at is in the future', { hint: 'give a day or a time that is past' });
    const then = new Date(Math.min(untilMs, lastMs)).toISOString();
    const [found, reach] = [await owedAt(queries, then), await reachOf(queries, then)];
    const rows = by === 'user' ? found.users : found.owed;
    const data = { at: then, syncedAt: reach.syncedAt, partial: reach.partial, owed: rows };
    const columns = (by === 'user' ? USER_COLUMNS : ASSET_COLUMNS).filter(({ field }) => field !== 'asOf');
    const below = checkLines(undefined, reach, zone);
    return reported(
      terminal,
      complete,
      { data, lists: 'owed', list: { isWhole: true }, columns, below },
      reach.partial,
    );
  });
}

export const owedCommand = command({
  words: ['report', 'owed'],
  summary: 'Report the total balance of the users’ wallets',
  details:
    'Reads balances from the service as fast as the rate limit allows: those of users who moved money since their last reading, as far as the copy shows (fiatrail sync), those with work under way, and those that are older than --max-age. After an interruption, the same command continues, unless --max-age is shorter than the interruption. “As of” is the time of the oldest balance in a sum.',
  examples: [
    'fiatrail report owed',
    'fiatrail report owed --max-age 1h -o json --query owed',
    'fiatrail report owed --by user -o csv',
    'fiatrail report owed --at yesterday --by user',
  ],
  endpoints: ['wallets.balance-user'],
  isView: true,
  prints: () => {
    const common = {
      users: z.int(),
      unknown: z.int(),
      read: z.int(),
      unowned: z.int(),
      asOf: z.nullable(z.iso.datetime()),
      syncedAt: z.nullable(z.iso.datetime()),
      pagination: paginationSchema(),
    };
    const sum = { asset: z.string(), amount: figureSchema() };
    const owed = { ...sum, asOf: z.iso.datetime() };
    const user = { user: z.string(), name: z.nullable(z.string()) };
    const then = {
      at: z.iso.datetime(),
      syncedAt: z.nullable(z.iso.datetime()),
      partial: z.array(z.string()),
      pagination: paginationSchema(),
    };
    return z.union([
      z.object({ ...common, owed: z.array(z.object({ ...owed, users: z.int() })) }),
      z.object({ ...common, owed: z.array(z.object({ ...owed, ...user })) }),
      z.object({ ...then, owed: z.array(z.object({ ...sum, users: z.int() })) }),
      z.object({ ...then, owed: z.array(z.object({ ...sum, ...user })) }),
    ]);
  },
  parameters: {
    by: option('--by <part>', 'group by user: a row for each who holds something', oneOf('user')),
    maxAge: option(
      '--max-age <duration>',
      'read again balances that are older: 1h, 30m, or 0 for all of them (default 24h)',
      durationOrZero,
    ),
    at: option(
      '--at <date>',
      'what was owed then, by the lists and the readings before and after it, without a request: yesterday, 2026-10-31 (its end) or a time',
      moment,
    ),
    complete: completeOption,
  },
  run: (account, terminal, { by, at, maxAge, complete = false }) =>
    withCopy(account, async (copy) => {
      const { zone } = terminal.globals;
      if (at && maxAge !== undefined)
        throw new CliError('usage', '--at reads nothing from the service, so it has no --max-age', {
          hint: advice`run [fiatrail report owed] first, and then with --at`,
        });
      if (at) return owedThen(account, terminal, copy, { at, by, complete });
      const { read, unowned } = await readOwed(account, copy, maxAge ?? DAY_MS);
      return copy.read(async (queries) => {
        const [sums, reach] = [await owedIn(queries), await reachOf(queries)];
        const { users, unknown, asOf } = sums;
        const head = { users, unknown, read, unowned, asOf, syncedAt: reach.syncedAt };
        const data = { ...head, owed: by === 'user' ? await owedByUser(queries) : sums.owed };
        return reported(
          terminal,
          complete,
          {
            data,
            lists: 'owed',
            list: { isWhole: true },
            columns: by === 'user' ? USER_COLUMNS : ASSET_COLUMNS,
            below: readLines(head, reach, zone),
          },
          reach.partial,
        );
      });
    }),
});
