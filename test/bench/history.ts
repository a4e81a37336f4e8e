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
  const memory = await measureMemory(shop, served, servedPart, many);
  const speed = await measureSpeed(shop, served, size);
  await Promise.all([shop.stop(served), shop.stop(servedPart)]);
  return [...pages, ...memory, speed];
}

async function measurePages(shop: Workshop, many: number, runs: number): Promise<Row[]> {
  const page = (rows: number, offset: number) =>
    shop.fiatrail(stateOf(rows), [
      'api',
      'GET',
      '/transactions',
      '-f',
      `limit=${PAGE}`,
      '-f',
      `offset=${offset}`,
      '-o',
      'json',
    ]);
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

type Format = (typeof FORMATS)[number];
const FORMATS = ['ndjson', 'json', 'yaml', 'csv', 'table'] as const;

function exportOf(shop: Workshop, { url, apiKey }: Served, format: Format = 'ndjson'): Command {
  const account = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  return shop.fiatrail('export', ['history', 'transactions', '--all', '-o', format, '-q'], account);
}

const MEMORY_LIMIT_MB = 150;

/** Measures the peak memory of a complete export in each format against the limit, and of one of them against a tenth of it. */
async function measureMemory(shop: Workshop, whole: Served, part: Served, many: number): Promise<Row[]> {
  const nameOf = (format: Format) => `peak memory: history transactions --all -o ${format}, ${count(many)} rows`;
  const meter = memoryMeter();
  if (!meter) return FORMATS.map((format) => ({ name: nameOf(format), why: 'no GNU time and no /proc' }));
  const row = (format: Format, values: readonly number[], against: string, beside: number, target: Target): Figure => ({
    name: nameOf(format),
    unit: 'MB',
    values,
    against,
    beside: [beside],
    target,
    ratios: ratios(values, [beside]),
    note: `peak memory: ${meter.how}`,
  });
  const rows: Row[] = [];
  for (const format of FORMATS) {
    const peak = [await meter.peakMb(exportOf(shop, whole, format))];
    rows.push(row(format, peak, 'limit', MEMORY_LIMIT_MB, { is: 'at most', ratio: 1 }));
    if (format !== 'ndjson') continue;
    const ofPart = await meter.peakMb(exportOf(shop, part, format));
    rows.push(row(format, peak, `${count(many / 10)} rows`, ofPart, { is: 'at most', ratio: 1.2 }));
  }
  return rows;
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
