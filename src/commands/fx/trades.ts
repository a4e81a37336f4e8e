import { CliError } from '../../base/errors.ts';
import { evmAddress } from '../../cli/addresses.ts';
import { command } from '../../cli/command.ts';
import {
  dealWords,
  optionalCngn,
  optionalPair,
  optionalSide,
  quotedCngn,
  requiredPair,
  requiredSide,
  wireDecimal,
} from '../../cli/fx-terms.ts';
import { listedByCursor } from '../../cli/listed.ts';
import type { Outcome } from '../../cli/outcome.ts';
import { argument, id, oneOfAnyCase, option, required, switchOn, wholeNumber } from '../../cli/parameters.ts';
import { amountLine, type Line } from '../../cli/previews.ts';
import { outcomeOf, type Session } from '../../cli/session.ts';
import { followStatus, waitOption } from '../../cli/wait.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { listTrades, marketOrder, trade, tradeStatus } from '../../contract/endpoints/fx-trades.ts';
import { PAIRS, type Side, TRADE_STATES } from '../../contract/fx.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import { dealPreview } from './previews.ts';

const destination = option(
  '--to <address>',
  'EVM address that receives what is bought (default: the account)',
  evmAddress,
);
const idempotencyKey = option('--key <key>', 'the same key gives the trade it gave before, and no second one', id);

function followTrade(session: Session, tradeId: string, waitMs: number): Promise<Outcome> {
  return followStatus(session, {
    endpoint: tradeStatus,
    input: { tradeId },
    stateOf: (data) => data.trade.status,
    done: ['completed'],
    failed: ['failed', 'expired'],
    what: 'the trade',
    again: `fiatrail fx trade-status ${tradeId} --wait`,
    waitMs,
    words: (data) => data.trade.errorMessage ?? (data.trade.status === 'expired' ? 'its 5 minutes ran out' : undefined),
  });
}

const quoteCommand = command({
  words: ['fx', 'quote'],
  summary: 'Ask what a trade would cost; the price holds for 5 minutes',
  examples: [
    'fiatrail fx quote --pair CNGN-USDC --side buy --amount 50000',
    'fiatrail fx quote --pair CNGN-USDT --side sell --amount 50000 -o json --query quoteId',
  ],
  endpoints: [quote.id],
  parameters: { pair: requiredPair, side: requiredSide, amount: quotedCngn },
  run: async (session, { pair, side, amount }) => {
    const reply = await session.call(quote, { pair, side, cngnAmount: wireDecimal(amount) });
    await session.note(`trade on it within 5 minutes: fiatrail fx trade --quote ${reply.data.quote.quoteId}`);
    return outcomeOf(session, quote, reply);
  },
});

interface Deal {
  readonly quote: string | undefined;
  readonly order: string | undefined;
  readonly pair: (typeof PAIRS)[number] | undefined;
  readonly side: Side | undefined;
  readonly amount: Amount | undefined;
}

const MODES = 'write --quote ID, or --order ID --amount CNGN, or --pair PAIR --side SIDE --amount CNGN';

/** The request of one of the three ways to trade, and what it is in words. Throws CliError usage. */
function termsOf({ quote: quoteId, order: orderId, pair, side, amount }: Deal) {
  const given = Object.entries({
    '--quote': quoteId,
    '--order': orderId,
    '--pair': pair,
    '--side': side,
    '--amount': amount,
  });
  const allowed = quoteId ? ['--quote'] : orderId ? ['--order', '--amount'] : ['--pair', '--side', '--amount'];
  const extra = given.filter(([name, value]) => value !== undefined && !allowed.includes(name)).map(([name]) => name);
  const missing = given.filter(([name, value]) => value === undefined && allowed.includes(name)).map(([name]) => name);
  if (extra.length > 0)
    throw new CliError('usage', `${allowed[0]} cannot go together with ${extra.join(' and ')}`, { hint: MODES });
  if (missing.length > 0)
    throw new CliError('usage', `${missing.length === 1 ? 'this is' : 'these are'} missing: ${missing.join(', ')}`, {
      code: 'MISSING_INPUT',
      hint: MODES,
    });
  const cngnAmount = amount && wireDecimal(amount);
  if (quoteId)
    return { request: { quoteId }, what: `trade on quote ${quoteId}`, lines: [['quote', quoteId]] as Line[] };
  if (orderId)
    return {
      request: { orderId, cngnAmount },
      what: `trade of ${amount && amountForPeople(amount)} against order ${orderId}`,
      lines: [['order', orderId]] as Line[],
    };
  const deal = pair && side && amount ? dealWords(side, pair, amount) : '';
  return {
    request: { pair, side, cngnAmount },
    what: `trade: ${deal}`,
    lines: [
      ['pair', pair ?? ''],
      ['trade', deal],
    ] as Line[],
  };
}

const tradeCommand = command({
  words: ['fx', 'trade'],
  summary: 'Trade: on a quote, against one order, or at what the book gives',
  details:
    'A quote has its own pair, side and amount; an order its own pair and side. The cNGN must be in the smart wallet. What is sold is locked for at most 5 minutes.',
  examples: [
    'fiatrail fx trade --pair CNGN-USDC --side buy --amount 50000 --wait',
    'fiatrail fx trade --quote quote_0198… --yes --wait -o json',
    'fiatrail fx trade --order order_0198… --amount 5000 --to 0x52908400098527886E0F7030069857D2E4169EE7',
  ],
  endpoints: [trade.id, tradeStatus.id, quote.id],
  parameters: {
    quote: option('--quote <quote-id>', 'as printed by fx quote, at most 5 minutes ago', id),
    order: option('--order <order-id>', 'one order of the book, at its own price', id),
    pair: optionalPair,
    side: optionalSide,
    amount: optionalCngn,
    to: destination,
    key: idempotencyKey,
    wait: waitOption('until it has settled'),
  },
  run: async (session, { to, key, wait, ...deal }) => {
    const { request, what, lines } = termsOf(deal);
    const { pair, side, amount } = deal;
    const reply = await session.change(
      trade,
      { ...request, destinationWalletAddress: to, idempotencyKey: key },
      {
        summary: what,
        lines: [
          ...lines,
          ...(amount ? [amountLine(amount, 'decimal-string')] : []),
          ['destination', to ?? 'the account'],
        ],
        ...(pair && side && amount ? { previews: dealPreview(session, pair, side, amount) } : {}),
      },
      wait === undefined ? {} : { prints: tradeStatus },
    );
    if (wait === undefined) return outcomeOf(session, trade, reply);
    return followTrade(session, reply.data.trade.tradeId, wait);
  },
});

const marketOrderCommand = command({
  words: ['fx', 'market-order'],
  summary: 'Trade at once at the best prices of the book',
  examples: [
    'fiatrail fx market-order --pair CNGN-USDC --side buy --amount 50000',
    'fiatrail fx market-order --pair CNGN-USDT --side sell --amount 50000 --yes --wait -o json',
  ],
  endpoints: [marketOrder.id, tradeStatus.id, quote.id],
  parameters: {
    pair: required(
      '--pair <pair>',
      `${PAIRS.join(', ')} or CNGN`,
      oneOfAnyCase(...PAIRS, 'CNGN'),
      'Pair (CNGN-USDC or CNGN-USDT):',
    ),
    side: requiredSide,
    amount: quotedCngn,
    to: destination,
    key: idempotencyKey,
    wait: waitOption('until it has settled'),
  },
  run: async (session, { pair, side, amount, to, key, wait }) => {
    const reply = await session.change(
      marketOrder,
      { pair, side, cngnAmount: wireDecimal(amount), destinationWalletAddress: to, idempotencyKey: key },
      {
        summary: `market order: ${dealWords(side, pair, amount)}`,
        lines: [
          ['pair', pair],
          ['trade', dealWords(side, pair, amount)],
          amountLine(amount, 'decimal-string'),
          ['destination', to ?? 'the account'],
        ],
        previews: dealPreview(session, pair, side, amount),
      },
      wait === undefined ? {} : { prints: tradeStatus },
    );
    if (wait === undefined) return outcomeOf(session, marketOrder, reply);
    return followTrade(session, reply.data.trade.tradeId, wait);
  },
});

const statusCommand = command({
  words: ['fx', 'trade-status'],
  summary: 'Show how a trade stands',
  examples: ['fiatrail fx trade-status trade_0198…', 'fiatrail fx trade-status trade_0198… --wait 5m -o json'],
  endpoints: [tradeStatus.id],
  parameters: {
    tradeId: argument('trade-id', 'as printed by fx trade or fx trades', id),
    wait: waitOption('until it has ended'),
  },
  run: async (session, { tradeId, wait }) => followTrade(session, tradeId, wait ?? 0),
});

const COLUMNS = [
  { field: 'tradeId', title: 'Trade' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'When' },
  { field: 'pair', title: 'Pair' },
  { field: 'side', title: 'Side' },
  { field: 'cngnAmount', title: 'Amount' },
  { field: 'price', title: 'Price' },
] as const;

const tradesCommand = command({
  words: ['fx', 'trades'],
  summary: 'List the trades of the account, newest first',
  examples: [
    'fiatrail fx trades --status completed --limit 20',
    'fiatrail fx trades --all -o ndjson --fields tradeId,cngnAmount,status',
  ],
  endpoints: [listTrades.id],
  parameters: {
    pair: optionalPair,
    side: optionalSide,
    status: option('--status <status>', TRADE_STATES.join(', '), oneOfAnyCase(...TRADE_STATES)),
    limit: option('--limit <count>', 'trades a page, 1 to 100 (default 50)', wholeNumber(1, 100)),
    after: option('--after <trade-id>', 'only those older than this one', id),
    all: switchOn('--all', 'every page, as one list'),
  },
  run: async (session, { pair, side, status, limit, after, all }) =>
    listedByCursor(
      session,
      {
        endpoint: listTrades,
        columns: COLUMNS,
        request: (size, startAfter) => ({ pair, side, status, limit: size, startAfter }),
        rowsOf: ({ trades }) => trades,
        idOf: ({ tradeId }) => tradeId,
      },
      { limit, after, all },
    ),
});

export const commands = [quoteCommand, tradeCommand, marketOrderCommand, statusCommand, tradesCommand];
