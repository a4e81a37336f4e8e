import { describe, expect, test } from 'vitest';
import { workStartedBy } from '../../src/engine/evidence/find-work.ts';

/** What an account of the service says about a change, asked with the request of the change. */
async function found(endpoint: string, request: object, data: object): Promise<unknown> {
  const work = await workStartedBy(endpoint);
  return work?.check?.({ call: async () => ({ data }) } as never, { request: JSON.stringify(request) });
}

describe('a bank account that was to be added', () => {
  const request = { accountNumber: '0123456789', bankCode: '000013', label: 'one' };
  const own = { accountId: 'a', accountNumber: '0123456789', bankCode: '000013' };

  test.each<[string, object, string]>([
    ['is there', { accounts: [{ ...own, bankCode: '000014' }, own], total: 2 }, 'done'],
    ['is not there', { accounts: [{ ...own, accountNumber: '0123456780' }], total: 1 }, 'not-done'],
    ['is not there, and nothing is', { accounts: [], total: 0 }, 'not-done'],
    ['is at another bank', { accounts: [{ ...own, bankCode: '000014' }], total: 1 }, 'not-done'],
    [
      'may be one whose bank has a code of another length',
      { accounts: [{ ...own, bankCode: '058' }], total: 1 },
      'unclear',
    ],
    ['may be one whose bank is not named', { accounts: [{ ...own, bankCode: null }], total: 1 }, 'unclear'],
    ['may be one whose number is masked', { accounts: [{ ...own, accountNumber: '******6789' }], total: 1 }, 'unclear'],
    ['may be one that the list leaves out', { accounts: [], total: 1 }, 'unclear'],
    ['may be anywhere without a list', {}, 'unclear'],
  ])('%s', async (_, data, expected) => {
    expect(await found('banks.add', request, data)).toBe(expected);
  });
});

describe('a default wallet that was to be set', () => {
  const request = { userId: 'u', address: '0x52908400098527886E0F7030069857D2E4169EE7', blockchain: 'base' };
  const own = { address: request.address.toLowerCase(), blockchain: 'base' };

  test.each<[string, object, string]>([
    ['is set', { defaultWallet: own }, 'done'],
    ['is not set', { defaultWallet: null }, 'not-done'],
    [
      'is another one',
      { defaultWallet: { ...own, address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' } },
      'not-done',
    ],
    ['is on another network', { defaultWallet: { ...own, blockchain: 'bsc' } }, 'not-done'],
    ['is not named', { defaultWallet: { blockchain: 'base' } }, 'unclear'],
    ['is on a network that is not named', { defaultWallet: { address: own.address } }, 'unclear'],
    ['is not said', {}, 'unclear'],
  ])('%s', async (_, data, expected) => {
    expect(await found('users.set-default-wallet', request, data)).toBe(expected);
  });
});
