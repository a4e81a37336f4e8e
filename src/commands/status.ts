import { accumulatedFees } from '../contract/fees.ts';
import { balanceMulti } from '../contract/wallets.ts';
import { fromWire } from '../money/units.ts';
import { command } from './command.ts';

const statusCommand = command({
  words: ['status'],
  summary: 'Show profile, mode, reachability, balances and withdrawable fees',
  examples: ['fiatrail status', 'fiatrail status -o json --query balances'],
  endpoints: [balanceMulti.id, accumulatedFees.id],
  parameters: {},
  run: async (session) => {
    const { profile } = session;
    const held = [];
    for (const token of ['CNGN', 'USDC', 'USDT'] as const) {
      const { data } = await session.call(balanceMulti, { token });
      held.push([token, fromWire(data.totalBalance ?? '', 'token', token) ?? null] as const);
    }
    const { data: fees } = await session.call(accumulatedFees, {});
    const kobo = (value: Parameters<typeof fromWire>[0] | null | undefined) =>
      value === null || value === undefined ? null : (fromWire(value, 'kobo', 'NGN') ?? null);
    const unfinished = (await session.journal())
      .list(10_000)
      .filter(({ state }) => state === 'sent' || state === 'unknown');
    return {
      result: {
        data: {
          profile: profile.name,
          mode: profile.mode,
          baseUrl: profile.mode === 'embedded' ? null : profile.baseUrl,
          reachable: true,
          balances: Object.fromEntries(held),
          fees: { withdrawable: kobo(fees.summary?.availableForWithdrawal), pending: kobo(fees.summary?.pendingFees) },
          unknownOperations: unfinished.length,
        },
      },
    };
  },
});

export const commands = [statusCommand];
