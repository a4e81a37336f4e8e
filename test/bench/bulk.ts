import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuMeter, inTurn, memoryMeter, timeMs } from './measure.ts';
import type { Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Command, Workshop } from './workshop.ts';

const STATE = 'bulk';

/** Measures the check of a file of payouts, in CPU time beside csv-parse alone on the same file, and in memory. */
export async function measureBulk(shop: Workshop, rows: number, runs: number): Promise<Row[]> {
  timeMs(shop.fiatrail(STATE, ['sandbox', 'seed', '--users', '0', '--rate-limits', 'off']));
  const path = join(shop.folder, 'bulk.csv');
  const lines = Array.from({ length: rows }, (_, at) => `INV-${at},default,0.${String(at + 1).padStart(6, '0')},Goods`);
  writeFileSync(path, `Reference,To,Amount,Remark\n${lines.join('\n')}\n`);
  const commands: Record<'check' | 'bare', Command> = {
    check: shop.fiatrail(STATE, ['bulk', 'check', path, '--as', 'payout create', '-q', '-o', 'json']),
    bare: shop.node([join(import.meta.dirname, 'bare-csv.mjs'), path]),
  };
  const name = `check of a file of ${rows.toLocaleString('en')} rows`;
  const [cpuMs, meter] = [cpuMeter(), memoryMeter()];
  if (!cpuMs || !meter) return [{ name, why: 'no bash, or neither GNU time nor /proc' }];
  const times = await inTurn(commands, runs, cpuMs);
  const peaks = await inTurn(commands, runs, meter.peakMb);
  const row = (what: string, unit: 'ms' | 'MB', found: typeof times): Row => ({
    name: `${what}: ${name}`,
    unit,
    values: found.check,
    against: 'csv-parse alone',
    beside: found.bare,
    ratios: ratios(found.check, found.bare),
    // A row is parsed, read as a request, validated, compared with all others and hashed, besides what csv-parse does.
    target: unit === 'ms' ? { is: 'at most', ratio: 6, beyond: 2 } : { is: 'at most', ratio: 2.4 },
  });
  return [row('CPU time', 'ms', times), row('peak memory', 'MB', peaks)];
}
