import * as z from 'zod/mini';
import { withCopy } from '../../copy/open.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { spanOf } from '../../copy/questions/report/periods.ts';
import { profitIn } from '../../copy/questions/report/profit.ts';
import { amountSchema, figureSchema, paginationSchema } from '../../present/prints.ts';
import type { Below, Column } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { completeOption, reported } from './known.ts';
import { checkLines } from './lines.ts';
import { periodArgument, periodIn, periodSchema, spanIn } from './period.ts';
import { figureWords } from './statement-page.ts';

const COLUMNS: readonly Column[] = [
  { field: 'at', title: 'Time', isBrief: true },
  { field: 'id', title: 'Trade' },
  { field: 'sold', title: 'Sold', align: 'right' },
  { field: 'proceeds', title: 'Proceeds', align: 'right' },
  { field: 'cost', title: 'Cost', align: 'right' },
  { field: 'profit', title: 'Profit', align: 'right' },
];

const ROW_COLUMNS: readonly Column[] = [
  { field: 'at', title: 'When' },
  { field: 'part', title: 'What' },
  { field: 'id', title: 'Trade' },
  { field: 'sale', title: 'Of sale', isWide: true },
  { field: 'tokens', title: 'Stablecoins', align: 'right' },
  { field: 'amount', title: 'Amount', align: 'right' },
];

export const profitCommand = command({
  words: ['report', 'profit'],
  summary: 'Report the profit of each sale of stablecoins, and their sum',
  details:
    'Profit is the proceeds of a sale less what the stablecoins cost, first in, first out: those bought first are sold first. It is in cNGN, each worth one Naira, after the service’s fees on both trades. The cost of stablecoins that were there before the first sync, or that came without a trade, is not known.',
  examples: [
    'fiatrail report profit last month',
    'fiatrail report profit --since 30d -o csv',
    'fiatrail report profit last month --rows cost',
  ],
  endpoints: [],
  prints: () => {
    const head = { ...periodSchema(), syncedAt: z.nullable(z.iso.datetime()), partial: z.array(z.string()) };
    const sale = z.object({
      at: z.iso.datetime(),
      id: z.string(),
      sold: amountSchema(),
      proceeds: figureSchema(),
      cost: figureSchema(),
      profit: figureSchema(),
    });
    const row = z.object({
      at: z.iso.datetime(),
      id: z.string(),
      part: z.enum(['proceeds', 'cost']),
      sale: z.string(),
      tokens: figureSchema(),
      amount: figureSchema(),
    });
    return z.union([
      z.object({
        ...head,
        method: z.literal('first in, first out'),
        profit: figureSchema(),
        unknown: z.int(),
        sales: z.array(sale),
        pagination: paginationSchema(),
      }),
      z.object({ ...head, rows: z.array(row), pagination: paginationSchema() }),
    ]);
  },
  isLocal: true,
  parameters: {
    period: periodArgument,
    rows: option(
      '--rows <figure>',
      'list the trades that a figure adds up: proceeds, cost or profit; a cost is negative',
      oneOf('proceeds', 'cost', 'profit'),
    ),
    ...periodOptions,
    complete: completeOption,
  },
  run: (account, terminal, { period: name, rows: figure, since, until, complete }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const reach = await reachOf(queries, spanIn(period).until);
        const { sales: all, ...found } = await profitIn(queries, spanOf(period.sinceMs, period.untilMs));
        const head = { ...spanIn(period), syncedAt: reach.syncedAt, partial: reach.partial };
        const checks = checkLines(undefined, reach, terminal.globals.zone);
        if (figure !== undefined) {
          const rows = all.flatMap((sale) => sale.rows).filter(({ part }) => figure === 'profit' || part === figure);
          const data = { ...head, rows };
          const result = { data, lists: 'rows', list: { isWhole: true }, columns: ROW_COLUMNS, below: checks } as const;
          return reported(terminal, complete, result, reach.partial);
        }
        const sales = all.map(({ rows: _, ...sale }) => sale);
        const data = { ...head, method: 'first in, first out', ...found, sales };
        const sum: Below = {
          title: 'Sum',
          isAlways: true,
          rows: [{ profit: figureWords(found.profit), sales: String(sales.length), unknown: String(found.unknown) }],
          columns: [
            { field: 'profit', title: 'Profit', align: 'right' },
            { field: 'sales', title: 'Sales', align: 'right' },
            { field: 'unknown', title: 'Not known', align: 'right' },
          ],
        };
        const result = {
          ...{ data, lists: 'sales', list: { isWhole: true }, columns: COLUMNS },
          below: [sum, checks],
        } as const;
        return reported(terminal, complete, result, reach.partial);
      }),
    ),
});
