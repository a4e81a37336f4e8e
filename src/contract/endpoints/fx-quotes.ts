import { endpoint } from '../endpoint.ts';
import {
  anyText,
  fields,
  group,
  list,
  maybe,
  maybeText,
  oneOf,
  optional,
  payload,
  payText,
  percent,
  stateOf,
  timestamp,
} from '../fields.ts';
import { cngn, cngnAmount, noLiquidity, quoteLimits, SIDES, selfTrade, side, usdc, usdt } from '../fx.ts';

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
  source: 'interface',
  request: () =>
    fields({
      pair: oneOf('interface', ['CNGN-USDT', 'CNGN-USDC']),
      side: side('interface'),
      cngnAmount: cngnAmount(),
      tokenAmount: optional(
        payText(
          'public',
          { leg: 'stablecoin' },
          { rule: 'greater than 0, in the stablecoin; cannot be combined with cngnAmount' },
        ),
      ),
    }),
  response: () =>
    payload({
      quote: group('interface', {
        quoteId: anyText('interface'),
        pair: anyText('interface'),
        side: stateOf('interface', SIDES),
        cngnAmount: cngn('interface'),
        usdcAmount: usdc('interface'),
        usdtAmount: usdt('interface'),
        price: cngn('interface'),
        // The newest public responses omit both spreads.
        spread: maybe(percent('interface')),
        matchedOrders: list(
          'interface',
          group('interface', {
            orderId: anyText('interface'),
            price: cngn('interface'),
            cngnAmount: cngn('interface'),
            usdcAmount: usdc('interface'),
            usdtAmount: usdt('interface'),
            spread: maybe(percent('interface')),
          }),
        ),
        expiresAt: timestamp('interface'),
      }),
      version: maybeText('interface'),
    }),
  errors: [
    { when: 'the amount is below 1000 cNGN or a field is invalid', fault: 'VALIDATION_ERROR', source: 'public' },
    noLiquidity,
    { ...selfTrade, source: 'inferred' },
  ],
});
