import { timeMs, timesInTurn } from './measure.ts';
import type { Figure, Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Workshop } from './workshop.ts';

const PAGE = 20;
const FEW = 1_000;

/**
 * Measures the first and the last page of a long list against the first page of a short one, each as a complete
 * embedded command.
 */
export async function measurePages(shop: Workshop, many: number, runs: number): Promise<Row[]> {
  for (const users of [FEW, many]) {
    timeMs(shop.fiatrail(`users-${users}`, ['sandbox', 'seed', '--users', String(users), '--rate-limits', 'off']));
  }
  const page = (users: number, offset: number) =>
    shop.fiatrail(`users-${users}`, [
      'api',
      'POST',
      '/listfintechusers',
      '-f',
      `limit=${PAGE}`,
      '-f',
      `offset=${offset}`,
      '-o',
      'json',
    ]);
  const times = await timesInTurn(
    { short: page(FEW, 0), first: page(many, 0), last: page(many, many - PAGE), lastOfShort: page(FEW, FEW - PAGE) },
    runs,
  );
  const row = (name: string, values: readonly number[], target?: Figure['target']): Figure => ({
    name: `users list, ${name}`,
    unit: 'ms',
    values,
    against: `first page of ${FEW.toLocaleString('en')}`,
    beside: times.short,
    ratios: ratios(values, times.short),
    ...(target ? { target } : {}),
  });
  const amount = many.toLocaleString('en');
  return [
    row(`last page of ${FEW.toLocaleString('en')}`, times.lastOfShort),
    row(`first page of ${amount}`, times.first),
    row(`last page of ${amount}`, times.last, { is: 'at most', ratio: 2 }),
  ];
}
