import { join } from 'node:path';
import { inTurn, memoryMeter, timeMs, timesInTurn } from './measure.ts';
import type { Figure, Row, Target } from './report.ts';
import { ratios } from './statistics.ts';
import type { Command, Served, Workshop } from './workshop.ts';

const PAGE = 20;
const FEW = 1_000;

const count = (rows: number) => rows.toLocaleString('en');
const stateOf = (rows: number) => `history-${rows}`;

/** The length of a history, and how often it is exported. */
export interface HistorySize {
  readonly runs: number;
  readonly transactions: number;
  readonly exports: number;
}

/** Measures pages of a long list against those of a short one, then a complete export. */
export async function measureHistory(shop: Workshop, size: HistorySize): Promise<Row[]> {
  const { transactions: many, runs } = size;
  const part = many / 10;
  for (const rows of [FEW, part, many])
    timeMs(shop.fiatrail(stateOf(rows), ['sandbox', 'seed', '--history', String(rows), '--rate-limits', 'off']));
  const pages = await measurePages(shop, many, runs);
  const serve = (rows: number) =>
    shop.serve(shop.fiatrail(stateOf(rows), ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']));
  const [served, servedPart] = [await serve(many), await serve(part)];
  const memory = await measureMemory(exportOf(shop, served), exportOf(shop, servedPart), many);
  const speed = await measureSpeed(shop, served, size);
  await Promise.all([shop.stop(served), shop.stop(servedPart)]);
  return [...pages, ...memory, speed];
}

async function measurePages(shop: Workshop, many: number, runs: number): Promise<Row[]> {
  const page = (rows: number, offset: number) =>
    shop.fiatrail(stateOf(rows), ['history', 'transactions', '-o', 'json', '--offset', String(offset)]);
  const times = await timesInTurn({ short: page(FEW, 0), first: page(many, 0), last: page(many, many - PAGE) }, runs);
  const row = (name: string, values: readonly number[]): Figure => ({
    name: `history transactions, ${name} of ${count(many)}`,
    unit: 'ms',
    values,
    against: `first page of ${count(FEW)}`,
    beside: times.short,
    ratios: ratios(values, times.short),
    target: { is: 'at most', ratio: 2 },
  });
  return [row('first page', times.first), row('last page', times.last)];
}

function exportOf(shop: Workshop, { url, apiKey }: Served): Command {
  const account = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  return shop.fiatrail('export', ['history', 'transactions', '--all', '-o', 'ndjson', '-q'], account);
}

const MEMORY_LIMIT_MB = 150;

/** Measures the peak memory of a complete export, against the limit and against a tenth of it. */
async function measureMemory(whole: Command, part: Command, many: number): Promise<Row[]> {
  const name = `peak memory: history transactions --all, ${count(many)} rows`;
  const meter = memoryMeter();
  if (!meter) return [{ name, why: 'no GNU time and no /proc' }];
  const peaks = { whole: [await meter.peakMb(whole)], part: [await meter.peakMb(part)] };
  const row = (against: string, beside: readonly number[], target: Target): Figure => ({
    name,
    unit: 'MB',
    values: peaks.whole,
    against,
    beside,
    ratios: ratios(peaks.whole, beside),
    target,
    note: `peak memory: ${meter.how}`,
  });
  return [
    row('limit', [MEMORY_LIMIT_MB], { is: 'at most', ratio: 1 }),
    row(`${count(many / 10)} rows`, peaks.part, { is: 'at most', ratio: 1.2 }),
  ];
}

async function measureSpeed(shop: Workshop, served: Served, { transactions, exports }: HistorySize): Promise<Row> {
  const { url, apiKey } = served;
  const bare = shop.node([join(import.meta.dirname, 'bare-pages.mjs'), `${url}/transactions`], {
    FIATRAIL_API_KEY: apiKey,
  });
  const times = await inTurn({ whole: exportOf(shop, served), bare }, exports, timeMs, 0);
  const perSecond = (ms: readonly number[]) => ms.map((each) => (transactions * 1000) / each);
  const [values, beside] = [perSecond(times.whole), perSecond(times.bare)];
  return {
    name: `rows a second: history transactions --all, ${count(transactions)} rows`,
    unit: '/s',
    values,
    against: 'bare fetch and JSON.parse',
    beside,
    ratios: ratios(values, beside),
    target: { is: 'at least', ratio: 0.5 },
    note: `An export of ${count(transactions)} rows in pages of 100, ${exports} runs in turn; includes start-up.`,
  };
}
