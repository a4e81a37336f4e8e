import { savedQuote, saveQuote } from '../../account/saved-quotes.ts';
import { CliError } from '../../base/errors.ts';
import { HIDDEN } from '../../base/secret.ts';
import { orderBook, orderBookStats, orderBookToken } from '../../contract/endpoints/fx-book.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { marketOrder, trade } from '../../contract/endpoints/fx-trades.ts';
import { PAIRS, type Side, STABLECOIN_OF } from '../../contract/fx.ts';
import type { Account } from '../../engine/account.ts';
import { depthOf } from '../../engine/depth.ts';
import { fxTrade } from '../../engine/evidence/fx.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { ownOrderLines } from '../../engine/previews/book-previews.ts';
import { amountLine, readPreviews } from '../../engine/previews/previews.ts';
import type { RequestOptions } from '../../engine/requests.ts';
import { stablecoinIn, wireDecimal } from '../../engine/rules/fx-terms.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import { type Command, callCommand, command } from '../../terminal/command.ts';
import { thingListCommand } from '../../terminal/list-command.ts';
import {
  evmAddress,
  optionalCngn,
  optionalSide,
  pair,
  quotedAmount,
  requiredPair,
  requiredSide,
  requireQuotable,
} from '../../terminal/parse/field-options.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import {
  amountOf,
  argument,
  id,
  oneOfAnyCase,
  option,
  switchOn,
  wholeNumber,
} from '../../terminal/parse/parameters.ts';
import { change, serviceIdempotencyKey, type Terminal } from '../../terminal/terminal.ts';
import { startCommand, statusCommand } from '../../terminal/work-commands.ts';
import { trade as aTrade } from '../../things/market.ts';
import { commands as orders } from './orders.ts';
import {
  consistentQuote,
  dealPreview,
  quotedDeal,
  quoteTermsOf,
  quoteWithin,
  SIDE_LINE,
  SIDE_MEANING,
} from './prices.ts';
import { commands as vault } from './vault.ts';

const pairArgument = argument('pair', PAIRS.join(' or '), pair, `Pair (${PAIRS.join(' or ')}):`);

const bookCommand = command({
  words: ['fx', 'book'],
  summary: 'Show the order book of a pair',
  details:
    'Each bar is the depth in cNGN at that price or better. An order counts up to its maximum, although its wallet may hold less. "With spread" is the price that a trade gets: with --side buy, the order’s price plus its spread; with --side sell, minus its spread.',
  examples: [
    'fiatrail fx book CNGN-USDC',
    'fiatrail fx book CNGN-USDT --limit 5 -o json --query "sellOrders[].price.value"',
  ],
  endpoints: [orderBook.id],
  prints: { response: orderBook },
  parameters: {
    pair: pairArgument,
    limit: option('--limit <count>', 'orders per side, 1 to 100 (default 20)', wholeNumber(1, 100)),
  },
  run: async (account, _terminal, { pair: token, limit }) => {
    const reply = await account.call(orderBook, { pair: token, limit });
    const outcome = await outcomeOf(account, orderBook, reply);
    // A chart of figures whose unit is unknown would be empty or wrong.
    if (reply.uncertain) return outcome;
    return outcome.result ? { ...outcome, result: { ...outcome.result, depth: depthOf(reply.data, token) } } : outcome;
  },
});

const STATS = [
  { field: 'pair', title: 'Pair' },
  { field: 'bestBidPrice', title: 'Best bid' },
  { field: 'bestAskPrice', title: 'Best ask' },
  { field: 'spreadPercentage', title: 'Spread (percent)' },
  { field: 'buyOrderCount', title: 'Buy orders' },
  { field: 'totalBuyLiquidity', title: 'Buy liquidity' },
  { field: 'sellOrderCount', title: 'Sell orders' },
  { field: 'totalSellLiquidity', title: 'Sell liquidity' },
] as const;

const statsCommand = callCommand(orderBookStats, {
  words: ['fx', 'stats'],
  summary: 'Show the best prices and the liquidity of a pair',
  examples: ['fiatrail fx stats CNGN-USDC', 'fiatrail fx stats CNGN-USDT -o json --query bestAskPrice.value'],
  parameters: { pair: pairArgument },
  request: ({ pair: token }) => ({ pair: token }),
  columns: STATS,
});

const tokenCommand = command({
  words: ['fx', 'book-token'],
  summary: 'Get an access token for the live order book',
  details: 'The token is valid for an hour. Tables hide it unless --show is given; every other format prints it.',
  examples: ['fiatrail fx book-token -o json --query token', 'fiatrail fx book-token --show'],
  endpoints: [orderBookToken.id],
  prints: { response: orderBookToken },
  parameters: { show: switchOn('--show', 'print the token in tables too') },
  run: async (account, _terminal, { show }) => {
    const reply = await account.call(orderBookToken, {});
    if (show || account.globals.present.format !== 'table') return outcomeOf(account, orderBookToken, reply);
    return outcomeOf(account, orderBookToken, { ...reply, data: { ...reply.data, token: HIDDEN } });
  },
});

const bookCommands = [bookCommand, statsCommand, tokenCommand];

/** The flags that say what to trade. */
interface TypedDeal {
  readonly market?: boolean | undefined;
  readonly quote: string | undefined;
  readonly order: string | undefined;
  readonly pair: (typeof PAIRS)[number] | 'CNGN' | undefined;
  readonly side: Side | undefined;
  readonly amount: Amount | undefined;
}

const MODES =
  'use --quote ID, --order ID --amount CNGN, or --pair PAIR --side SIDE --amount CNGN; add --market to that for a market order';

/** `buy USDC with 5,000.00 cNGN`, `sell USDC for 5,000.00 cNGN`. */
function dealWords(wanted: Side, text: string, cngn: Amount): string {
  const stablecoin = stablecoinIn(text) ?? 'stablecoin';
  return `${wanted} ${stablecoin} ${wanted === 'buy' ? 'with' : 'for'} ${amountForPeople(cngn)}`;
}

/** What is read before a trade: what it costs, what pays for it, and whether someone else trades against it. */
function readBefore(
  account: Account,
  { order, pair, side, amount }: Partial<Omit<TypedDeal, 'pair'>> & { readonly pair: string | undefined },
  payer?: () => Promise<readonly ShownLine[]>,
) {
  if (order !== undefined) {
    const own = () => readPreviews(() => ownOrderLines(account, order));
    return { previews: own, payer: own };
  }
  if (!pair || !side || !amount) return {};
  const previews = dealPreview(account, pair, side, amount);
  return { previews, payer: payer ?? previews };
}

/** Returns the request for one of the three ways to trade, with its description. Throws CliError usage. */
function termsOf({ market, quote: quoteId, order: orderId, pair, side, amount }: TypedDeal) {
  const given = Object.entries({
    '--market': market || undefined,
    '--quote': quoteId,
    '--order': orderId,
    '--pair': pair,
    '--side': side,
    '--amount': amount,
  });
  const allowed = quoteId
    ? ['--quote']
    : orderId
      ? ['--order', '--amount']
      : ['--pair', '--side', '--amount', ...(market ? ['--market'] : [])];
  const extra = given.filter(([name, value]) => value !== undefined && !allowed.includes(name)).map(([name]) => name);
  const missing = given.filter(([name, value]) => value === undefined && allowed.includes(name)).map(([name]) => name);
  if (extra.length > 0)
    throw new CliError('usage', `${allowed[0]} cannot be combined with ${extra.join(' and ')}`, { hint: MODES });
  if (missing.length > 0) throw missingError(missing, { hint: MODES });
  const cngnAmount = amount && wireDecimal(amount);
  if (quoteId)
    return { request: { quoteId }, what: `trade on quote ${quoteId}`, lines: [['quote', quoteId]] as ShownLine[] };
  if (orderId)
    return {
      request: { orderId, cngnAmount },
      what: `trade ${amount && amountForPeople(amount)} against order ${orderId}`,
      lines: [['order', orderId]] as ShownLine[],
    };
  const [onBook] = PAIRS.filter((each) => each === pair);
  if (!market && pair !== onBook)
    throw new CliError('usage', `--pair: invalid value "CNGN"; expected one of ${PAIRS.join(', ')}`, {
      hint: 'only a market order (--market) takes CNGN alone',
    });
  const deal = pair && side && amount ? dealWords(side, pair, requireQuotable(amount)) : '';
  return {
    request: { pair: onBook, side, cngnAmount },
    what: market ? `place a market order to ${deal}` : deal,
    lines: [
      ['pair', pair ?? ''],
      ['trade', deal],
    ] as ShownLine[],
  };
}

const destination = option(
  '--to <address>',
  'EVM address that receives the bought tokens (default: the account)',
  evmAddress,
);

const serviceKeyOption = option(
  '--idempotency-key <key>',
  'the service’s idempotency key: repeating it returns the earlier trade',
  id,
);

const quoteCommand = command({
  words: ['fx', 'quote'],
  summary: 'Get a quote for a trade, valid for 5 minutes',
  details: SIDE_MEANING,
  examples: [
    'fiatrail fx quote --pair CNGN-USDC --side buy --amount 50000',
    'fiatrail fx quote --pair CNGN-USDC --side sell --amount "5 USDC"',
    'fiatrail fx quote --pair CNGN-USDT --side sell --amount 50000 -o json --query quoteId',
  ],
  endpoints: [quote.id],
  prints: { response: quote },
  parameters: { pair: requiredPair, side: requiredSide, amount: quotedAmount },
  fields: { cngnAmount: 'amount', tokenAmount: 'amount' },
  run: async (account, _terminal, { pair, side, amount }) => {
    const { asset } = amount;
    if (asset !== 'CNGN' && asset !== STABLECOIN_OF[pair])
      throw new CliError('usage', `--amount is in ${asset}, which is not in the pair ${pair}`, {
        code: 'VALIDATION_ERROR',
        hint: `write it in cNGN or ${STABLECOIN_OF[pair]}, or choose another pair`,
      });
    const given = wireDecimal(amount);
    const reply = await account.call(
      quote,
      asset === 'CNGN' ? { pair, side, cngnAmount: given } : { pair, side, tokenAmount: given },
    );
    const saved = consistentQuote(reply.data);
    if (saved) saveQuote(account.world, reply.data.quote.quoteId, saved);
    await account.notices.note(
      `the quote is valid for 5 minutes; trade on it with: fiatrail fx trade --quote ${reply.data.quote.quoteId}`,
    );
    return outcomeOf(account, quote, reply);
  },
});

/** The flags that limit the price of a trade, in cNGN for each stablecoin. */
const priceLimits = {
  maxPrice: option(
    '--max-price <cngn>',
    'with --side buy: highest price to accept, in cNGN per stablecoin, such as 1600',
    amountOf('CNGN'),
  ),
  minPrice: option(
    '--min-price <cngn>',
    'with --side sell: lowest price to accept, in cNGN per stablecoin, such as 1500',
    amountOf('CNGN'),
  ),
};

type MarketDeal = TypedDeal & { readonly to: string | undefined; readonly idempotencyKey: string | undefined };

function sendMarketOrder(
  account: Account,
  terminal: Terminal,
  { what, lines }: ReturnType<typeof termsOf>,
  { pair, side, amount, to, idempotencyKey }: MarketDeal,
  options: RequestOptions,
) {
  if (!pair || !side || !amount) throw new Error('a market order needs a pair, a side and an amount');
  return change(
    account,
    terminal,
    marketOrder,
    {
      pair,
      side,
      cngnAmount: wireDecimal(amount),
      destinationWalletAddress: to,
      idempotencyKey,
    },
    {
      summary: what,
      lines: [...lines, SIDE_LINE, amountLine(amount, 'decimal-string'), ['destination', to ?? 'the account']],
      ...readBefore(account, { pair, side, amount }),
    },
    options,
  );
}

const tradesStart = startCommand(fxTrade, trade, {
  words: ['fx', 'trade'],
  money: 'unguarded',
  summary: 'Trade on a quote, against an order, or at the best price',
  details: `${SIDE_MEANING} A quote sets the pair, side and amount; an order sets the pair and side. With --max-price or --min-price, the command gets a quote and trades on it only if its price is within the limit; otherwise it exits with 9. With --market, it places a market order. cNGN is paid from the account wallet. The sold tokens stay locked for up to 5 minutes.`,
  examples: [
    'fiatrail fx trade --pair CNGN-USDC --side buy --amount 50000 --wait',
    'fiatrail fx trade --pair CNGN-USDC --side buy --amount 50000 --max-price 1600 --yes',
    'fiatrail fx trade --market --pair CNGN-USDC --side buy --amount 50000',
    'fiatrail fx trade --quote QUOTE_ID --yes --wait -o json',
    'fiatrail fx trade --order ORDER_ID --amount 5000 --to 0x52908400098527886E0F7030069857D2E4169EE7',
  ],
  calls: [quote.id],
  or: { start: marketOrder, takes: ({ market }) => market === true },
  parameters: {
    market: switchOn('--market', 'place a market order, which fills at the best available prices'),
    quote: option('--quote <quote-id>', 'id of a quote less than 5 minutes old', id),
    order: option('--order <order-id>', 'id of an order to trade against, at its price', id),
    pair: option(
      '--pair <pair>',
      `${PAIRS.join(' or ')}; with --market also CNGN`,
      oneOfAnyCase(...PAIRS, 'CNGN'),
      `Pair (${PAIRS.join(' or ')}):`,
    ),
    side: optionalSide,
    amount: {
      ...optionalCngn,
      fits: (value: Amount | undefined, { order }: { readonly order?: unknown }) => {
        if (value && order === undefined) requireQuotable(value);
      },
    },
    ...priceLimits,
    to: destination,
    key: serviceKeyOption,
  },
  fields: {
    quoteId: 'quote',
    orderId: 'order',
    cngnAmount: 'amount',
    destinationWalletAddress: 'to',
    idempotencyKey: 'key',
  },
  asks: ({ quote: quoteId, order }) => (quoteId ? [] : order ? ['amount'] : ['pair', 'side', 'amount']),
  send: async (account, terminal, { to, key, maxPrice, minPrice, ...deal }, options) => {
    const terms = termsOf(deal);
    const idempotencyKey = key ?? serviceIdempotencyKey(terminal.consent);
    if (deal.market) {
      if (maxPrice ?? minPrice)
        throw new CliError('usage', '--market cannot be combined with --max-price or --min-price', {
          hint: 'a limit on the price needs a quote: leave --market out',
        });
      return sendMarketOrder(account, terminal, terms, { ...deal, to, idempotencyKey }, options);
    }
    const limited = await quoteWithin(account, terminal, { ...deal, pair: terms.request.pair, maxPrice, minPrice });
    const { what } = terms;
    const request = limited ? { quoteId: limited.quoteId } : terms.request;
    const { amount } = deal;
    const saved = deal.quote === undefined ? undefined : savedQuote(account.world, deal.quote);
    const quoted = limited?.terms ?? (saved && quoteTermsOf(saved));
    // What a plan says must be what another machine can read too.
    const onQuote =
      deal.quote === undefined || terminal.consent.plan ? undefined : quotedDeal(account, terminal, saved);
    const lines = [...terms.lines, SIDE_LINE, ...(limited?.lines ?? []), ...(onQuote?.lines ?? [])];
    if (amount) lines.push(amountLine(amount, 'decimal-string'));
    lines.push(['destination', to ?? 'the account']);
    return change(
      account,
      terminal,
      trade,
      { ...request, destinationWalletAddress: to, idempotencyKey },
      {
        summary: what,
        ...readBefore(account, deal, limited?.payer),
        ...onQuote,
        lines,
        terms: () => quoted && { ...quoted },
      },
      options,
    );
  },
});

const tradesStatus = statusCommand(fxTrade);

const tradesList = thingListCommand(aTrade);

export const commands: readonly Command[] = [
  quoteCommand,
  tradesStart,
  tradesStatus,
  tradesList,
  ...bookCommands,
  ...orders,
  ...vault,
];
