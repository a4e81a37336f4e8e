import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inTurn, memoryMeter, timeMs, timesInTurn } from './measure.ts';
import type { Figure, Row, Target } from './report.ts';
import { ratios } from './statistics.ts';
import type { Served, Workshop } from './workshop.ts';

const FEW = 1_000;
const MEMORY_LIMIT_MB = 150;
const NAME_LIMIT_MS = 200;
const REPORT_LIMIT_MS = 1_000;

const count = (rows: number) => rows.toLocaleString('en');

/** The rows of the local copy, and how often commands are run. */
export interface CopySize {
  readonly runs: number;
  readonly transactions: number;
}

/** Measures the first fill against bare reads and inserts of the same pages, and questions about many rows against few. */
export async function measureCopy(shop: Workshop, { runs, transactions: many }: CopySize): Promise<Row[]> {
  const served = new Map<number, Served>();
  for (const rows of [FEW, many]) {
    const state = `copied-${rows}`;
    timeMs(shop.fiatrail(state, ['sandbox', 'seed', '--history', String(rows), '--rate-limits', 'off']));
    const serve = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json'];
    served.set(rows, await shop.serve(shop.fiatrail(state, serve)));
  }
  const copyOf = (rows: number, args: readonly string[]) => {
    const { url = '', apiKey = '' } = served.get(rows) ?? {};
    return shop.fiatrail(`copy-${rows}`, args, { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey });
  };
  const fill = await measureFill(shop, served.get(many) as Served, many);
  const size = sizeOf(shop, many);
  for (const rows of [FEW, many]) timeMs(copyOf(rows, ['sync', '-q']));
  const idIn = (rows: number) => {
    const file = join(shop.folder, 'state', `copy-${rows}`, 'copy-environment.db');
    const database = new DatabaseSync(file, { readOnly: true });
    const { id, sender_name: name } = database
      .prepare('SELECT id, sender_name FROM deposits WHERE sender_name IS NOT NULL LIMIT 1 OFFSET 20')
      .get() as Record<string, string>;
    database.close();
    return { file, id: id ?? '', part: (name ?? '').slice(2, 7) };
  };
  const [few, all] = [idIn(FEW), idIn(many)];
  const bareSql = `const { DatabaseSync } = require('node:sqlite'); console.log(new DatabaseSync(process.argv[1], { readOnly: true }).prepare('SELECT count(*) AS n FROM deposits').get())`;
  const times = await timesInTurn(
    {
      nothing: shop.node(['-e', '0']),
      fewById: copyOf(FEW, ['find', few.id, '-o', 'json']),
      byId: copyOf(many, ['find', all.id, '-o', 'json']),
      byName: copyOf(many, ['find', all.part, '-o', 'json']),
      report: copyOf(many, ['report', '--since', '30d', '-o', 'json']),
      sql: copyOf(many, ['sql', 'SELECT count(*) AS n FROM deposits', '-o', 'json']),
      bareSql: shop.node(['-e', bareSql, all.file]),
      nothingNew: copyOf(many, ['sync', '-q']),
      fewNothingNew: copyOf(FEW, ['sync', '-q']),
    },
    Math.min(runs, 11),
  );
  await Promise.all([...served.values()].map((each) => shop.stop(each)));
  const row = (
    name: string,
    values: readonly number[],
    against: string,
    beside: readonly number[],
    ratio: number,
  ): Figure => ({
    name: `${name}, ${count(many)} rows`,
    unit: 'ms',
    values,
    against,
    beside,
    ratios: ratios(values, beside),
    target: { is: 'at most', ratio },
  });
  return [
    ...fill,
    size,
    row('find by id', times.byId, `${count(FEW)} rows`, times.fewById, 1.5),
    row('find by id', times.byId, 'node -e 0', times.nothing, 4),
    row(
      'find by a part of a name',
      times.byName,
      'limit',
      times.byName.map(() => NAME_LIMIT_MS),
      1,
    ),
    row(
      'report of a month',
      times.report,
      'limit',
      times.report.map(() => REPORT_LIMIT_MS),
      1,
    ),
    row('sql count', times.sql, 'bare node:sqlite', times.bareSql, 1.3),
    row('sync with nothing new', times.nothingNew, `${count(FEW)} rows`, times.fewNothingNew, 1.5),
  ];
}

/** The file of the copy against the sandbox's own, which has the same rows. */
function sizeOf(shop: Workshop, many: number): Figure {
  const mbOf = (state: string, name: string) => statSync(join(shop.folder, 'state', state, name)).size / 1e6;
  const [values, beside] = [[mbOf('filled', 'copy-environment.db')], [mbOf(`copied-${many}`, 'sandbox.db')]];
  return {
    name: `file of the copy, ${count(many)} rows`,
    unit: 'MB',
    values,
    against: 'file of the sandbox',
    beside,
    ratios: ratios(values, beside),
    target: { is: 'at most', ratio: 3 },
  };
}

async function measureFill(shop: Workshop, { url, apiKey }: Served, many: number): Promise<Row[]> {
  const account = { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
  const whole = shop.fiatrail('filled', ['sync', '-q'], account);
  const file = join(shop.folder, 'bare.db');
  const bare = shop.node(
    [join(import.meta.dirname, 'bare-fill.mjs'), file, `${url}/payouts#payouts`, `${url}/deposits#deposits`],
    account,
  );
  const state = join(shop.folder, 'state', 'filled');
  const times = await inTurn(
    { whole, bare },
    1,
    (command) => {
      rmSync(state, { recursive: true, force: true });
      return timeMs(command);
    },
    0,
  );
  const perSecond = (ms: readonly number[]) => ms.map((each) => (many * 1000) / each);
  const [values, beside] = [perSecond(times.whole), perSecond(times.bare)];
  const speed: Figure = {
    name: `rows a second: first sync, ${count(many)} rows`,
    unit: '/s',
    values,
    beside,
    against: 'bare fetch, JSON.parse and batched insert',
    ratios: ratios(values, beside),
    target: { is: 'at least', ratio: 0.5 },
  };
  const name = `peak memory: first sync, ${count(many)} rows`;
  const meter = memoryMeter();
  if (!meter) return [speed, { name, why: 'no GNU time and no /proc' }];
  rmSync(state, { recursive: true, force: true });
  const target: Target = { is: 'at most', ratio: 1 };
  const peak = [await meter.peakMb(whole)];
  const beside2 = [MEMORY_LIMIT_MB];
  return [
    speed,
    {
      name,
      unit: 'MB',
      values: peak,
      against: 'limit',
      beside: beside2,
      ratios: ratios(peak, beside2),
      target,
      note: `peak memory: ${meter.how}`,
    },
  ];
}
