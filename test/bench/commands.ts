import { join } from 'node:path';
import { inTurn, type MemoryMeter, memoryMeter, timesInTurn } from './measure.ts';
import type { Figure, Row, Target } from './report.ts';
import { ratios } from './statistics.ts';
import type { Command, Served, Workshop } from './workshop.ts';

/** The compared commands, ready to run. */
interface Commands {
  readonly node: Command;
  readonly version: Command;
  readonly help: Command;
  readonly groupHelp: Command;
  readonly completion: Command;
  readonly http: Command;
  readonly fetch: Command;
  readonly json: Command;
  readonly table: Command;
  readonly embedded: Command;
  readonly curl: Command | undefined;
}

const EMBEDDED_STATE = 'embedded';

export function seedEmbedded(shop: Workshop): Command {
  return shop.fiatrail(EMBEDDED_STATE, ['sandbox', 'seed', '--users', '250', '--rate-limits', 'off']);
}

function prepare(shop: Workshop, { url, apiKey }: Served): Commands {
  const read = `${url}/balance/multi`;
  const account = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  const balances = ['balances', 'account'];
  return {
    node: shop.node(['-e', '0']),
    version: shop.fiatrail(EMBEDDED_STATE, ['--version']),
    help: shop.fiatrail(EMBEDDED_STATE, ['--help']),
    groupHelp: shop.fiatrail(EMBEDDED_STATE, ['fx', '--help']),
    completion: shop.fiatrail(EMBEDDED_STATE, ['completion', 'complete', '--', 'users', '']),
    http: shop.node([join(import.meta.dirname, 'bare-http.mjs'), read], account),
    fetch: shop.node([join(import.meta.dirname, 'bare-fetch.mjs'), read], account),
    json: shop.fiatrail(EMBEDDED_STATE, [...balances, '-o', 'json'], account),
    table: shop.fiatrail(EMBEDDED_STATE, balances, account),
    embedded: shop.fiatrail(EMBEDDED_STATE, ['users', 'list', '-o', 'json']),
    curl: shop.program('curl', ['-sf', '-H', `x-api-key: ${apiKey}`, read]),
  };
}

const NAMES = {
  version: 'fiatrail --version',
  help: 'fiatrail --help',
  groupHelp: 'fiatrail fx --help',
  completion: 'completion of a word',
  json: 'read over loopback, -o json',
  embedded: 'embedded read, -o json',
} as const;

/** Measures the time and peak memory of complete commands. `served` is a sandbox without rate limits. */
export async function measureCommands(shop: Workshop, served: Served, runs: number): Promise<Row[]> {
  const commands = prepare(shop, served);
  const meter = memoryMeter();
  return [
    ...(await startUp(commands, runs)),
    ...(await overLoopback(commands, runs)),
    ...(await embeddedRead(commands, runs)),
    await tableCost(commands, runs),
    ...(meter ? await memory(commands, meter, runs) : [{ name: 'peak memory', why: 'no GNU time and no /proc' }]),
  ];
}

function compared(
  name: string,
  [against, unit]: readonly [against: string, unit: Figure['unit']],
  values: readonly number[],
  beside: readonly number[],
  target?: Target,
): Figure {
  return { name, unit, values, against, beside, ratios: ratios(values, beside), ...(target ? { target } : {}) };
}

async function startUp({ version, help, groupHelp, completion, node }: Commands, runs: number): Promise<Row[]> {
  const times = await timesInTurn({ version, help, groupHelp, completion, node }, runs);
  const row = (name: 'version' | 'help' | 'groupHelp' | 'completion', ratio: number) =>
    compared(NAMES[name], ['node -e 0', 'ms'], times[name], times.node, { is: 'at most', ratio });
  return [row('version', 1.15), row('help', 1.6), row('groupHelp', 1.6), row('completion', 1.5)];
}

async function overLoopback({ json, http, fetch, curl }: Commands, runs: number): Promise<Row[]> {
  const times = curl
    ? await timesInTurn({ json, http, fetch, curl }, runs)
    : { ...(await timesInTurn({ json, http, fetch }, runs)), curl: undefined };
  const target: Target = { is: 'at most', ratio: 0.75, beyond: 0.7 };
  return [
    compared(NAMES.json, ['bare fetch', 'ms'], times.json, times.fetch, target),
    compared('bare node:http', ['bare fetch', 'ms'], times.http, times.fetch),
    times.curl
      ? compared(NAMES.json, ['curl', 'ms'], times.json, times.curl)
      : { name: NAMES.json, why: 'no curl here' },
  ];
}

async function embeddedRead({ embedded, node }: Commands, runs: number): Promise<Row[]> {
  const times = await timesInTurn({ embedded, node }, runs);
  const target: Target = { is: 'at most', ratio: 2.2, beyond: 1.7 };
  return [compared(NAMES.embedded, ['node -e 0', 'ms'], times.embedded, times.node, target)];
}

async function tableCost({ json, table, node }: Commands, runs: number): Promise<Row> {
  const times = await timesInTurn({ json, table, node }, runs);
  const added = times.table.map((ms, index) => ms - (times.json[index] ?? Number.NaN));
  return compared('added by a table instead of JSON', ['node -e 0', 'ms'], added, times.node, {
    is: 'at most',
    ratio: 0.6,
  });
}

async function memory({ curl, ...commands }: Commands, meter: MemoryMeter, runs: number): Promise<Row[]> {
  const peaks = await inTurn(commands, runs, meter.peakMb);
  const ofCurl = curl && (await inTurn({ curl }, runs, meter.peakMb)).curl;
  const row = (name: string, values: readonly number[], against: keyof typeof commands, target?: Target) => ({
    ...compared(
      `peak memory: ${name}`,
      [against === 'node' ? 'node -e 0' : 'bare fetch', 'MB'],
      values,
      peaks[against],
      target,
    ),
    note: `peak memory: ${meter.how}`,
  });
  return [
    row(NAMES.json, peaks.json, 'fetch', { is: 'at most', ratio: 1.6 }),
    row('the same as a table', peaks.table, 'fetch'),
    row(NAMES.version, peaks.version, 'node'),
    row(NAMES.embedded, peaks.embedded, 'node'),
    row('bare fetch', peaks.fetch, 'node'),
    ...(ofCurl ? [row('curl', ofCurl, 'node')] : []),
  ];
}
