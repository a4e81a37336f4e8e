import * as z from 'zod/mini';
import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import { balanceMulti } from '../contract/endpoints/balances.ts';
import { accumulatedFees } from '../contract/endpoints/fees.ts';
import { listTransactions } from '../contract/endpoints/history.ts';
import { listWithdrawals } from '../contract/endpoints/withdrawals.ts';
import { accountBalance, nairaOf } from '../engine/previews.ts';
import { amount, TOKENS, type Token } from '../money/amount.ts';
import { amountSchema } from '../present/prints.ts';
import type { Column } from '../present/result.ts';
import { command } from '../terminal/command.ts';
import type { Session } from '../terminal/session.ts';

/** Returns the total of a list; null if the service does not report it. */
async function countOf(count: Promise<{ readonly data: { readonly total?: number | null | undefined } }>) {
  return count.then(
    ({ data }) => data.total ?? null,
    () => null,
  );
}

/** Counts pending work, reading one row per list. A count that cannot be read is null. */
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

/** Reads the account in parallel. Throws CliError if it does not respond. */
async function account(session: Session) {
  const inAll = async (token: Token) => {
    const held = await accountBalance(session, token, 'allNetworks', {});
    return held ? amount(token, held.minor) : null;
  };
  const held = async () => Promise.all(TOKENS.map(async (token) => [token, await inAll(token)] as const));
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

const ACCOUNT = [
  { field: 'balances.CNGN', title: 'Balances' },
  { field: 'balances.USDC', title: '' },
  { field: 'balances.USDT', title: '' },
  { field: 'fees.withdrawable', title: 'Withdrawable fees' },
  { field: 'fees.pending', title: 'Pending fees' },
  { field: 'pending.feeWithdrawals', title: 'Pending fee withdrawals' },
  { field: 'pending.deposits', title: 'Pending deposits' },
  { field: 'pending.payouts', title: 'Pending payouts' },
  { field: 'pending.withdrawals', title: 'Pending withdrawals' },
] as const;

/** The columns: an embedded sandbox has no base URL, and an account that does not respond has no figures. */
function columnsOf(mode: Profile['mode'], hasResponded: boolean): readonly Column[] {
  return [
    { field: 'profile', title: 'Profile' },
    { field: 'mode', title: 'Mode' },
    ...(mode === 'embedded' ? [] : [{ field: 'baseUrl', title: 'Base URL' }]),
    { field: 'reachable', title: 'Reachable' },
    ...(hasResponded ? ACCOUNT : []),
    { field: 'operationsInDoubt', title: 'Unknown outcomes' },
  ];
}

const countSchema = () => z.nullable(z.int());
const tokenSchema = () => z.nullable(amountSchema());

/** The figures are null if the account does not respond. */
const statusSchema = () =>
  z.object({
    profile: z.string(),
    mode: z.enum(['embedded', 'sandbox', 'live']),
    baseUrl: z.nullable(z.string()),
    reachable: z.boolean(),
    balances: z.nullable(z.object({ CNGN: tokenSchema(), USDC: tokenSchema(), USDT: tokenSchema() })),
    fees: z.nullable(z.object({ withdrawable: tokenSchema(), pending: tokenSchema() })),
    pending: z.nullable(
      z.object({
        deposits: countSchema(),
        payouts: countSchema(),
        withdrawals: countSchema(),
        feeWithdrawals: tokenSchema(),
      }),
    ),
    operationsInDoubt: z.int(),
  });

const statusCommand = command({
  words: ['status'],
  summary: 'Show reachability, balances, withdrawable fees and pending work',
  details: 'Also shows the profile and its mode, and how many money operations have an unknown outcome.',
  examples: ['fiatrail status', 'fiatrail status -o json --query balances'],
  endpoints: [balanceMulti.id, accumulatedFees.id, listTransactions.id, listWithdrawals.id],
  prints: statusSchema,
  parameters: {},
  run: async (session) => {
    const { profile } = session;
    const journal = await session.journal();
    await session.operators();
    const inDoubt = await journal.inDoubt(profile.name);
    const about = {
      profile: profile.name,
      mode: profile.mode,
      baseUrl: profile.mode === 'embedded' ? null : profile.baseUrl,
    };
    try {
      const data = { ...about, reachable: true, ...(await account(session)), operationsInDoubt: inDoubt };
      await session.time.warn();
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
