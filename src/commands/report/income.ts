import * as z from 'zod/mini';
import { withCopy } from '../../copy/open.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { INCOME_PARTS, incomeIn } from '../../copy/questions/report/income.ts';
import { spanOf } from '../../copy/questions/report/periods.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import type { Column } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, option } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { completeOption, reported } from './known.ts';
import { checkLines } from './lines.ts';
import { periodArgument, periodIn, periodSchema, spanIn } from './period.ts';
import { figureWords } from './statement-page.ts';

const TITLES = { user: 'User', day: 'Day', kind: 'Kind' } as const;

export const incomeCommand = command({
  words: ['report', 'income'],
  summary: 'Report the fees that the account earned, by user, day or kind',
  details:
    'Adds up the account’s own fees on users’ onramps and offramps, row by row, from the local copy (fiatrail sync). A fee counts when its onramp or offramp completed; days are days in Lagos. Where a fee is not known, the sum is at least that of the others.',
  examples: [
    'fiatrail report income last month',
    'fiatrail report income --since 7d --by day -o csv',
    'fiatrail report income last month --by user -o csv',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      syncedAt: z.nullable(z.iso.datetime()),
      partial: z.array(z.string()),
      earned: figureSchema(),
      parts: z.array(
        z.object({
          name: z.nullable(z.string()),
          who: z.nullable(z.string()),
          earned: figureSchema(),
          movements: z.int(),
        }),
      ),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    by: option('--by <part>', 'group by user, day or kind (default kind)', oneOf(...INCOME_PARTS)),
    ...periodOptions,
    complete: completeOption,
  },
  run: (account, terminal, { period: name, by = 'kind', since, until, complete }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const reach = await reachOf(queries, spanIn(period).until);
        const found = await incomeIn(queries, spanOf(period.sinceMs, period.untilMs), by);
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
        const data = { ...spanIn(period), syncedAt: reach.syncedAt, partial: reach.partial, ...found };
        const below = [sum, checkLines(undefined, reach, terminal.globals.zone)];
        const result = { data, lists: 'parts', list: { isWhole: true }, columns, below } as const;
        return reported(terminal, complete, result, reach.partial);
      }),
    ),
});
