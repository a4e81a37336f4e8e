import * as z from 'zod/mini';
import { withCopy } from '../../copy/open.ts';
import { reachOf } from '../../copy/questions/in-copy.ts';
import { ageingIn } from '../../copy/questions/report/ageing.ts';
import { lastCheckAt } from '../../copy/questions/report/checks.ts';
import { pendingIn } from '../../copy/questions/report/kinds.ts';
import { amountForPeople } from '../../money/amount.ts';
import { figureSchema, paginationSchema } from '../../present/prints.ts';
import type { Below, Column } from '../../present/result.ts';
import { spanText } from '../../present/times.ts';
import { command } from '../../terminal/command.ts';
import { option, wholeNumber } from '../../terminal/parse/parameters.ts';
import { completeOption, reported } from './known.ts';
import { checkLines } from './lines.ts';

const COLUMNS: readonly Column[] = [
  { field: 'id', title: 'ID' },
  { field: 'kind', title: 'Kind' },
  { field: 'status', title: 'Status', isWide: true },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'since', title: 'Since', isBrief: true },
  { field: 'waitsFor', title: 'Waiting for' },
];

type Ageing = Awaited<ReturnType<typeof ageingIn>>[number];

/** How old the open work is: how much of it, and how much for longer than usual. */
function ageingLines(all: readonly Ageing[]): readonly Below[] {
  if (all.length === 0) return [];
  const rows = all.map(({ kind, count, amount, usualSeconds, overdue, oldestId, ...ages }) => ({
    kind,
    count: String(count),
    amount: sumText(amount),
    underHour: String(ages.underHour),
    underDay: String(ages.underDay),
    underThreeDays: String(ages.underThreeDays),
    older: String(ages.older),
    usual: usualSeconds === null ? 'not known' : (spanText(usualSeconds * 1000) ?? '1 s'),
    overdue: overdue === null ? 'not known' : String(overdue),
    oldestId,
  }));
  const right = (field: string, title: string): Column => ({ field, title, align: 'right' });
  const columns: readonly Column[] = [
    { field: 'kind', title: 'Kind' },
    right('count', 'Open'),
    right('amount', 'Amount'),
    right('underHour', '< 1 h'),
    right('underDay', '< 1 d'),
    right('underThreeDays', '< 3 d'),
    right('older', 'Older'),
    right('usual', 'Usual time'),
    right('overdue', 'Overdue'),
    { field: 'oldestId', title: 'Oldest' },
  ];
  return [{ title: 'Age', rows, columns }];
}

function sumText({ asset, minor, known }: Ageing['amount']): string {
  if (asset === null || minor === null) return 'not known';
  const text = amountForPeople({ asset, minor });
  return known ? `${known.is} ${text}` : text;
}

export const pendingCommand = command({
  words: ['report', 'pending'],
  summary: 'List open work, oldest first, and how old it is',
  details:
    'Below the list, open work is counted by age. It is overdue if it is open for longer than 95 of 100 of the last ones of its kind took to complete; with fewer than 10 completed ones the usual time is not known. To see details and what to do, run: fiatrail find ID',
  examples: ['fiatrail report pending', 'fiatrail report pending -o json --query "pending[].id"'],
  endpoints: [],
  prints: () =>
    z.object({
      syncedAt: z.nullable(z.iso.datetime()),
      partial: z.array(z.string()),
      ageing: z.array(
        z.object({
          kind: z.string(),
          asset: z.nullable(z.string()),
          count: z.int(),
          amount: figureSchema(),
          underHour: z.int(),
          underDay: z.int(),
          underThreeDays: z.int(),
          older: z.int(),
          usualSeconds: z.nullable(z.int()),
          overdue: z.nullable(z.int()),
          oldestId: z.string(),
          oldestAt: z.string(),
        }),
      ),
      pending: z.array(
        z.object({
          kind: z.string(),
          id: z.string(),
          status: z.nullable(z.string()),
          amount: figureSchema(),
          since: z.nullable(z.string()),
          waitsFor: z.string(),
        }),
      ),
      pagination: paginationSchema(),
    }),
  isLocal: true,
  parameters: {
    limit: option('--limit <count>', 'maximum number of rows, 1 to 10,000 (default 100)', wholeNumber(1, 10_000)),
    complete: completeOption,
  },
  run: (account, terminal, { limit = 100, complete = false }) =>
    withCopy(account, (copy) =>
      copy.read(async (queries) => {
        const machineMs = account.world.clock.now();
        // By the service's clock, which may be ahead of this one.
        const nowMs = Math.max(machineMs, Date.parse((await lastCheckAt(queries)) ?? '') || 0);
        const { syncedAt, partial } = await reachOf(queries);
        const ageing = await ageingIn(queries, nowMs);
        const data = { syncedAt, partial, ageing, pending: await pendingIn(queries, limit) };
        const ageMs = syncedAt === null ? undefined : machineMs - Date.parse(syncedAt);
        const checks = checkLines(undefined, { from: null, syncedAt, partial }, terminal.globals.zone);
        const age = { check: 'Age of the copy', says: (ageMs !== undefined && spanText(ageMs)) || 'less than 1 s' };
        const below = [
          ...ageingLines(ageing),
          { ...checks, rows: ageMs === undefined ? checks.rows : [...checks.rows, age] },
        ];
        const result = { data, lists: 'pending', list: { isWhole: true }, columns: COLUMNS, below } as const;
        return reported(terminal, complete, result, partial);
      }),
    ),
});
