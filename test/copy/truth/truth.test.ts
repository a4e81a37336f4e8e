import { beforeAll, expect, onTestFailed, test } from 'vitest';
import { requireBuilt } from '../../support/built.ts';
import { chances } from '../served.ts';
import { type Case, campaign, compared, FIRST_DAY, report } from './campaign.ts';
import { between, homeAt, killedSync, somewhere } from './kills.ts';
import { lagosDay } from './reports.ts';
import type { Served } from './rig.ts';
import { merged, newTally, tallyText } from './tally.ts';

/** Days that the account works, the fewest with one between others; the long form has 30 of them, and 600 operations. */
const DAYS = Number(process.env['FIATRAIL_SOAK_TRUTH'] ?? 3);
const IS_LONG = process.env['FIATRAIL_SOAK_TRUTH'] !== undefined;
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? 1);
const SEEDS = Number(process.env['FIATRAIL_SOAK_TRUTH_SEEDS'] ?? 1);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

beforeAll(requireBuilt);

const casesOf = (service: Served): readonly Case[] => {
  const machine = (name: string) => service.machine({ name });
  return [
    {
      // As docs/month-end.md says.
      name: 'synced and read before and after midnight, with a listener',
      machine: machine('midnight'),
      isBefore: true,
      listens: true,
      reads: 'each time',
      dailyMs: [5 * MINUTE_MS, 24 * HOUR_MS - 5 * MINUTE_MS],
      isAtEnd: true,
    },
    ...(IS_LONG
      ? [
          {
            name: 'synced each hour, with a listener',
            machine: machine('hourly'),
            isBefore: true,
            listens: true as const,
            reads: 'at the end' as const,
            dailyMs: [
              ...Array.from({ length: 24 }, (_, hour) => hour * HOUR_MS + 5 * MINUTE_MS),
              24 * HOUR_MS - 5 * MINUTE_MS,
            ],
            isAtEnd: true,
          },
        ]
      : []),
    {
      name: 'synced each noon, without a listener',
      machine: machine('noon'),
      isBefore: true,
      reads: 'at the end',
      dailyMs: [12.5 * HOUR_MS],
      isAtEnd: true,
    },
    {
      name: 'synced before and once at the end, with a listener',
      machine: machine('once'),
      isBefore: true,
      listens: true,
      reads: 'at the end',
      isAtEnd: true,
    },
    {
      name: 'never synced during work, with a listener',
      machine: machine('never'),
      listens: true,
      reads: 'at the end',
      isAtEnd: true,
    },
    {
      name: 'not synced since the middle',
      machine: machine('stale'),
      isBefore: true,
      dailyMs: [13 * HOUR_MS],
      untilDay: Math.floor(DAYS / 2),
    },
  ];
};

test.each(Array.from({ length: SEEDS }, (_, index) => SEED + index))(
  'every figure of every report is that of the ledger, or says that it is not known, with seed %i',
  async (seed) => {
    onTestFailed(() => console.error(`repeat this with FIATRAIL_SOAK_SEED=${seed} FIATRAIL_SOAK_TRUTH=${DAYS}`));
    const told = await campaign({ seed, days: DAYS, operations: Math.max(110, 20 * DAYS) }, casesOf);
    if (IS_LONG) report(`seed ${seed}, ${DAYS} days`, told);
    expect([...told.tallies].flatMap(([name, { wrong }]) => wrong.map((line) => `${name}: ${line}`))).toEqual([]);
  },
);

const KILLS = Number(process.env['FIATRAIL_SOAK_TRUTH_KILLS'] ?? 2);
/** Fewer than the requests of a sync. */
const MOST_REQUESTS = 30;

test(`so it is after each of ${KILLS} syncs that were killed, and after the one that goes on`, async () => {
  onTestFailed(() => console.error(`repeat this with FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_TRUTH_KILLS=${KILLS}`));
  const chance = chances(SEED);
  const days = Math.max(2, Math.min(KILLS, DAYS));
  const tally = { killed: 0, after: newTally() };
  const told = await campaign({ seed: SEED + 1_000, days, operations: 20 * days }, async (service) => {
    const way = await between(service);
    const home = homeAt(service, way);
    const { FIATRAIL_STATE_DIR = '', FIATRAIL_CONFIG_DIR = '' } = home.env;
    const machine = service.machine({ name: 'killed', env: { FIATRAIL_STATE_DIR, FIATRAIL_CONFIG_DIR } });
    const onDay = async () => {
      for (let each = 0; each < Math.ceil(KILLS / days); each++) {
        if (!(await killedSync(service, way, home, somewhere(chance, MOST_REQUESTS)))) continue;
        tally.killed += 1;
        // All days are compared in the end.
        const [first, last] = [3, 0].map((ago) => lagosDay(service.now() - ago * 24 * HOUR_MS)) as [string, string];
        const days = [first > FIRST_DAY ? first : FIRST_DAY, last] as const;
        tally.after = merged([tally.after, await compared(service, machine, days)]);
      }
    };
    return [{ name: 'killed', machine, isBefore: true, dailyMs: [13 * HOUR_MS], isAtEnd: true, onDay }];
  });
  if (IS_LONG) report(`${tally.killed} kills\n  after each: ${tallyText(tally.after)}`, told);
  expect(tally.killed).toBeGreaterThan(0);
  expect(tally.after.wrong).toEqual([]);
  expect(told.tallies.get('killed')?.wrong).toEqual([]);
});
