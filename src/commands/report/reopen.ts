import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { ownerOf } from '../../copy/acceptances.ts';
import { closeName, closesOf } from '../../copy/closes.ts';
import { monthName } from '../../copy/questions/report/periods.ts';
import { REOPENINGS } from '../../engine/plans/approver-list.ts';
import { endDryRun } from '../../engine/requests.ts';
import { command } from '../../terminal/command.ts';
import { PLAN_OPTIONS, plainText, required } from '../../terminal/parse/parameters.ts';
import { monthOf } from './closed-month.ts';
import { decide } from './decision.ts';
import { periodArgument, periodIn, withCopyFor } from './period.ts';

const REOPENING = {
  id: REOPENINGS,
  method: 'CHANGE',
  path: 'closes',
  request: () => z.looseObject({ month: z.string(), reason: z.string() }),
} as const;

/** A month is typed by its name alone. */
const WHOLE = { since: undefined, until: undefined };

export const reopenCommand = command({
  words: ['report', 'reopen'],
  summary: 'Reopen the month that was closed last',
  details:
    'The journal keeps the close, the reason and who reopened the month. Months are reopened in reverse order, the last one first. Once there are two approvers, one of them who did not ask must approve: use --plan.',
  examples: ['fiatrail report reopen 2026-11 --reason "the bank corrected its statement"'],
  endpoints: [],
  prints: () => z.object({ month: z.string(), reason: z.string() }),
  isLocal: true,
  parameters: {
    period: periodArgument,
    reason: required('--reason <text>', 'why the month must change', plainText, 'Reason:'),
    ...PLAN_OPTIONS,
  },
  run: (account, terminal, { period: name, reason }) =>
    withCopyFor(account, terminal, name, WHOLE, async (copy) => {
      const { owner, saved, month } = await copy.read(async (queries) => {
        const period = monthOf(await periodIn(account, terminal, queries, name ?? ['last', 'month'], WHOLE));
        const id = await ownerOf(queries);
        return { owner: id, saved: await closesOf(account, id), month: period.month };
      });
      const before = saved.textUnder(month);
      const last = saved.all.at(-1);
      if (before === undefined || last === undefined)
        throw new CliError('usage', `${month} is not closed`, {
          code: 'NOT_FOUND',
          hint: last ? `the last closed month is ${last.month}` : 'no month is closed',
        });
      if (month !== last.month)
        throw new CliError('usage', `${last.month} was closed after ${month}`, {
          hint: advice`reopen it first: [fiatrail report reopen ${last.month} --reason "…"]`,
        });
      const data = { month, reason };
      endDryRun(account, data);
      const next = monthName(Date.parse(last.until), terminal.globals.zone);
      await decide(account, terminal, {
        endpoint: REOPENING,
        input: data,
        period: { since: last.since, until: last.until },
        summary: `reopen ${month}`,
        lines: [['reason', reason]],
        changes: () => [{ name: closeName(owner, month), text: undefined, before }],
        // Another host may close the next month at this moment.
        unchanged: [{ name: closeName(owner, next), before: undefined }],
      });
      return { result: { data } };
    }),
});
