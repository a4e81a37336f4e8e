import type { QuoteTerms, SavedQuote } from '../../account/saved-quotes.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { fxSettings } from '../../contract/endpoints/fx-vault.ts';
import { MIN_CNGN, type PAIRS, SIDES, type Side, STABLECOIN_OF } from '../../contract/fx.ts';
import type { Account } from '../../engine/account.ts';
import { priced, pricedText } from '../../engine/evidence/fx.ts';
import { isUncertain, type ShownLine } from '../../engine/plans/line.ts';
import { accountBalance, balanceLine, type Stated, walletBalance } from '../../engine/previews/balances.ts';
import { unfilledBy, unfilledLine } from '../../engine/previews/book-previews.ts';
import { PREVIEW_READ, readPreviews } from '../../engine/previews/previews.ts';
import { amountIn, inStablecoin, stablecoinIn, wireDecimal } from '../../engine/rules/fx-terms.ts';
import {
  type Amount,
  type Asset,
  amount,
  amountForPeople,
  isStablecoin,
  isUnknownFigure,
  type Stablecoin,
} from '../../money/amount.ts';
import { timeText } from '../../present/times.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** What a side means, for help and consents: a person who knows the service's public text would choose the wrong one. Source: interface. */
export const SIDE_MEANING =
  'buy: you pay cNGN and get the stablecoin; sell: you pay the stablecoin and get cNGN. The service’s public text uses the words the other way round.';

/** The line of a trade's consent that says what its side means. */
export const SIDE_LINE: ShownLine = ['side', SIDE_MEANING];

/** The balance available for trading: cNGN in the account wallet, stablecoin in the vault's wallet. */
async function tradingBalance(account: Account, asset: Asset): Promise<Stated | undefined> {
  if (!isStablecoin(asset)) return accountBalance(account, 'CNGN', 'base');
  const address = (await account.call(fxSettings, {}, PREVIEW_READ)).data.tokenWallets?.[asset];
  return address ? walletBalance(account, address, asset, 'base') : undefined;
}

/** The asset that an account on this side of a trade pays; undefined for a sale whose pair leaves the stablecoin to the service. */
const givenAsset = (wanted: Side, text: string): Asset | undefined => (wanted === 'buy' ? 'CNGN' : stablecoinIn(text));

/** The balance that pays for this side and, if `paid` is known, what remains of it. */
export async function balancePreview(
  account: Account,
  pair: string,
  side: Side,
  paid?: Amount,
  isEstimate = false,
): Promise<readonly ShownLine[]> {
  const asset = givenAsset(side, pair);
  const held = asset && (await tradingBalance(account, asset));
  if (!held) return [];
  return [balanceLine(held, paid?.asset === asset ? -paid.minor : undefined, isEstimate ? { isEstimate } : {})];
}

/** The balance that trades against an order may spend: all of it, however little each of them takes. */
export async function orderBalance(
  account: Account,
  pair: string,
  side: Side,
  perTrade: Amount,
): Promise<readonly ShownLine[]> {
  const lines = await balancePreview(account, pair, side, perTrade);
  return lines.map((line) => {
    const [label, , balance] = line;
    if (!balance || isUncertain(balance) || balance.afterMinor === undefined || balance.afterMinor < 0n) return line;
    const held = amountForPeople(amount(balance.asset, balance.beforeMinor));
    return [label, `${held}; the order may spend all of it, at most ${amountForPeople(perTrade)} per trade`, balance];
  });
}

/** Compares an order's price with the price that a trade gets now, because the service does not match resting orders with each other. */
export async function marketPreview(
  account: Account,
  pair: string,
  side: Side,
  price: Amount,
): Promise<readonly ShownLine[]> {
  const now = (await priced(account, pair, side, MIN_CNGN))?.price;
  if (!now) return [];
  const isWorse = side === 'buy' ? price.minor > now.minor : price.minor < now.minor;
  const words = `fx trade --side ${side} gets ${amountForPeople(now)} now`;
  return [['market', isWorse ? `${words}, which is better; this order does not get that price` : words]];
}

/** Previews what a trade would return or cost now, whether the book can fill it, and the balance that pays for it. */
export function dealPreview(
  account: Account,
  pair: string,
  side: Side,
  cngn: Amount,
): () => Promise<readonly ShownLine[]> {
  return async () => {
    const deal = await priced(account, pair, side, cngn).catch(unfilledBy);
    if (deal && 'code' in deal) return [unfilledLine(deal)];
    const words = deal && `${pricedText(deal)}, at current prices`;
    const balance = await readPreviews(() =>
      balancePreview(account, pair, side, side === 'buy' ? cngn : deal?.tokens, side === 'sell'),
    );
    return [...(words ? [[side === 'buy' ? 'receives about' : 'costs about', words] as const] : []), ...balance];
  };
}

/** What was typed of a deal and of the limit of its price. */
interface LimitedDeal {
  readonly pair: (typeof PAIRS)[number] | undefined;
  readonly side: Side | undefined;
  readonly amount: Amount | undefined;
  readonly maxPrice: Amount | undefined;
  readonly minPrice: Amount | undefined;
}

/** A quote whose price is within the limit, for five minutes. */
interface LimitedQuote {
  readonly quoteId: string;
  /** Reads the balance that pays for it. */
  readonly payer: () => Promise<readonly ShownLine[]>;
  readonly terms: QuoteTerms;
  readonly lines: readonly ShownLine[];
}

/**
 * Gets a quote for a deal with a limit of its price, so that the price cannot move before the trade. Undefined for a deal without a
 * limit. Throws CliError usage, and declined if the price is beyond the limit.
 */
export async function quoteWithin(
  account: Account,
  terminal: Terminal,
  deal: LimitedDeal,
): Promise<LimitedQuote | undefined> {
  const { pair, side, amount, maxPrice, minPrice } = deal;
  const limit = maxPrice ?? minPrice;
  if (!limit) return undefined;
  const flag = maxPrice ? '--max-price' : '--min-price';
  const wanted = maxPrice ? 'buy' : 'sell';
  if (!pair || !amount || side !== wanted || (maxPrice && minPrice))
    throw new CliError('usage', `${flag} needs --pair, --amount and --side ${wanted}`, {
      hint: 'a quote or an order has its own price',
    });
  if (terminal.consent.plan)
    throw new CliError('usage', `${flag} cannot be combined with --plan, because a quote is valid for 5 minutes`, {
      hint: 'omit one of them',
    });
  const request = { pair, side, cngnAmount: wireDecimal(amount) };
  const { data } = await account.call(quote, request, { isBeforehand: true });
  const saved = consistentQuote(data);
  const figures = figuresOf(data);
  const { price } = figures;
  if (!price || !saved || !areWhole(figures) || !data.quote.quoteId)
    throw new CliError('network', 'the quote has no price and amounts that can be compared; nothing was sent', {
      code: 'UNUSABLE_RESPONSE',
      hint: advice`see it with: [fiatrail fx quote]`,
    });
  if (isBeyond(figures, limit, maxPrice ? 'buy' : 'sell'))
    throw new CliError(
      'declined',
      `the price is ${amountForPeople(price)}, ${maxPrice ? 'above' : 'below'} ${flag} ${amountForPeople(limit)}; nothing was sent`,
      {
        code: 'PRICE_LIMIT',
        hint: advice`run it again later, or leave an order at your price: [fiatrail fx orders create]`,
      },
    );
  return {
    quoteId: data.quote.quoteId,
    payer: () => {
      const paid = side === 'buy' ? amount : inStablecoin(amount, price, STABLECOIN_OF[pair]);
      return readPreviews(() => balancePreview(account, pair, side, paid, side === 'sell'));
    },
    terms: quoteTermsOf(saved),
    lines: [['price', `${amountForPeople(price)} each, fixed by quote ${data.quote.quoteId}`]],
  };
}

/** What a quote says about its price. Undefined where it says nothing, or in an unknown unit. */
interface QuoteFigures {
  readonly cngn: Amount | undefined;
  readonly tokens: Amount | undefined;
  readonly price: Amount | undefined;
  /**
   * How far the amount of stablecoin and the price may be from those that were computed with: one unit of the last digit that is written, and for the amount a
   * millionth for each order that it was matched with.
   */
  readonly tokensWithinMinor: bigint;
  readonly priceWithinMinor: bigint;
}

type WholeFigures = { readonly [Name in keyof QuoteFigures]: NonNullable<QuoteFigures[Name]> };

/** Fewer decimals of an amount of stablecoin are zeros that were left out. Source: inferred. */
const LEAST_DECIMALS = 2;

type QuoteData = Pick<ResponseOf<typeof quote>, 'quote'>;

function figuresOf(data: QuoteData): QuoteFigures {
  const { pair, cngnAmount, price, tokenAmount } = toSave(data) ?? {};
  const stablecoin = stablecoinIn(pair ?? '');
  const { matchedOrders } = data.quote;
  const matches = Array.isArray(matchedOrders) ? matchedOrders.length : 0;
  return {
    cngn: amountIn(cngnAmount, 'CNGN'),
    tokens: stablecoin && amountIn(tokenAmount, stablecoin),
    price: amountIn(price, 'CNGN'),
    tokensWithinMinor: lastDigitMinor(tokenAmount ?? '', LEAST_DECIMALS) + BigInt(matches),
    priceWithinMinor: lastDigitMinor(price ?? '', 0),
  };
}

/** One unit of the last decimal of a figure with up to 6 decimals, in millionths. */
const lastDigitMinor = (text: string, least: number): bigint =>
  10n ** BigInt(6 - Math.min(6, Math.max(least, text.split('.')[1]?.length ?? 0)));

const areWhole = (figures: QuoteFigures): figures is WholeFigures =>
  [figures.cngn, figures.tokens, figures.price].every((figure) => figure !== undefined);

/**
 * Returns what is saved of a quote whose price is that of its amounts, as far as their last digits say. Throws CliError network for any other: one of its figures is wrong, and
 * whoever trades on it gets another price than was shown. A figure that is missing says nothing. Undefined if the unit of a figure is not known.
 */
export function consistentQuote(data: QuoteData): SavedQuote | undefined {
  const saved = toSave(data);
  const figures = figuresOf(data);
  if (!areWhole(figures)) return saved;
  const { cngn, tokens, price, tokensWithinMinor, priceWithinMinor } = figures;
  // In millionths of a millionth, so that nothing is rounded.
  const gap = tokens.minor * price.minor - cngn.minor * 1_000_000n;
  const within =
    tokensWithinMinor * price.minor + priceWithinMinor * tokens.minor + tokensWithinMinor * priceWithinMinor;
  if ((gap < 0n ? -gap : gap) <= within) return saved;
  throw new CliError(
    'network',
    `the quote contradicts itself: ${amountForPeople(cngn)} for ${amountForPeople(tokens)} is not ${amountForPeople(price)} each; nothing was sent`,
    { code: 'UNUSABLE_RESPONSE', hint: 'get another quote; if it stays so, report it to the service' },
  );
}

/** Whether a quote costs a buyer more than the limit, or gives a seller less: by its price, or by its amounts in the most favorable reading of their last digit. */
function isBeyond(figures: WholeFigures, limit: Amount, side: Side): boolean {
  const { cngn, tokens, price, tokensWithinMinor } = figures;
  const paid = cngn.minor * 1_000_000n;
  return side === 'buy'
    ? price.minor > limit.minor || paid > limit.minor * (tokens.minor + tokensWithinMinor)
    : price.minor < limit.minor || paid < limit.minor * (tokens.minor - tokensWithinMinor);
}

/** Returns the terms of a quote as a trade says them. */
export const quoteTermsOf = ({ pair, side, cngnAmount, price }: SavedQuote): QuoteTerms => ({
  pair,
  side,
  cngnAmount,
  price,
});

/** Returns what is saved of a quote of the service; undefined if the unit of its figures is not known. */
function toSave({
  quote: { pair, side, cngnAmount, price, usdcAmount, usdtAmount, expiresAt },
}: QuoteData): SavedQuote | undefined {
  const amounts = { USDC: usdcAmount, USDT: usdtAmount } satisfies Record<Stablecoin, unknown>;
  const stablecoin = stablecoinIn(String(pair));
  const token = stablecoin && amounts[stablecoin];
  if (isUnknownFigure(token) || isUnknownFigure(cngnAmount) || isUnknownFigure(price)) return undefined;
  const more = { ...(typeof token === 'string' ? { tokenAmount: token } : {}), expiresAt: String(expiresAt) };
  return { pair: String(pair), side: String(side), cngnAmount: String(cngnAmount), price: String(price), ...more };
}

/** What a person sees of a trade on a quote before consent, and the balance that pays for it. The quote itself cannot be read again. */
export function quotedDeal(account: Account, terminal: Terminal, saved: SavedQuote | undefined) {
  const cngn = amountIn(saved?.cngnAmount, 'CNGN');
  const price = amountIn(saved?.price, 'CNGN');
  const side = SIDES.find((each) => each === saved?.side);
  if (!saved || !cngn || !price || !side)
    return { lines: [['amounts', 'unknown: the quote was requested elsewhere']] as readonly ShownLine[] };
  const { pair, tokenAmount, expiresAt = '' } = saved;
  const stablecoin = stablecoinIn(pair);
  const tokens = stablecoin && amountIn(tokenAmount, stablecoin);
  const until = timeText(expiresAt, { zone: terminal.globals.zone, nowMs: account.world.clock.now() });
  const isBuy = side === 'buy';
  const lines: readonly ShownLine[] = [
    ['pair', pair],
    [isBuy ? 'pays' : 'receives', amountForPeople(cngn)],
    ...(tokens ? [[isBuy ? 'receives' : 'pays', amountForPeople(tokens)] as const] : []),
    ['price', `${amountForPeople(price)} each`],
    ...(until ? [['valid until', until] as const] : []),
  ];
  const previews = () => readPreviews(() => balancePreview(account, pair, side, isBuy ? cngn : tokens));
  return { lines, previews, payer: previews };
}
