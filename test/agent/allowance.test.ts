import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { startPayout } from '../../src/contract/endpoints/payouts.ts';
import type { Account } from '../../src/engine/account.ts';
import { agentAllowance } from '../../src/engine/sending/agent.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.parse('2026-11-27T12:00:00.000Z');
const ago = (hours: number) => new Date(NOW_MS - hours * HOUR_MS).toISOString();

const saved = (accountId: string, accountNumber: string, createdAt: string | undefined) => ({
  accountId,
  bankCode: '000013',
  accountNumber,
  createdAt,
});

function accountWith(accounts: readonly object[]): Account {
  return {
    command: { line: 'fiatrail plans apply' },
    rules: { agentAllowances: async () => [{ asset: 'NGN', minor: 2_000_000n }] },
    call: async () => ({ data: { accounts } }),
    time: { nowMs: async () => NOW_MS },
  } as unknown as Account;
}

const OLD = saved('bank-1', '0123456789', ago(48));
const NEW = saved('bank-2', '0123456780', ago(47.9));
const offramp = (accountNumber: string, bankCode = '000013') => ({ userId: 'u', amount: 1, accountNumber, bankCode });
const FEES = { amount: 1, bankCode: '000013', bankAccountNumber: '0123456789' };
const asked = (accounts: readonly object[], endpoint: Endpoint, input: object) =>
  agentAllowance(accountWith(accounts), endpoint, input, { signed: [] });

test.each<[string, Endpoint, object]>([
  ['a payout to an old account', startPayout, { amount: 1, bankAccountId: 'bank-1' }],
  ['an offramp to an old account', startOfframp, offramp('0123456789')],
])('%s is within it', async (_, endpoint, input) => {
  expect(await asked([OLD, NEW], endpoint, input)).toEqual({
    limits: [{ asset: 'NGN', period: 'day', command: 'fiatrail plans apply --agent', maxMinor: 2_000_000n }],
    command: { line: 'fiatrail plans apply --agent' },
  });
});

test.each<[string, Endpoint, object, readonly object[]]>([
  ['a payout to a new account', startPayout, { amount: 1, bankAccountId: 'bank-2' }, [OLD, NEW]],
  ['a payout to an unknown account', startPayout, { amount: 1, bankAccountId: 'bank-3' }, [OLD, NEW]],
  ['a payout without a list', startPayout, { amount: 1, bankAccountId: 'bank-1' }, []],
  ['an offramp to a new account', startOfframp, offramp('0123456780'), [OLD, NEW]],
  ['an offramp to another bank', startOfframp, offramp('0123456789', '000014'), [OLD, NEW]],
  [
    'an offramp to an account that is listed twice',
    startOfframp,
    offramp('0123456789'),
    [OLD, { ...OLD, createdAt: ago(1) }],
  ],
  ['an account with no time', startPayout, { amount: 1, bankAccountId: 'bank-1' }, [{ ...OLD, createdAt: undefined }]],
  [
    'an account with a time that is none',
    startPayout,
    { amount: 1, bankAccountId: 'bank-1' },
    [{ ...OLD, createdAt: 'x' }],
  ],
  ['a withdrawal of fees', withdrawFees, FEES, [OLD]],
])('%s is not', async (_, endpoint, input, accounts) => {
  await expect(asked(accounts, endpoint, input)).rejects.toMatchObject({
    code: 'APPROVAL_REQUIRED',
    category: 'declined',
  });
});
