import { type Asset, amount, toWireText } from '../money/amount.ts';
import { isoTime } from '../service/context.ts';
import type { DayReport } from '../service/simulation/day.ts';
import { simulate } from '../service/simulation/simulate.ts';
import type { AllControls } from './control.ts';

const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

/** The control that simulates a day, in the open transaction. */
export const simulation: Pick<AllControls, 'sandbox.simulate'> = {
  'sandbox.simulate': (call, { until, from, ...input }) => {
    const day = simulate(call, { ...input, untilMs: timeOf(until), fromMs: timeOf(from) });
    return {
      from: isoTime(day.fromMs),
      now: isoTime(day.nowMs),
      until: isoTime(day.untilMs),
      wasSetBack: day.isSetBack,
      ...(day.isBalanced === undefined ? {} : { balanced: day.isBalanced }),
      operations: day.asked.reduce((sum, { requests }) => sum + requests, 0),
      events: day.events,
      lostAttempts: day.lostAttempts,
      kinds: kindsOf(day.asked),
      failures: day.failed.map((row) => ({ ...row })),
    };
  },
};

/** Returns one row for each kind, with the sum of each asset. */
function kindsOf(asked: DayReport['asked']) {
  return [...new Set(asked.map(({ kind }) => kind))].map((kind) => {
    const rows = asked.filter((row) => row.kind === kind);
    const sum = (of: 'requests' | 'rejected') => rows.reduce((total, row) => total + row[of], 0);
    const moved = (asset: Asset) => {
      const minor = rows.find((row) => row.asset === asset)?.minor ?? 0n;
      return minor === 0n ? null : toWireText(amount(asset, minor), asset === 'NGN' ? 'naira' : 'token');
    };
    return {
      kind,
      requests: sum('requests'),
      rejected: sum('rejected'),
      NGN: moved('NGN'),
      CNGN: moved('CNGN'),
      USDC: moved('USDC'),
      USDT: moved('USDT'),
    };
  });
}
