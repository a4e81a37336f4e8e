import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import { type Acceptance, acceptancesOf, acceptedName, type SavedAcceptances, textOf } from '../../copy/acceptances.ts';
import { accountIn } from '../../copy/questions/report/balance.ts';
import type { Difference } from '../../copy/questions/report/differences.ts';
import { spanOf } from '../../copy/questions/report/periods.ts';
import type { Account } from '../../engine/account.ts';
import { ACCEPTANCES, approversOf } from '../../engine/plans/approver-list.ts';
import type { PlannedChange, PlanToApply } from '../../engine/plans/change.ts';
import { requireSignatures } from '../../engine/plans/signatures.ts';
import { endDryRun } from '../../engine/requests.ts';
import { asPlanned } from '../../engine/sending/change.ts';
import { authorityOf, claimOf } from '../../engine/sending/send.ts';
import { recordSetting } from '../../engine/sending/setting.ts';
import type { SharedChange } from '../../journal/interface.ts';
import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { amountSchema } from '../../present/prints.ts';
import { timeText } from '../../present/times.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { argument, oneOf, PLAN_OPTIONS, plainText, required, switchOn } from '../../terminal/parse/parameters.ts';
import { periodOptions } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { differenceSchema, printedDifference } from './lines.ts';
import { iso, periodArgument, periodIn, periodSchema, type ReportPeriod, spanIn, withCopyFor } from './period.ts';

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

/** An acceptance as a plan describes it: nothing is sent to the service. */
const DECISION = {
  id: ACCEPTANCES,
  method: 'CHANGE',
  path: 'acceptances',
  // What a field holds that nobody declares may be a secret: an amount has as many digits as a BVN.
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
      return first ? [{ asset, from: first.from, to: first.to, minor, accepted: 0n, reason: null }] : [];
    });
    if (of.length > 0) return { ...given, of };
    throw new CliError('usage', `nothing in ${asset} was accepted in this period`, {
      code: 'NOT_FOUND',
      hint: `see what was accepted with: fiatrail report ${period.typed}`,
    });
  }
  const of = differences.flatMap((each) =>
    each.asset !== asset || each.minor === each.accepted ? [] : [{ ...each, minor: each.minor - each.accepted }],
  );
  if (of.length > 0) return { ...given, of };
  throw new CliError('usage', `there is nothing to accept: the balance in ${asset} agrees with the lists`, {
    hint: `see: fiatrail report ${period.typed}`,
  });
}

function described(terminal: Terminal, decision: Decision): Pick<PlannedChange, 'summary' | 'lines'> {
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

/** Records a decision in the journal: who made it and why, and what holds from now on. Throws CliError usage if another one was faster. */
async function record(
  account: Account,
  terminal: Terminal,
  decision: Decision,
  summary: string,
  applied: PlanToApply | undefined,
): Promise<void> {
  const { profile, world } = account;
  const { name, mode, baseUrl } = profile;
  const { asset, of, reason, isUndone, period } = decision;
  const guard = terminal.consent.guard;
  const author = applied?.plan.content.author ?? { user: world.host.user, host: world.host.name };
  const at = iso(await account.time.nowMs());
  const changes = changesOf(decision, `${author.user} on ${author.host}`, at);
  const differences = of.map(({ from, to, minor }) => ({ from, until: to, minor: String(minor) }));
  const setting = {
    account: await account.accountNames(),
    profile: name,
    mode,
    baseUrl,
    endpoint: ACCEPTANCES,
    summary,
    request: JSON.stringify({ asset, ...spanIn(period), isUndone, reason, differences }),
    // What was accepted may be taken back, and then be accepted again.
    input: guard?.input ?? JSON.stringify([account.command.line, changes]),
    idempotencyKey: guard?.idempotencyKey,
    authority: applied && (await authorityOf(applied)),
    plan: applied && (await claimOf(account, applied)),
  };
  await recordSetting(account, setting, async () => {
    if (await (await account.journal()).changeShared(changes)) return;
    throw new CliError('usage', 'another command changed what is accepted in the meantime; nothing was changed', {
      code: 'CONFIG_CHANGED',
      hint: 'run the command again',
    });
  });
}

/** Makes a decision, or the plan of one. Where there are two approvers, one of them who is not the one who asks must approve it. */
async function decide(account: Account, terminal: Terminal, decision: Decision): Promise<void> {
  const { asset, of, reason, isUndone } = decision;
  const { summary, lines } = described(terminal, decision);
  const list = await approversOf(account);
  const differences = of.map(({ from, to, minor }) => ({ from, until: to, minor: String(minor) }));
  const planned = await asPlanned(
    account,
    terminal.consent,
    {
      endpoint: DECISION,
      input: { asset, isUndone, reason, differences },
      summary,
      lines,
      tag: undefined,
      rulesMet: async () => [],
      readPreviews: async () => [],
    },
    async () => {},
  );
  const applied = planned?.applied;
  if (list.needsAnother) requireSignatures(list, `a second person must approve, to ${summary}`, applied, 'changed');
  await confirmChange(terminal.dialog, { summary, lines: planned?.agreed.lines ?? lines });
  if (applied) (await import('../../engine/plans/plan.ts')).requireUnexpired(applied.plan, await account.time.nowMs());
  await record(account, terminal, decision, summary, applied);
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
      await decide(account, terminal, decision);
      return { result: { data } };
    }),
});
