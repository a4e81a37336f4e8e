import { endpoint, invalid } from '../endpoint.ts';
import * as f from '../fields.ts';
import { cngn, cngnAmount, cngnFigure, noLiquidity, quoteLimits, SIDES, selfTrade, side, usdc, usdt } from '../fx.ts';

export const quote = endpoint({
  ...quoteLimits,
  id: 'fx.quote',
  method: 'POST',
  path: '/fx/quote',
  effect: 'read',
  isRecorded: true,
  summary: 'Get a quote for a trade; the price is valid for 5 minutes',
  done: 'Trade quote created',
  nests: 'quote',
  repeats: {
    pair: 'quote.pair',
    side: 'quote.side',
    cngnAmount: 'quote.cngnAmount',
    tokenAmount: ['quote.usdcAmount', 'quote.usdtAmount'],
  },
  request: () =>
    f.checkedFields(f.exactlyOne('cngnAmount', 'tokenAmount'), {
      pair: f.oneOf('interface', ['CNGN-USDT', 'CNGN-USDC'], { names: 'tokens' }),
      side: side('interface'),
      cngnAmount: f.optional(cngnAmount()),
      tokenAmount: f.optional(
        f.payText(
          'public',
          { leg: 'stablecoin' },
          { rule: 'greater than 0, in the stablecoin; in place of cngnAmount, and worth at least 1000 cNGN' },
        ),
      ),
    }),
  response: () =>
    f.payload({
      quote: f.group('interface', {
        quoteId: f.anyText('interface'),
        pair: f.anyText('interface'),
        side: f.stateOf('interface', SIDES),
        cngnAmount: cngn('interface'),
        usdcAmount: usdc('interface'),
        usdtAmount: usdt('interface'),
        price: cngnFigure('interface'),
        // The newest public responses omit both spreads.
        spread: f.maybe(f.percent('interface')),
        matchedOrders: f.list(
          'interface',
          f.group('interface', {
            orderId: f.anyText('interface'),
            price: cngnFigure('interface'),
            cngnAmount: cngn('interface'),
            usdcAmount: usdc('interface'),
            usdtAmount: usdt('interface'),
            spread: f.maybe(f.percent('interface')),
          }),
        ),
        expiresAt: f.timestamp('interface'),
      }),
      version: f.maybeText('interface'),
    }),
  errors: [
    invalid('public', 'the amount is below 1000 cNGN or a field is invalid'),
    noLiquidity,
    { ...selfTrade, source: 'inferred' },
  ],
});
