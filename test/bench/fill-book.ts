/** Fills a new sandbox with funded orders: `node fill-book.ts FILE ORDERS`. */

import { insertOrder, requiredTradingAccount } from '../../src/service/fx/order-book.ts';
import { type AccountRef, BANK, chain, post, RESERVE, SUPPLY } from '../../src/service/ledger.ts';
import { openService } from '../../src/service/service.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const [path = '', orders = '0'] = process.argv.slice(2);
const MICRO = 1_000_000n;
/** Whole tokens of cNGN and of each stablecoin: more than any benchmark trades. */
const PLENTY = 100_000_000_000n;
const [CALLER, ...MAKERS] = [1n, 3n, 4n] as const;

const service = await openService({
  path,
  clock: fakeClock(Date.now()),
  ids: countingIds(),
  gather: queueMicrotask,
  seed: { pace: 'quick', rateLimits: false },
});
await service.submit('write', (context) => {
  const base = PLENTY * MICRO;
  for (const fintech of [CALLER, ...MAKERS]) {
    const account = (asset: 'CNGN' | 'USDC'): AccountRef => requiredTradingAccount(context.store, fintech, asset);
    post(context, 'bench', 'bench', [
      { account: BANK, minor: -PLENTY * 100n },
      { account: RESERVE, minor: PLENTY * 100n },
      { account: SUPPLY, minor: -base },
      { account: account('CNGN'), minor: base },
      { account: chain('USDC'), minor: -base },
      { account: account('USDC'), minor: base },
    ]);
  }
  context.store.run(`UPDATE fx_order SET state = 'deleted'`);
  for (let count = 0; count < Number(orders); count++) {
    insertOrder(context, MAKERS[count % 2] ?? CALLER, {
      pair: 'CNGN-USDC',
      gives: 'USDC',
      // Shuffled, so that the book order differs from the order of placement.
      priceMicro: (1_400n + BigInt((count * 7919) % 500)) * MICRO,
      spreadMillionths: 500_000n,
      minBase: 500n * MICRO,
      maxBase: 50_000n * MICRO,
    });
  }
});
service.close();
