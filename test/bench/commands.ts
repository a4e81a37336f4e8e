import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cpuMeter, inTurn, type MemoryMeter, memoryMeter } from './measure.ts';
import type { Figure, Row, Target } from './report.ts';
import { ratios } from './statistics.ts';
import type { Command, Served, Workshop } from './workshop.ts';

/** A command, and what happens before each of its runs. */
interface Prepared extends Command {
  readonly before?: () => void;
}

const EMBEDDED_STATE = 'embedded';
const WITHDRAWAL = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA OBI'];

export function seedEmbedded(shop: Workshop): Command {
  return shop.fiatrail(EMBEDDED_STATE, ['sandbox', 'seed', '--users', '250', '--rate-limits', 'off']);
}

/** The compared commands, ready to run, in the order of their runs. */
function prepare(shop: Workshop, { url, apiKey }: Served) {
  const account = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  const embedded = (args: readonly string[], extra: Readonly<Record<string, string>> = {}) =>
    shop.fiatrail(EMBEDDED_STATE, args, extra);
  const balances = ['balances', 'account'];
  const list = ['users', 'list', '-o', 'json'];
  const dryRun = ['fees', 'withdraw', '--amount', '500', ...WITHDRAWAL, '--dry-run', '-o', 'json'];
  // As after an installation: nothing is kept of an earlier run.
  const cache = join(shop.folder, 'first-cache');
  const installed = embedded(list, { XDG_CACHE_HOME: cache });
  const removeCache = () => {
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(cache, { mode: 0o700 });
  };
  return {
    node: shop.node(['-e', '0']),
    http: shop.node([join(import.meta.dirname, 'bare-http.cjs'), `${url}/balance/multi`], account),
    version: embedded(['--version']),
    help: embedded(['--help']),
    groupHelp: embedded(['fx', '--help']),
    completion: embedded(['completion', 'complete', '--', 'users', '']),
    json: embedded([...balances, '-o', 'json'], account),
    table: embedded(balances, account),
    list: embedded(list),
    once: embedded([...dryRun, '--once', 'fees-{year}-{month}']),
    first: { ...installed, before: removeCache },
    second: installed,
    third: installed,
  } satisfies Record<string, Prepared>;
}

const NAMES = {
  version: 'fiatrail --version',
  help: 'fiatrail --help',
  groupHelp: 'fiatrail fx --help',
  completion: 'completion of a word',
  json: 'read over loopback, -o json',
  list: 'embedded list, -o json',
  once: 'dry run of a payment with --once',
} as const;

const atMost = (ratio: number): Target => ({ is: 'at most', ratio });

/** Measures the CPU time and the peak memory of complete commands. `served` is a sandbox without rate limits. */
export async function measureCommands(shop: Workshop, served: Served, runs: number): Promise<Row[]> {
  const commands = prepare(shop, served);
  const meter = memoryMeter();
  return [
    ...(await cpuTime(commands, runs)),
    await onTerminal(shop, runs),
    ...(meter ? await memory(commands, meter, runs) : [{ name: 'peak memory', why: 'no GNU time and no /proc' }]),
  ];
}

type Commands = ReturnType<typeof prepare>;

/** All commands run in turn, so that each figure is of the same time as what it is compared with. */
async function cpuTime(commands: Commands, runs: number): Promise<Row[]> {
  const cpuMs = cpuMeter();
  if (!cpuMs) return [{ name: 'CPU time of commands', why: 'no bash, which tells it' }];
  const times = await inTurn<keyof Commands, Prepared, number>(commands, runs, ({ before, ...command }) => {
    before?.();
    return cpuMs(command);
  });
  const compared = (name: string, values: readonly number[], against: 'node' | 'http' | 'third', target: Target) => ({
    name: `CPU time: ${name}`,
    unit: 'ms' as const,
    values,
    target,
    beside: times[against],
    against: { node: 'node -e 0', http: 'bare node:http', third: 'the third' }[against],
    ratios: ratios(values, times[against]),
  });
  const row = (name: keyof typeof NAMES, against: 'node' | 'http', ratio: number): Figure =>
    compared(NAMES[name], times[name], against, atMost(ratio));
  const both = (combine: (a: number, b: number) => number, [one, other]: readonly (readonly number[])[]) =>
    (one ?? []).map((ms, index) => combine(ms, other?.[index] ?? Number.NaN));
  return [
    row('version', 'node', 1.15),
    row('help', 'node', 1.6),
    row('groupHelp', 'node', 1.6),
    row('completion', 'node', 1.5),
    row('json', 'http', 1.6),
    row('list', 'node', 2.4),
    row('once', 'node', 2.3),
    compared(
      'first and second run after an installation',
      both((a, b) => a + b, [times.first, times.second]),
      ...(['node', atMost(8)] as const),
    ),
    compared('second run after an installation', times.second, 'third', atMost(1.1)),
    compared(
      'added by a table instead of JSON',
      both((a, b) => a - b, [times.table, times.json]),
      ...(['node', atMost(0.6)] as const),
    ),
  ];
}

const ON_TERMINAL = 'CPU time: added by a colored table on a terminal instead of JSON';

/** Compares both on a terminal, which util-linux's `script` makes, so that it counts in both. */
async function onTerminal(shop: Workshop, runs: number): Promise<Row> {
  const cpuMs = cpuMeter();
  const { file, args, env } = shop.fiatrail(EMBEDDED_STATE, ['users', 'list']);
  const list = [file, ...args].map((word) => `'${word}'`).join(' ');
  const script = (line: string) => shop.program('script', ['-qec', line, '/dev/null']);
  const [json, table] = [script(`${list} -o json >/dev/null`), script(list)];
  if (!cpuMs || !json || !table) return { name: ON_TERMINAL, why: 'no bash, or no script of util-linux' };
  const commands = { node: shop.node(['-e', '0']), json: { ...json, env }, table: { ...table, env } };
  const times = await inTurn(commands, runs, cpuMs);
  const values = times.table.map((ms, run) => ms - (times.json[run] ?? Number.NaN));
  return {
    name: ON_TERMINAL,
    unit: 'ms',
    values,
    target: atMost(0.6),
    beside: times.node,
    against: 'node -e 0',
    ratios: ratios(values, times.node),
  };
}

async function memory(commands: Commands, meter: MemoryMeter, runs: number): Promise<Row[]> {
  const { node, json, table, version, list, http } = commands;
  const peaks = await inTurn({ node, json, table, version, list, http }, runs, meter.peakMb);
  const row = (name: string, values: readonly number[], target?: Target): Figure => ({
    name: `peak memory: ${name}`,
    unit: 'MB',
    values,
    against: 'node -e 0',
    beside: peaks.node,
    ratios: ratios(values, peaks.node),
    ...(target ? { target } : {}),
    note: `peak memory: ${meter.how}`,
  });
  return [
    row(NAMES.json, peaks.json, atMost(1.6)),
    row('the same as a table', peaks.table),
    row(NAMES.version, peaks.version),
    row(NAMES.list, peaks.list),
    row('bare node:http', peaks.http),
  ];
}
