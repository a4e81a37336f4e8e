import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { type Acceptance, acceptancesOf, acceptedName, type SavedAcceptances, textOf } from '../../copy/acceptances.ts';
import { accountIn } from '../../copy/questions/report/balance.ts';
import type { Difference } from '../../copy/questions/report/differences.ts';
import { spanOf } from '../../copy/questions/report/periods.ts';
import { ACCEPTANCES } from '../../engine/plans/approver-list.ts';
import { endDryRun } from '../../engine/requests.ts';
import type { SharedChange } from '../../journal/interface.ts';
import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { amountSchema } from '../../present/prints.ts';
import { timeText } from '../../present/times.ts';
import { command } from '../../terminal/command.ts';
import { argument, oneOf, PLAN_OPTIONS, plainText, required, switchOn } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type BookDecision, decide } from './decision.ts';
import { differenceSchema, printedDifference } from './lines.ts';
import { periodArgument, periodIn, periodSchema, type ReportPeriod, spanIn, withCopyFor } from './period.ts';

/** What is to be accepted of an asset in a period, or is no longer to be. */
interface Decision {
  readonly asset: Asset;
  readonly period: ReportPeriod;
  readonly reason: string;
  readonly isUndone: boolean;
  /** The differences that it is about; `minor` is how much of each is to be accepted, or was. */
  readonly of: readonly Difference[];
  readonly saved: SavedAcceptances;
}

/** An acceptance as a plan describes it. */
const DECISION = {
  id: ACCEPTANCES,
  method: 'CHANGE',
  path: 'acceptances',
  request: () =>
    z.looseObject({
      asset: z.string(),
      isUndone: z.boolean(),
      reason: z.string(),
      differences: z.array(z.looseObject({ from: z.string(), until: z.string(), minor: z.string() })),
    }),
} as const;

const totalOf = ({ asset, of }: Decision) =>
  amount(
    asset,
    of.reduce((sum, { minor }) => sum + minor, 0n),
  );

/** Finds what a decision is about. Throws CliError usage if there is nothing. */
function decided(given: Omit<Decision, 'of'>, differences: readonly Difference[]): Decision {
  const { asset, isUndone, saved, period } = given;
  if (isUndone) {
    const { from, to } = spanOf(period.sinceMs, period.untilMs);
    const own = saved.all.filter((each) => each.asset === asset && each.to > from && each.to <= to);
    // Another host may have accepted it, of differences that the local copy here does not show as such.
    const of = [...Map.groupBy(own, (each) => each.to).values()].flatMap((each) => {
      const [first] = each;
      const minor = each.reduce((sum, one) => sum + one.minor, 0n);
      return first ? [{ asset, from: first.from, to: first.to, minor, known: null, accepted: 0n, reason: null }] : [];
    });
    if (of.length > 0) return { ...given, of };
    throw new CliError('usage', `nothing in ${asset} was accepted in this period`, {
      code: 'NOT_FOUND',
      hint: advice`see what was accepted with: [fiatrail report ${period.typed.split(' ')}]`,
    });
  }
  const of = differences.flatMap((each) =>
    each.asset !== asset || each.minor === each.accepted ? [] : [{ ...each, minor: each.minor - each.accepted }],
  );
  if (of.length > 0) return { ...given, of };
  throw new CliError('usage', `there is nothing to accept: the balance in ${asset} agrees with the lists`, {
    hint: advice`see: [fiatrail report ${period.typed.split(' ')}]`,
  });
}

function described(terminal: Terminal, decision: Decision): Pick<BookDecision, 'summary' | 'lines'> {
  const { period, isUndone, of, reason } = decision;
  const time = (at: string) => timeText(at, { zone: terminal.globals.zone }, true) ?? at;
  const total = amountForPeople(totalOf(decision));
  return {
    summary: isUndone ? `no longer accept ${total} that no list shows` : `accept ${total} that no list shows`,
    lines: [
      // A plan holds for as long as its lines: what ends now ends at another time each time.
      ...(period.month === undefined ? [] : [['month', period.month] as const]),
      ...of.map(
        ({ asset, from, to, minor }) =>
          [`${time(from)} to ${time(to)}`, amountForPeople(amount(asset, minor))] as const,
      ),
      ['reason', reason],
    ],
  };
}

/** What the journal is to have of each difference, and had. */
function changesOf({ asset, of, saved, reason, isUndone }: Decision, who: string, at: string): readonly SharedChange[] {
  return of.map(({ from, to, minor }) => {
    const name = acceptedName(saved.owner, { asset, to });
    const earlier = saved.all.filter((each) => each.asset === asset && each.to === to);
    const accepted: Acceptance = { asset, from, to, minor, reason, who, at };
    return { name, text: isUndone ? undefined : textOf([...earlier, accepted]), before: saved.textUnder(name) };
  });
}

/** The decision as the journal records it. */
function decisionOf(terminal: Terminal, decision: Decision): BookDecision {
  const { asset, of, reason, isUndone, period } = decision;
  return {
    endpoint: DECISION,
    input: {
      asset,
      isUndone,
      reason,
      differences: of.map(({ from, to, minor }) => ({ from, until: to, minor: String(minor) })),
    },
    period: spanIn(period),
    ...described(terminal, decision),
    changes: (who, at) => changesOf(decision, who, at),
  };
}

export const acceptCommand = command({
  words: ['report', 'accept'],
  summary: 'Accept balance changes that no list explains',
  details:
    'Accepts the unexplained changes of one asset in the period, which is this month unless you name another one. An accepted change is included in every report of that time. The journal records who accepted it and why, so all hosts that share it know, and it survives if the copy is lost. --undo takes it back. Once there are two approvers, a second person must approve it: write a plan of it with --plan, have them approve it with plans approve, then run plans apply.',
  examples: ['fiatrail report accept USDC --reason "top-up from the exchange, 5 November"'],
  endpoints: [],
  prints: () =>
    z.object({
      ...periodSchema(),
      asset: z.string(),
      amount: amountSchema(),
      reason: z.string(),
      isUndone: z.boolean(),
      accepted: z.array(differenceSchema()),
    }),
  isLocal: true,
  parameters: {
    asset: argument('asset', 'CNGN, USDC, USDT, or NGN for earned fees', oneOf('CNGN', 'USDC', 'USDT', 'NGN')),
    period: periodArgument,
    undo: switchOn('--undo', 'take back what was accepted in the period'),
    reason: required('--reason <text>', 'why the change is correct, or why it is not', plainText, 'Reason:'),
    ...periodOptions,
    ...PLAN_OPTIONS,
  },
  run: (account, terminal, { asset, period: name, reason, since, until, undo: isUndone = false }) =>
    withCopyFor(account, terminal, name, { since, until }, async (copy) => {
      const decision = await copy.read(async (queries) => {
        const period = await periodIn(account, terminal, queries, name, { since, until });
        const saved = await acceptancesOf(account, queries);
        const { differences } = await accountIn(
          queries,
          spanOf(period.sinceMs, period.untilMs),
          [],
          async () => saved.all,
        );
        return decided({ asset, period, reason, isUndone, saved }, differences);
      });
      const accepted = decision.of.map((each) =>
        printedDifference(
          isUndone ? { ...each, accepted: 0n, reason: null } : { ...each, accepted: each.minor, reason },
        ),
      );
      const data = { ...spanIn(decision.period), asset, amount: totalOf(decision), reason, isUndone, accepted };
      endDryRun(account, data);
      await decide(account, terminal, decisionOf(terminal, decision));
      return { result: { data } };
    }),
});
