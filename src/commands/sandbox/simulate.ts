import * as z from 'zod/mini';
import { sandboxAdvance, sandboxClock, sandboxSimulate } from '../../contract/control.ts';
import type { RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { SIMULATED_KINDS } from '../../contract/sandbox.ts';
import type { Account, AccountReply } from '../../engine/account.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { type Asset, amount, fromWire, type MoneyUnit, toWireText } from '../../money/amount.ts';
import { command } from '../../terminal/command.ts';
import { option, wholeNumber } from '../../terminal/parse/parameters.ts';
import { moment, timesOf } from '../../terminal/parse/period.ts';
import { requireSandbox } from './require-sandbox.ts';

type Day = ResponseOf<typeof sandboxSimulate>;
type KindRow = Day['kinds'][number];
type FailureRow = Day['failures'][number];

const UNITS = { NGN: 'naira', CNGN: 'token', USDC: 'token', USDT: 'token' } as const satisfies Record<Asset, MoneyUnit>;

const ASSETS = Object.keys(UNITS) as Asset[];

const COLUMNS = [
  { field: 'days', title: 'Days' },
  { field: 'from', title: 'From' },
  { field: 'now', title: 'Sandbox time' },
  { field: 'operations', title: 'Operations' },
  { field: 'events', title: 'Events of banks and chains' },
  { field: 'lostAttempts', title: 'Webhook attempts lost in outages' },
  { field: 'seconds', title: 'Seconds' },
  { field: 'balanced', title: 'Ledger balances' },
  {
    field: 'kinds',
    title: 'What happened',
    columns: [
      { field: 'kind', title: 'Kind' },
      { field: 'requests', title: 'Requests', align: 'right' },
      { field: 'rejected', title: 'Rejected', align: 'right' },
      ...ASSETS.map((field) => ({ field, title: field, align: 'right' }) as const),
    ],
  },
  {
    field: 'failures',
    title: 'What went wrong',
    columns: [
      { field: 'kind', title: 'Kind' },
      { field: 'code', title: 'Code' },
      { field: 'count', title: 'Count', align: 'right' },
    ],
  },
] as const;

/** How often a long simulation says how far it is. */
const NOTE_MS = 5_000;

export const simulateCommand = command({
  words: ['sandbox', 'simulate'],
  summary: 'Simulate days of account activity',
  details: `Users are onboarded, deposit around payday, withdraw and swap; the account pays out, trades, bridges tokens, and changes and withdraws its fees. Wrong sender names, unpaid virtual accounts, bank rejections and outages of the webhook’s receiver occur at the rates that docs/sandbox.md lists.

In a new sandbox, the days end now, or at --until, where the sandbox’s clock then stays. In a sandbox that has been used, they start at its current time and move its clock forward. A day is saved only when it is complete: after an interruption, simulate the days that are left.

The same sandbox, seed and time give the same result. The requests count as sent by other programs, so the journal does not contain them.`,
  examples: [
    'fiatrail sandbox simulate',
    'fiatrail sandbox simulate --days 90 --users 1000 --seed 7',
    'fiatrail sandbox simulate --days 30 --until 2026-10-31 -o json --query operations',
  ],
  endpoints: [sandboxSimulate.id, sandboxClock.id, sandboxAdvance.id],
  prints: {
    response: sandboxSimulate,
    more: () => ({ days: z.int(), users: z.int(), seed: z.int(), seconds: z.number() }),
  },
  parameters: {
    days: option('--days <count>', 'number of days, of 24 hours (default 30)', wholeNumber(1, 3650)),
    users: option('--users <count>', 'number of users at the end (default 200)', wholeNumber(1, 10_000)),
    seed: option('--seed <number>', 'seed of the random numbers (default 1)', wholeNumber(0, 2 ** 32 - 1)),
    until: option(
      '--until <date>',
      'when the last day ends, instead of now: 2026-10-31 (with that day) or a time such as 2026-11-01T00:00:00+01:00',
      moment,
    ),
  },
  run: async (account, terminal, { days = 30, users = 200, seed = 1, until }) => {
    requireSandbox(account);
    const untilMs = until && timesOf({ since: undefined, until }, terminal).untilMs;
    const startMs = timeMs(account);
    const { reply, data } = await simulateDays(account, days, {
      seed,
      users,
      ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    });
    // The last day ended a little before the present.
    const now = data.wasSetBack && untilMs === undefined ? await toPresent(account, data.now) : data.now;
    const seconds = Math.round(timeMs(account) - startMs) / 1000;
    const whole = { ...reply, data: { days, users, seed, ...data, now, seconds } };
    return outcomeOf(account, sandboxSimulate, whole, { columns: COLUMNS, isAsReceived: false });
  },
});

const timeMs = ({ world: { clock } }: Pick<Account, 'world'>) => clock.steadyMs?.() ?? clock.now();

/** Simulates one day after the other, and adds up what happened. */
async function simulateDays(
  account: Account,
  days: number,
  first: Pick<RequestOf<typeof sandboxSimulate>, 'seed' | 'users' | 'until'>,
): Promise<{ readonly reply: AccountReply<Day>; readonly data: Day }> {
  let reply = await account.call(sandboxSimulate, { ...first, days });
  let data = reply.data;
  let notedMs = timeMs(account);
  for (let done = 1; done < days; done++) {
    if (timeMs(account) - notedMs > NOTE_MS) {
      notedMs = timeMs(account);
      await account.notices.note(`${done} of ${days} days`);
    }
    const { until, now } = reply.data;
    reply = await account.call(sandboxSimulate, { ...first, until, from: now, days: days - done });
    data = together(data, reply.data);
  }
  return { reply, data: inOrder(data) };
}

/** Returns the rows in one order, whatever happened first. */
function inOrder(data: Day): Day {
  const rankOf = ({ kind }: Pick<KindRow, 'kind'>) => SIMULATED_KINDS.indexOf(kind);
  const kinds = data.kinds.toSorted((a, b) => rankOf(a) - rankOf(b));
  const failures = data.failures.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || b.count - a.count || (a.code < b.code ? -1 : 1),
  );
  return { ...data, kinds, failures };
}

/** Moves the clock of a sandbox that is behind this machine's to the present, and returns its time. */
async function toPresent(account: Account, before: string): Promise<string> {
  const { data } = await account.call(sandboxClock, {});
  const durationMs = Date.parse(data.machineTime) - Date.parse(data.now);
  return durationMs > 0 ? (await account.call(sandboxAdvance, { durationMs })).data.now : before;
}

function together(before: Day, day: Day): Day {
  return {
    ...day,
    from: before.from,
    wasSetBack: before.wasSetBack,
    operations: before.operations + day.operations,
    events: before.events + day.events,
    lostAttempts: before.lostAttempts + day.lostAttempts,
    kinds: merged(before.kinds, day.kinds, ['kind'], kindsTogether),
    failures: merged(before.failures, day.failures, ['kind', 'code'], failuresTogether),
  };
}

/** Returns the rows of both lists; rows that agree in some fields become one. */
function merged<R extends Readonly<Record<string, unknown>>>(
  before: readonly R[],
  day: readonly R[],
  by: readonly (keyof R)[],
  both: (one: R, other: R) => R,
): R[] {
  const rows = new Map<string, R>();
  for (const row of [...before, ...day]) {
    const key = by.map((field) => row[field]).join(' ');
    const known = rows.get(key);
    rows.set(key, known ? both(known, row) : row);
  }
  return [...rows.values()];
}

function kindsTogether(one: KindRow, other: KindRow): KindRow {
  const sum = (asset: Asset) => {
    const [first, second] = [one[asset], other[asset]].map(
      (text) => fromWire(String(text), UNITS[asset], asset)?.minor,
    );
    return first === undefined || second === undefined
      ? (one[asset] ?? other[asset])
      : toWireText(amount(asset, first + second), UNITS[asset]);
  };
  return {
    kind: one.kind,
    requests: one.requests + other.requests,
    rejected: one.rejected + other.rejected,
    NGN: sum('NGN'),
    CNGN: sum('CNGN'),
    USDC: sum('USDC'),
    USDT: sum('USDT'),
  };
}

const failuresTogether = (one: FailureRow, other: FailureRow): FailureRow => ({
  ...one,
  count: one.count + other.count,
});
