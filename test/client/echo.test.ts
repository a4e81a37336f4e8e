import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { replyOf } from '../../src/client/client.ts';
import { foreignId } from '../../src/client/request.ts';
import { balanceUser } from '../../src/contract/endpoints/balances.ts';
import { addBankAccount, updateBankAccount } from '../../src/contract/endpoints/banks.ts';
import { tradeStatus } from '../../src/contract/endpoints/fx-trades.ts';
import { onrampStatus } from '../../src/contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { success } from '../support/exchange.ts';

const KEY = new Secret('the-key-of-this-account');

describe('an id that a response repeats', () => {
  test.each([
    ['the same', { userId: 'ab12' }, { userId: 'ab12' }],
    ['hexadecimal in another case', { userId: 'AB12' }, { userId: 'ab12' }],
    ['masked', { userId: 'ab12' }, { userId: 'ab**' }],
    ['missing', { userId: 'ab12' }, {}],
    ['null', { userId: 'ab12' }, { userId: null }],
    ['of another kind', { userId: 'ab12' }, { token: 'ab13' }],
  ])('%s belongs to the request', (_, input, data) => {
    expect(foreignId(balanceUser, input, data)).toBeUndefined();
  });

  test.each([
    ['another one', balanceUser, { userId: 'ab12' }, { userId: 'ab13' }, 'userId'],
    ['text in another case', balanceUser, { userId: 'shopper-X' }, { userId: 'shopper-x' }, 'userId'],
    ['in the nested object', tradeStatus, { tradeId: 't-1' }, { trade: { tradeId: 't-2' } }, 'tradeId'],
    [
      'in the nested object, beside the same',
      tradeStatus,
      { tradeId: 't-1' },
      { trade: { tradeId: 't-9', orderId: 'o' } },
      'tradeId',
    ],
    ['beside the nested object', getVirtualAccount, { requestId: 'r-1' }, { requestId: 'r-2' }, 'requestId'],
  ])('%s does not', (_, endpoint, input, data, name) => {
    expect(foreignId(endpoint, input, data)?.name).toBe(name);
  });

  test.each([
    ['the wallet asked for', { wallet: { walletAddress: '0xAB12' } }, undefined],
    ['another wallet', { wallet: { walletAddress: '0xab13' } }, 'walletAddress'],
    ['another wallet beside the others', { walletAddress: '0xab13' }, 'walletAddress'],
    ['another wallet in the last object', { fees: { total: 5 }, info: { walletAddress: '0xab13' } }, 'walletAddress'],
  ])('of a request by wallet is that of the wallet: %s', (_, data, name) => {
    const asked = { requestId: '0xab12', walletAddress: '0xab12' };
    expect(foreignId(onrampStatus, asked, { requestId: 'r-1', ...data })?.name).toBe(name);
  });

  test('is not compared where the request has none', () => {
    expect(foreignId(addBankAccount, { accountNumber: '0123456789' }, { accountId: 'a-1' })).toBeUndefined();
  });
});

describe('a response about something else', () => {
  test('is no usable response to a read, and both ids are named', () => {
    const read = () => replyOf(balanceUser, { userId: 'ab12' }, { response: success({ userId: 'ab13' }) }, KEY);
    expect(read).toThrow(
      expect.objectContaining({
        category: 'network',
        code: 'ANSWER_OF_ANOTHER_REQUEST',
        message: 'the service sent no usable response: it is about userId ab13, not ab12',
      }),
    );
  });

  test('leaves a change unknown, even with an id that would count as accepted', () => {
    const data = { accountId: 'a-2', label: 'fees' };
    const change = () =>
      replyOf(updateBankAccount, { accountId: 'a-1', label: 'fees' }, { response: success(data) }, KEY);
    expect(change).toThrow(
      expect.objectContaining({ category: 'unknown', message: expect.stringContaining('a-2, not a-1') }),
    );
  });
});
