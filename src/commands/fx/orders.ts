import { CliError } from '../../base/errors.ts';
import { createOrder, deleteOrder, updateOrder } from '../../contract/endpoints/fx-orders.ts';
import { type Pair, type Side, STABLECOIN_OF } from '../../contract/fx.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { readPreviews } from '../../engine/previews/previews.ts';
import { inStablecoin, wireDecimal } from '../../engine/rules/fx-terms.ts';
import { type Amount, ASSET_LABEL, amount, amountForPeople } from '../../money/amount.ts';
import { type PercentMillionths, percentText, percentToWire, takerPriceMicro } from '../../money/rates.ts';
import type { Column } from '../../present/result.ts';
import { command } from '../../terminal/command.ts';
import { thingListCommand } from '../../terminal/list-command.ts';
import { requiredPair, requiredSide } from '../../terminal/parse/field-options.ts';
import {
  amountOf,
  argument,
  id,
  nothingTo,
  option,
  PLAN_OPTIONS,
  percent,
  picked,
  required,
} from '../../terminal/parse/parameters.ts';
import { change } from '../../terminal/terminal.ts';
import { order } from '../../things/market.ts';
import { balancePreview, marketPreview, orderBalance } from './prices.ts';

const PRICE_HELP = 'price in cNGN per stablecoin with at most 6 decimals, such as 1400 or 1,400.50';

const MIN_HELP = 'minimum per trade, in cNGN';

const MAX_HELP = 'maximum per trade, in cNGN';

const SPREAD_HELP = 'spread, 0.1% to 50%, that takers pay on top of the price or receive below it';

/** Parses a spread within the service's limits. Throws CliError usage. */
const spread = (text: string): PercentMillionths => {
  const value = percent(text);
  if (value >= 100_000n && value <= 50_000_000n) return value;
  throw new CliError('usage', `invalid spread ${percentText(value)}%; expected 0.1% to 50%`);
};

function checkBounds(min: Amount | undefined, max: Amount | undefined): void {
  if (!min || !max || min.minor <= max.minor) return;
  throw new CliError('usage', `--min ${amountForPeople(min)} is above --max ${amountForPeople(max)}`, {
    code: 'VALIDATION_ERROR',
    hint: 'make --min the smaller one; both limit a single trade, in cNGN',
  });
}

interface TypedTerms {
  readonly pair: Pair;
  readonly side: Side;
  readonly price: Amount;
  readonly min: Amount;
  readonly max: Amount;
  readonly spread: PercentMillionths | undefined;
}

const range = (from: Amount, to: Amount) => `${amountForPeople(from)} to ${amountForPeople(to)}`;

/** What tables show of an order. Not the liquidity: it is the balance behind the order, and sources contradict each other about its asset. */
const SHOWN_COLUMNS: readonly Column[] = [
  { field: 'orderId', title: 'Order ID' },
  { field: 'pair', title: 'Pair' },
  { field: 'side', title: 'Side' },
  { field: 'price', title: 'Price' },
  { field: 'spread', title: 'Spread' },
  { field: 'minAmount', title: 'Min per trade' },
  { field: 'maxAmount', title: 'Max per trade' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'Created at' },
  { field: 'updatedAt', title: 'Updated at' },
];

/** Describes what the order pays and receives: an order that buys stablecoin pays cNGN. */
function termLines({ pair, side, price, min, max, spread: own }: TypedTerms): readonly ShownLine[] {
  const stablecoin = STABLECOIN_OF[pair];
  const cngn = range(min, max);
  const tokens = `about ${range(inStablecoin(min, price, stablecoin), inStablecoin(max, price, stablecoin))}`;
  const [pays, receives] = side === 'buy' ? [cngn, tokens] : [tokens, cngn];
  const taken = amount('CNGN', takerPriceMicro(price.minor, own ?? 0n, side === 'buy' ? 'CNGN' : stablecoin));
  return [
    ['pays', `${pays} per trade`],
    ['receives', receives],
    ['price', `${amountForPeople(price)} per ${stablecoin}`],
    ...(own === undefined
      ? []
      : [['spread', `${percentText(own)}%: takers trade at ${amountForPeople(taken)}`] as const]),
    [
      'stays',
      `until you cancel it; it may spend your whole balance of ${ASSET_LABEL[side === 'buy' ? 'CNGN' : stablecoin]}, trade by trade`,
    ],
  ];
}

const createCommand = command({
  words: ['fx', 'orders', 'create'],
  money: 'unguarded',
  summary: 'Place an order on the order book',
  details: 'The side refers to the stablecoin: buy pays cNGN for it, sell trades it for cNGN.',
  examples: [
    'fiatrail fx orders create --pair CNGN-USDC --side buy --price 1390 --min 1000 --max 500000',
    'fiatrail fx orders create --pair CNGN-USDT --side sell --price 1400.50 --min 1000 --max 500000 --spread 0.5% --yes -o json',
  ],
  endpoints: [createOrder.id],
  prints: { response: createOrder },
  parameters: {
    pair: requiredPair,
    side: requiredSide,
    price: required('--price <cngn>', PRICE_HELP, amountOf('CNGN'), 'Price (cNGN per stablecoin):'),
    min: required('--min <cngn>', MIN_HELP, amountOf('CNGN'), 'Minimum per trade, in cNGN:'),
    max: {
      ...required('--max <cngn>', MAX_HELP, amountOf('CNGN'), 'Maximum per trade, in cNGN:'),
      fits: (max: Amount, { min }: { readonly min?: unknown }) => checkBounds(min as Amount, max),
    },
    spread: option('--spread <percent>', SPREAD_HELP, spread),
  },
  fields: { orderType: 'side', baseCurrency: 'pair', quoteCurrency: 'pair', minAmount: 'min', maxAmount: 'max' },
  run: async (account, terminal, terms) => {
    const { pair, side, price, min, max, spread: own } = terms;
    checkBounds(min, max);
    const stablecoin = STABLECOIN_OF[pair];
    const request = {
      // The order type refers to the base currency, cNGN: buying stablecoin is selling cNGN.
      orderType: side === 'buy' ? ('sell' as const) : ('buy' as const),
      baseCurrency: 'cNGN',
      quoteCurrency: stablecoin,
      price: wireDecimal(price),
      minAmount: wireDecimal(min),
      maxAmount: wireDecimal(max),
      spread: own === undefined ? undefined : percentToWire(own),
    };
    const words = side === 'buy' ? `buy ${stablecoin}` : `sell ${stablecoin}`;
    const paid = side === 'buy' ? max : inStablecoin(max, price, stablecoin);
    const reply = await change(account, terminal, createOrder, request, {
      summary: `place an order on ${pair} to ${words} at ${amountForPeople(price)}, up to ${amountForPeople(max)} per trade`,
      lines: termLines(terms),
      previews: () =>
        readPreviews(
          () => marketPreview(account, pair, side, price),
          () => orderBalance(account, pair, side, paid),
        ),
      payer: () => readPreviews(() => balancePreview(account, pair, side, paid)),
    });
    // The response may name neither, and then not say what the order offers.
    return outcomeOf(account, createOrder, { ...reply, request: { pair, side } }, { columns: SHOWN_COLUMNS });
  },
});

const ordersList = thingListCommand(order);

const orderId = picked(
  'order',
  argument('order-id', 'order id, from fx orders create or fx orders list', id, 'Which order?'),
);

const TERMS = {
  price: option('--price <cngn>', PRICE_HELP, amountOf('CNGN')),
  min: option('--min <cngn>', MIN_HELP, amountOf('CNGN')),
  max: option('--max <cngn>', MAX_HELP, amountOf('CNGN')),
  spread: option('--spread <percent>', SPREAD_HELP, spread),
};

/** Takes no idempotency key: it says what the order offers from now on, so repeating it moves nothing twice. */
const updateCommand = command({
  words: ['fx', 'orders', 'update'],
  summary: 'Change the price or the limits of an order',
  examples: [
    'fiatrail fx orders update ORDER_ID --price 1395 --max 250000',
    'fiatrail fx orders update ORDER_ID --spread 0.5% --yes -o json',
  ],
  endpoints: [updateOrder.id],
  prints: { response: updateOrder },
  parameters: {
    orderId,
    ...TERMS,
    ...PLAN_OPTIONS,
  },
  fields: { minAmount: 'min', maxAmount: 'max' },
  run: async (account, terminal, { orderId: order, price, min, max, spread: own }) => {
    checkBounds(min, max);
    const changes: readonly (ShownLine | undefined)[] = [
      price && ['price', amountForPeople(price)],
      min && ['minimum', `${amountForPeople(min)} per trade`],
      max && ['maximum', `${amountForPeople(max)} per trade`],
      own === undefined ? undefined : ['spread', `${percentText(own)}%`],
    ];
    const lines = changes.filter((line) => line !== undefined);
    if (lines.length === 0) throw nothingTo('update', TERMS);
    const request = {
      orderId: order,
      price: price && wireDecimal(price),
      minAmount: min && wireDecimal(min),
      maxAmount: max && wireDecimal(max),
      spread: own === undefined ? undefined : percentToWire(own),
    };
    const reply = await change(account, terminal, updateOrder, request, {
      summary: `update order ${order}: ${lines.map(([label, value]) => `${label} ${value}`).join(', ')}`,
      lines: [['order', order], ...lines],
    });
    return outcomeOf(account, updateOrder, reply, { columns: SHOWN_COLUMNS });
  },
});

/** The commands that take an order off the book for a while, and put it back. */
const switches = ([verb, status, summary]: readonly ['pause' | 'resume', 'paused' | 'active', string]) =>
  command({
    words: ['fx', 'orders', verb],
    summary,
    examples: [`fiatrail fx orders ${verb} ORDER_ID`, `fiatrail fx orders ${verb} ORDER_ID --yes -o json`],
    endpoints: [updateOrder.id],
    prints: { response: updateOrder },
    parameters: { orderId, ...PLAN_OPTIONS },
    run: async (account, terminal, { orderId: order }) => {
      const reply = await change(
        account,
        terminal,
        updateOrder,
        { orderId: order, status },
        { summary: `${verb} order ${order}`, lines: [['order', order]] },
      );
      return outcomeOf(account, updateOrder, reply, { columns: SHOWN_COLUMNS });
    },
  });

const pauseCommand = switches(['pause', 'paused', 'Take an order off the book until it is resumed']);

const resumeCommand = switches(['resume', 'active', 'Put a paused order back on the book']);

const cancelCommand = command({
  words: ['fx', 'orders', 'cancel'],
  summary: 'Cancel an order permanently',
  details: 'Trades it has already matched still settle. To take it off the book for a while: fiatrail fx orders pause',
  examples: ['fiatrail fx orders cancel ORDER_ID', 'fiatrail fx orders cancel ORDER_ID --yes -o json'],
  endpoints: [deleteOrder.id],
  prints: { response: deleteOrder },
  parameters: { orderId },
  run: async (account, terminal, { orderId: order }) => {
    const reply = await change(
      account,
      terminal,
      deleteOrder,
      { orderId: order },
      { summary: `cancel order ${order} permanently`, lines: [['order', order]] },
    );
    return outcomeOf(account, deleteOrder, reply);
  },
});

export const commands = [createCommand, ordersList, updateCommand, pauseCommand, resumeCommand, cancelCommand];
