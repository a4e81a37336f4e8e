import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { timeMs, timesInTurn } from './measure.ts';
import type { Figure, Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Command, Served, Workshop } from './workshop.ts';

const FEW = 1_000;
/** Two or three transitions for each operation. */
const VERIFIED_PER_SECOND = 100_000;
const SHARE_MS = 12;

const count = (rows: number) => rows.toLocaleString('en');
const stateOf = (operations: number) => `journal-${operations}`;

/** The length of a journal. */
export interface JournalSize {
  readonly runs: number;
  readonly operations: number;
}

/** Measures the journal's share of a payment, the first page of a long journal, and what checking it costs. */
export async function measureJournal(shop: Workshop, { runs, operations: many }: JournalSize): Promise<Row[]> {
  for (const operations of [FEW, many]) fill(shop, operations);
  return [...(await measureShare(shop, runs)), ...(await measureLists(shop, many, runs)), ...measureChecks(shop, many)];
}

const fileOf = (shop: Workshop, operations: number) =>
  join(shop.fiatrail(stateOf(operations), []).env['FIATRAIL_STATE_DIR'] ?? '', 'journal.db');

function fill(shop: Workshop, operations: number): void {
  // Created by the program, so that the folder has the usual form.
  timeMs(shop.fiatrail(stateOf(operations), ['ops', 'list']));
  timeMs(shop.node([join(import.meta.dirname, 'fill-journal.ts'), fileOf(shop, operations), String(operations)]));
}

/** Compares a payment over loopback with the same in a copy of the program whose journal does nothing. */
async function measureShare(shop: Workshop, runs: number): Promise<Row[]> {
  const state = 'journal-share';
  timeMs(shop.fiatrail(state, ['sandbox', 'seed', '--users', '1', '--pace', 'instant', '--rate-limits', 'off']));
  const served = await shop.serve(
    shop.fiatrail(state, ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']),
  );
  const commands = payments(shop, served);
  const times = await timesInTurn(commands, runs);
  await shop.stop(served);
  const added = times.journaled.map((ms, index) => ms - (times.bare[index] ?? Number.NaN));
  const limit = added.map(() => SHARE_MS);
  return [
    {
      name: 'added to a payment by the journal',
      unit: 'ms',
      values: added,
      against: 'limit',
      beside: limit,
      ratios: ratios(added, limit),
      target: { is: 'at most', ratio: 1 },
      note: 'onramp create over loopback, against a copy of the program whose journal does nothing, in turn.',
    },
  ];
}

function payments(shop: Workshop, { url, apiKey }: Served): Record<'journaled' | 'bare', Command> {
  const account = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  const users = shop.fiatrail(
    'journal-payments',
    ['users', 'list', '-o', 'json', '--query', 'users[0].userId'],
    account,
  );
  const user = JSON.parse(spawnSync(users.file, users.args, { env: users.env, encoding: 'utf8' }).stdout) as string;
  const argv = ['onramp', 'create', user, '--amount', '5000', '--yes', '-q', '-o', 'json'];
  const without = shop.variant('no-journal', { 'journal-open.cjs': join(import.meta.dirname, 'no-journal.cjs') });
  return {
    journaled: shop.fiatrail('journal-payments', argv, account),
    bare: without('no-payments', argv, account),
  };
}

const LISTS = [
  [],
  ['--status', 'unknown'],
  ['--status', 'failed'],
  ['--kind', 'onboarding', '--status', 'accepted'],
] as const;

/** Compares the first page of a long journal with that of a short one, each as a complete command. */
async function measureLists(shop: Workshop, many: number, runs: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const flags of LISTS) {
    const page = (operations: number) => shop.fiatrail(stateOf(operations), ['ops', 'list', ...flags, '-o', 'json']);
    const times = await timesInTurn({ long: page(many), short: page(FEW) }, runs);
    rows.push({
      name: `${['ops list', ...flags].join(' ')}, first page of ${count(many)}`,
      unit: 'ms',
      values: times.long,
      against: `of ${count(FEW)}`,
      beside: times.short,
      ratios: ratios(times.long, times.short),
      target: { is: 'at most', ratio: 1.5 },
    });
  }
  return rows;
}

const ROUNDS = 3;

interface Checks {
  readonly perSecond: number;
  readonly lastLinkMs: number;
  readonly sumMs: number;
}

function checksOf(shop: Workshop, operations: number): Checks[] {
  const { file, args, env } = shop.node([
    join(import.meta.dirname, 'journal-figures.ts'),
    fileOf(shop, operations),
    String(ROUNDS),
  ]);
  const { stdout, stderr, status } = spawnSync(file, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`journal-figures.ts ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Checks[];
}

/** Measures ops journal verify, and the check of the last entry and the sum of a month that precede each payment. */
function measureChecks(shop: Workshop, many: number): Row[] {
  const [long, short] = [checksOf(shop, many), checksOf(shop, FEW)];
  const perSecond = long.map((each) => each.perSecond);
  const limit = perSecond.map(() => VERIFIED_PER_SECOND);
  const verify: Figure = {
    name: `entries a second: ops journal verify, ${count(many)} operations`,
    unit: '/s',
    values: perSecond,
    against: 'limit',
    beside: limit,
    ratios: ratios(perSecond, limit),
    target: { is: 'at least', ratio: 1 },
  };
  const compared = (name: string, figureOf: (checks: Checks) => number): Figure => ({
    name: `${name}, of ${count(many)} operations`,
    unit: 'ms',
    values: long.map(figureOf),
    against: `of ${count(FEW)}`,
    beside: short.map(figureOf),
    ratios: ratios(long.map(figureOf), short.map(figureOf)),
    // Constant but for the depth of the index: a page or two more.
    target: { is: 'at most', ratio: 1.5 },
  });
  return [
    verify,
    compared('the last entry checked', ({ lastLinkMs }) => lastLinkMs),
    compared('what a rule summed of a month', ({ sumMs }) => sumMs),
  ];
}
