import { accumulatedFees } from '../contract/fees.ts';
import { balanceMulti } from '../contract/wallets.ts';
import { CliError } from '../exit.ts';
import type { WireNumber } from '../money/decimal.ts';
import { fromWire } from '../money/units.ts';
import { command } from './command.ts';
import type { Session } from './session.ts';

/** Operations looked through for ones without an answer. */
const LOOK_BACK = 10_000;

function naira(kobo: WireNumber | null | undefined) {
  return kobo === null || kobo === undefined ? null : (fromWire(kobo, 'kobo', 'NGN') ?? null);
}

/** What the account says of itself. Throws CliError where it does not answer. */
async function account(session: Session) {
  const held = [];
  for (const token of ['CNGN', 'USDC', 'USDT'] as const) {
    const { data } = await session.call(balanceMulti, { token });
    held.push([token, fromWire(data.totalBalance ?? '', 'token', token) ?? null] as const);
  }
  const { summary } = (await session.call(accumulatedFees, {})).data;
  return {
    balances: Object.fromEntries(held),
    fees: { withdrawable: naira(summary?.availableForWithdrawal), pending: naira(summary?.pendingFees) },
  };
}

const statusCommand = command({
  words: ['status'],
  summary: 'Show profile, mode, reachability, balances, withdrawable fees and what is in doubt',
  examples: ['fiatrail status', 'fiatrail status -o json --query balances'],
  endpoints: [balanceMulti.id, accumulatedFees.id],
  parameters: {},
  run: async (session) => {
    const { profile } = session;
    const operations = (await session.journal()).list(LOOK_BACK);
    const inDoubt = operations.filter(({ state }) => state === 'sent' || state === 'unknown').length;
    const about = {
      profile: profile.name,
      mode: profile.mode,
      baseUrl: profile.mode === 'embedded' ? null : profile.baseUrl,
    };
    try {
      const data = { ...about, reachable: true, ...(await account(session)), operationsInDoubt: inDoubt };
      return { result: { data } };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const data = {
        ...about,
        reachable: error.httpStatus !== undefined,
        balances: null,
        fees: null,
        operationsInDoubt: inDoubt,
      };
      return { result: { data }, error };
    }
  },
});

export const commands = [statusCommand];
