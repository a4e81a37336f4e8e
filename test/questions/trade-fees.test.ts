import { expect, test } from 'vitest';
import { copyOf, TRADE } from './stored.ts';

const SALE = { ...TRADE, id: 'f-1', side: 'sell', cngn_minor: 57_000_000_000n, usdc_minor: 40_000_000n };

test.each([
  ['in the cNGN that came in', 56_886_000_000n, 'CNGN', 114_000_000n, null],
  ['in the stablecoin that was sold', 32_000_000n, 'USDC', null, 'FEE_OTHER_ASSET'],
  ['in an asset that is not known', null, null, null, 'FEE_NOT_STATED'],
])(
  'a net amount %s says the fee of a sale only if it is one of what came in',
  async (_, net_minor, net_asset, fee, known) => {
    const ask = await copyOf({ fx_trades: [{ ...SALE, net_minor, net_asset }] });
    const entries = await ask((queries) =>
      queries.all(
        `SELECT amount_minor AS minor, asset, known FROM book_entries WHERE account = 'expenses:platform:trade'`,
      ),
    );
    expect(entries).toEqual([{ minor: fee, asset: 'CNGN', known }]);
  },
);
