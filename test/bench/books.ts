import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cpuMeter, inTurn, memoryMeter, timeMs } from './measure.ts';
import type { Figure, Row } from './report.ts';
import { rowsIn } from './rows-in.ts';
import { ratios } from './statistics.ts';
import type { Command, Workshop } from './workshop.ts';

/** The rows that are simulated, and how often each is there: for as many other users, in each of some months. */
export interface BooksSize {
  readonly runs: number;
  readonly bookUsers: number;
  readonly times: number;
  readonly months: number;
}

const MEMORY_LIMIT_MB = 200;
const LIMIT_MS = 60_000;
const STATE = 'books';

/** A command that may say with exit code 9 that something is not known: nobody accepted it. */
const withUnknown = ({ file, args, env }: Command): Command => ({
  file: 'bash',
  args: ['-c', '"$@"; code=$?; [ $code = 9 ] || exit $code', 'bash', file, ...args],
  env,
});

/** The lists of which a month has most rows. */
const LISTS = ['payouts', 'deposits', 'swaps', 'withdrawals', 'fx_trades', 'bridge_transfers', 'fee_withdrawals'];

/** Measures a report, the books and the close of one of some months of a copy with many rows, which are repeated from a simulation. */
export async function measureBooks(shop: Workshop, size: BooksSize): Promise<Row[]> {
  const cpuMs = cpuMeter();
  if (!cpuMs) return [{ name: 'books of a month', why: 'no bash, which tells the CPU time' }];
  const { month, file, fiatrail } = await fillCopy(shop, size);
  const rows = LISTS.reduce((sum, list) => sum + rowsIn(file, `stored_${list}`), 0);
  const name = (what: string) => `${what}, ${rows.toLocaleString('en')} rows in ${size.months} months`;
  const commands = {
    nothing: shop.node(['-e', '0']),
    report: withUnknown(fiatrail('report', month)),
    books: withUnknown(fiatrail('report', 'books', month)),
    close: withUnknown(fiatrail('report', 'close', month, '--dry-run')),
  };
  const few = Math.min(size.runs, 3);
  const { nothing, report } = await inTurn({ nothing: commands.nothing, report: commands.report }, few, cpuMs);
  const { books, close } = await inTurn({ books: commands.books, close: commands.close }, 1, cpuMs, 0);
  const wall = await inTurn({ books: commands.books, close: commands.close }, 1, (command) => timeMs(command), 0);
  const against = (
    what: string,
    values: readonly number[],
    limit: number,
    unit: 'ms' | 'MB',
    isGoal = true,
  ): Figure => {
    const beside = values.map(() => limit);
    const target = isGoal ? { target: { is: 'at most', ratio: 1 } as const } : {};
    return { name: name(what), unit, values, against: 'limit', beside, ratios: ratios(values, beside), ...target };
  };
  const figures: Row[] = [
    {
      name: name('CPU time: report of a month'),
      unit: 'ms',
      values: report,
      against: 'node -e 0',
      beside: nothing,
      ratios: ratios(report, nothing),
      target: { is: 'at most', ratio: 10 },
    },
    against('CPU time: books of a month', books, LIMIT_MS, 'ms', false),
    against('books of a month', wall.books, LIMIT_MS, 'ms'),
    against('CPU time: close of a month, as a dry run', close, LIMIT_MS, 'ms', false),
    against('close of a month, as a dry run', wall.close, LIMIT_MS, 'ms'),
  ];
  const meter = memoryMeter();
  if (!meter) return [...figures, { name: name('peak memory: books of a month'), why: 'no GNU time and no /proc' }];
  for (const what of ['books', 'close'] as const)
    figures.push(
      against(`peak memory: ${what} of a month`, [await meter.peakMb(commands[what])], MEMORY_LIMIT_MB, 'MB'),
    );
  return figures;
}

/** Simulates a month, copies it, and repeats its rows. Returns the last month that has ended, and what asks the copy. Throws if a step fails. */
async function fillCopy(shop: Workshop, { bookUsers, times, months }: BooksSize) {
  const now = new Date();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).toISOString();
  const days = ['--days', '28', '--users', String(bookUsers), '--until', last.slice(0, 10), '-q'];
  timeMs(shop.fiatrail(STATE, ['sandbox', 'simulate', ...days]));
  const serve = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json'];
  const served = await shop.serve(shop.fiatrail(STATE, serve));
  const account = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
  const fiatrail = (...args: string[]) => shop.fiatrail(STATE, args, account);
  timeMs(fiatrail('sync', '-q'));
  // The copy is asked alone.
  await shop.stop(served);
  const file = join(shop.folder, 'state', STATE, 'copy-environment.db');
  const script = join(import.meta.dirname, 'grow-copy.ts');
  const { status, stderr } = spawnSync(process.execPath, [script, file, String(times), String(months)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return { month: last.slice(0, 7), file, fiatrail };
}
