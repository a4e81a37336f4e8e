import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import { command } from '../cli/command.ts';
import { accountBalance, nairaOf } from '../cli/previews.ts';
import type { Session } from '../cli/session.ts';
import { balanceMulti } from '../contract/endpoints/balances.ts';
import { accumulatedFees } from '../contract/endpoints/fees.ts';
import { listTransactions } from '../contract/endpoints/history.ts';
import { listWithdrawals } from '../contract/endpoints/withdrawals.ts';
import { TOKENS } from '../money/amount.ts';
import type { Column } from '../present/result.ts';

/** How many rows a list has, by its first row; null where the service does not say. */
async function countOf(count: Promise<{ readonly data: { readonly total?: number | null | undefined } }>) {
  return count.then(
    ({ data }) => data.total ?? null,
    () => null,
  );
}

/** What is on its way. Each is one row of a list, and what cannot be counted is left open: the rest still tells. */
async function pendingOf(session: Session) {
  const transactions = (direction: 'in' | 'out') =>
    countOf(session.call(listTransactions, { direction, status: 'pending', limit: 1 }));
  const [deposits, payouts, withdrawals] = await Promise.all([
    transactions('in'),
    transactions('out'),
    countOf(session.call(listWithdrawals, { status: 'pending', limit: 1 })),
  ]);
  return { deposits, payouts, withdrawals };
}

/** What the account says of itself, read at once. Throws CliError where it does not answer. */
async function account(session: Session) {
  const held = async () =>
    Promise.all(TOKENS.map(async (token) => [token, (await accountBalance(session, token, {})) ?? null] as const));
  const [balances, { data }, pending] = await Promise.all([
    held(),
    session.call(accumulatedFees, {}),
    pendingOf(session),
  ]);
  const fees = (kobo: Parameters<typeof nairaOf>[0]) => nairaOf(kobo) ?? null;
  return {
    balances: Object.fromEntries(balances),
    fees: { withdrawable: fees(data.summary?.availableForWithdrawal), pending: fees(data.summary?.pendingFees) },
    pending: { ...pending, feeWithdrawals: fees(data.summary?.pendingWithdrawals) },
  };
}

const ANSWERED = [
  { field: 'balances.CNGN', title: 'Balances' },
  { field: 'balances.USDC', title: '' },
  { field: 'balances.USDT', title: '' },
  { field: 'fees.withdrawable', title: 'Fees to withdraw' },
  { field: 'fees.pending', title: 'Fees on their way' },
  { field: 'pending.feeWithdrawals', title: 'Fees being withdrawn' },
  { field: 'pending.deposits', title: 'Deposits pending' },
  { field: 'pending.payouts', title: 'Payouts pending' },
  { field: 'pending.withdrawals', title: 'Withdrawals pending' },
] as const;

/** What there is to tell: an embedded sandbox has no address, and an account that does not answer tells nothing. */
function columnsOf(mode: Profile['mode'], isAnswered: boolean): readonly Column[] {
  return [
    { field: 'profile', title: 'Profile' },
    { field: 'mode', title: 'Mode' },
    ...(mode === 'embedded' ? [] : [{ field: 'baseUrl', title: 'Base URL' }]),
    { field: 'reachable', title: 'Reachable' },
    ...(isAnswered ? ANSWERED : []),
    { field: 'operationsInDoubt', title: 'Operations in doubt' },
  ];
}

const statusCommand = command({
  words: ['status'],
  summary: 'Show profile, mode, reachability, balances, withdrawable fees, what is pending and what is in doubt',
  examples: ['fiatrail status', 'fiatrail status -o json --query balances'],
  endpoints: [balanceMulti.id, accumulatedFees.id, listTransactions.id, listWithdrawals.id],
  parameters: {},
  run: async (session) => {
    const { profile } = session;
    const inDoubt = (await session.journal()).inDoubt({ profile: profile.name, baseUrl: profile.baseUrl });
    const about = {
      profile: profile.name,
      mode: profile.mode,
      baseUrl: profile.mode === 'embedded' ? null : profile.baseUrl,
    };
    try {
      const data = { ...about, reachable: true, ...(await account(session)), operationsInDoubt: inDoubt };
      return { result: { data, columns: columnsOf(profile.mode, true) } };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const data = {
        ...about,
        reachable: error.httpStatus !== undefined,
        balances: null,
        fees: null,
        pending: null,
        operationsInDoubt: inDoubt,
      };
      return { result: { data, columns: columnsOf(profile.mode, false) }, error };
    }
  },
});

export const commands = [statusCommand];
