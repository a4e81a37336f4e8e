import * as z from 'zod/mini';
import type { Zone } from '../../base/zone.ts';
import { withCopy } from '../../copy/open.ts';
import { type Reach, reachOf } from '../../copy/questions/in-copy.ts';
import { owedByUser, owedIn, readOwed } from '../../copy/questions/report/owed.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import type { Below, Column } from '../../present/result.ts';
import { timeText } from '../../present/times.ts';
import { command } from '../../terminal/command.ts';
import { durationOrZero, oneOf, option } from '../../terminal/parse/parameters.ts';
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

export const owedCommand = command({
  words: ['report', 'owed'],
  summary: 'Report the total balance of the users’ wallets',
  details:
    'Reads balances from the service as fast as the rate limit allows: those of users who moved money since their last reading, as far as the copy shows (fiatrail sync), those with work under way, and those that are older than --max-age. After an interruption, the same command continues, unless --max-age is shorter than the interruption. “As of” is the time of the oldest balance in a sum.',
  examples: [
    'fiatrail report owed',
    'fiatrail report owed --max-age 1h -o json --query owed',
    'fiatrail report owed --by user -o csv > owed.csv',
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
    const owed = { asset: z.string(), amount: figureSchema(), asOf: z.iso.datetime() };
    return z.union([
      z.object({ ...common, owed: z.array(z.object({ ...owed, users: z.int() })) }),
      z.object({ ...common, owed: z.array(z.object({ ...owed, user: z.string(), name: z.nullable(z.string()) })) }),
    ]);
  },
  parameters: {
    by: option('--by <part>', 'group by user: a row for each who holds something', oneOf('user')),
    maxAge: option(
      '--max-age <duration>',
      'read again balances that are older: 1h, 30m, or 0 for all of them (default 24h)',
      durationOrZero,
    ),
    complete: completeOption,
  },
  run: (account, terminal, { by, maxAge = DAY_MS, complete = false }) =>
    withCopy(account, async (copy) => {
      const { zone } = terminal.globals;
      const { read, unowned } = await readOwed(account, copy, maxAge);
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
