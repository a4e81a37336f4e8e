import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { replyOf } from '../../src/client/client.ts';
import { balanceUser } from '../../src/contract/endpoints/balances.ts';
import { updateBankAccount } from '../../src/contract/endpoints/banks.ts';
import { trade } from '../../src/contract/endpoints/fx-trades.ts';
import { transferToWallet } from '../../src/contract/endpoints/transfers.ts';
import { wireNumber } from '../../src/money/decimal.ts';
import { success } from '../support/exchange.ts';

const KEY = new Secret('the-key-of-this-account');

describe('a response about something else', () => {
  test('is no usable response to a read, and both values are named', () => {
    const read = () => replyOf(balanceUser, { userId: 'ab12' }, { response: success({ userId: 'ab13' }) }, KEY);
    expect(read).toThrow(
      expect.objectContaining({
        category: 'network',
        code: 'RESPONSE_OF_ANOTHER_REQUEST',
        message:
          'the service sent no usable response: it is not the response to this request, asked for userId ab12; the response says userId ab13',
      }),
    );
  });

  test('leaves a change of unknown outcome, with the id of what it names', () => {
    const data = { requestId: 'req-1', amount: '75000000', ticker: 'USDC' };
    const request = { amount: wireNumber('7500000'), destinationAddress: `0x${'a'.repeat(40)}` };
    expect(() => replyOf(transferToWallet, request, { response: success(data) }, KEY)).toThrow(
      expect.objectContaining({
        category: 'unknown',
        code: 'RESPONSE_OF_ANOTHER_REQUEST',
        contradiction: {
          asked: 'amount 7.50 cNGN, ticker CNGN',
          answered: 'amount 75.00 USDC, ticker USDC',
          requestId: 'req-1',
        },
      }),
    );
  });

  test('leaves a change of unknown outcome that is not journaled', () => {
    const data = { accountId: 'a-2', label: 'fees' };
    const change = () =>
      replyOf(updateBankAccount, { accountId: 'a-1', label: 'fees' }, { response: success(data) }, KEY);
    expect(change).toThrow(
      expect.objectContaining({
        category: 'unknown',
        message: expect.stringContaining('asked for accountId a-1; the response says accountId a-2'),
      }),
    );
  });

  test('is noticed by the terms that the request only refers to', () => {
    const answered = (side: string) => ({
      response: success({ trade: { tradeId: 't-1', pair: 'CNGN-USDC', side, cngnAmount: '5000', status: 'pending' } }),
    });
    const terms = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000', price: '1400' };
    expect(() => replyOf(trade, { quoteId: 'q-1' }, answered('sell'), KEY, { terms })).toThrow('trade.side sell');
    expect(replyOf(trade, { quoteId: 'q-1' }, answered('buy'), KEY, { terms }).data.trade.tradeId).toBe('t-1');
  });
});
