import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { withCopy } from '../../copy/open.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { INCOME_PARTS, incomeIn, incomeRowsIn } from '../../copy/questions/report/income.ts';
import { spanOf } from '../../copy/questions/report/periods.ts';
import { printable } from '../../money/amount.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import type { Column } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option, word } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { completeOption, reported } from './known.ts';
import { checkLines } from './lines.ts';
import { periodArgument, periodIn, periodSchema, spanIn } from './period.ts';
import { rowSchema, rowsResult } from './rows.ts';
import { figureWords } from './statement-page.ts';

const TITLES = { user: 'User', day: 'Day', kind: 'Kind' } as const;

/** The error of a part that has no rows. */
const noSuchPart = (by: keyof typeof TITLES, name: string) =>
  new CliError('usage', `nothing was earned by the ${by} "${printable(name)}" in this period`, {
    hint: advice`see what there is with: [fiatrail report income --by ${by}]`,
  });

export const incomeCommand = command({
  words: ['report', 'income'],
  summary: 'Report the fees that the account earned, by user, day or kind',
  details:
    'Adds up the account’s own fees on users’ onramps and offramps, row by row, from the local copy (fiatrail sync). A fee counts when its onramp or offramp completes; a day is one of Lagos. If a fee is not known, the sum is a minimum.',
  examples: [
    'fiatrail report income last month',
    'fiatrail report income --since 7d --by day -o csv',
    'fiatrail report income last month --by user -o csv',
    'fiatrail report income last month --rows earned',
  ],
  endpoints: [],
  prints: () => {
    const head = { ...periodSchema(), syncedAt: z.nullable(z.iso.datetime()), partial: z.array(z.string()) };
    const part = z.object({
      name: z.nullable(z.string()),
      who: z.nullable(z.string()),
      earned: figureSchema(),
      movements: z.int(),
    });
    return z.union([
      z.object({ ...head, earned: figureSchema(), parts: z.array(part), pagination: paginationSchema() }),
      z.object({ ...head, rows: z.array(rowSchema()), pagination: paginationSchema() }),
    ]);
  },
  isLocal: true,
  parameters: {
    period: periodArgument,
    by: option('--by <part>', 'group by user, day or kind (default kind)', oneOf(...INCOME_PARTS)),
    rows: option(
      '--rows <part>',
      'list the rows of the sum (earned), or those of one user, day or kind; none is for rows without a known user',
      word,
    ),
    ...periodOptions,
    complete: completeOption,
  },
  run: (account, terminal, { period: name, by = 'kind', rows, since, until, complete }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const reach = await reachOf(queries, spanIn(period).until);
        const head = { ...spanIn(period), syncedAt: reach.syncedAt, partial: reach.partial };
        const below = [checkLines(undefined, reach, terminal.globals.zone)];
        const span = spanOf(period.sinceMs, period.untilMs);
        if (rows !== undefined) {
          const part = rows === 'earned' ? undefined : rows === 'none' ? null : rows;
          const found = await incomeRowsIn(queries, span, by, part);
          if (found.length === 0 && typeof part === 'string') throw noSuchPart(by, part);
          return reported(terminal, complete, rowsResult(head, found, below), reach.partial);
        }
        const found = await incomeIn(queries, span, by);
        const columns: readonly Column[] = [
          { field: 'name', title: TITLES[by] },
          ...(by === 'user' ? [{ field: 'who', title: 'Name' }] : []),
          { field: 'earned', title: 'Earned', align: 'right' },
          { field: 'movements', title: 'Movements', align: 'right' },
        ];
        const sum = {
          title: 'Sum',
          isAlways: true as const,
          rows: [{ earned: figureWords(found.earned) }],
          columns: [{ field: 'earned', title: 'Earned', align: 'right' as const }],
        };
        const data = { ...head, ...found };
        const result = { data, lists: 'parts', list: { isWhole: true }, columns, below: [sum, ...below] } as const;
        return reported(terminal, complete, result, reach.partial);
      }),
    ),
});
