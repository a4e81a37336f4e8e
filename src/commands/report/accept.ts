import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import { withMirror } from '../../copy/open.ts';
import { accountIn } from '../../copy/questions/report/balance.ts';
import { saveAccepted } from '../../copy/questions/report/differences.ts';
import { spanOf } from '../../copy/questions/report/periods.ts';
import { endDryRun } from '../../engine/requests.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import { amountSchema } from '../../present/prints.ts';
import { timeText } from '../../present/times.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { argument, oneOf, plainText, required } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import { differenceSchema, printedDifference } from './lines.ts';
import { iso, periodArgument, periodIn, periodSchema, spanIn } from './period.ts';

export const acceptCommand = command({
  words: ['report', 'accept'],
  summary: 'Accept balance changes that no list explains',
  details:
    'Accepts the unexplained changes of one asset in the period. An accepted change is included in every report of that time.',
  examples: ['fiatrail report accept USDC --reason "top-up from the exchange, 5 November"'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      asset: z.string(),
      amount: amountSchema(),
      reason: z.string(),
      accepted: z.array(differenceSchema()),
    }),
  isLocal: true,
  parameters: {
    asset: argument('asset', 'CNGN, USDC, USDT, or NGN for earned fees', oneOf('CNGN', 'USDC', 'USDT', 'NGN')),
    period: periodArgument,
    reason: required('--reason <text>', 'why the change is correct', plainText, 'Reason:'),
    ...periodOptions,
  },
  run: (account, terminal, { asset, period: name, reason, since, until }) =>
    withMirror(account, async (mirror) => {
      const { period, differences } = await mirror.read(async (queries) => {
        const named = await periodIn(account, terminal, queries, name, { since, until });
        return { ...(await accountIn(queries, spanOf(named.sinceMs, named.untilMs))), period: named };
      });
      const open = differences.filter((each) => each.asset === asset && each.minor !== each.accepted);
      if (open.length === 0)
        throw new CliError('usage', `there is nothing to accept: the balance in ${asset} agrees with the lists`, {
          hint: 'see: fiatrail report',
        });
      const left = open.map((each) => ({ ...each, minor: each.minor - each.accepted }));
      const total = amount(
        asset,
        left.reduce((sum, { minor }) => sum + minor, 0n),
      );
      const accepted = left.map((each) => printedDifference({ ...each, accepted: each.minor, reason }));
      const data = { ...spanIn(period), asset, amount: total, reason, accepted };
      endDryRun(account, data);
      const time = (at: string) => timeText(at, { zone: terminal.globals.zone }, true) ?? at;
      await confirmChange(terminal.dialog, {
        summary: `accept ${amountForPeople(total)} that no list shows`,
        lines: [
          ...left.map(
            ({ from, to, minor }) => [`${time(from)} to ${time(to)}`, amountForPeople(amount(asset, minor))] as const,
          ),
          ['reason', reason],
        ],
      });
      const { user, name: host } = account.world.host;
      const at = iso(account.world.clock.now());
      const who = `${user} on ${host}`;
      const rows = left.map(({ from, to, minor }) => ({ asset, minor, since: from, until: to, reason, who, at }));
      await mirror.write((queries) => saveAccepted(queries, rows));
      return { result: { data } };
    }),
});
