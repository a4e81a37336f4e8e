import type { QuoteTerms, SavedQuote } from '../../account/saved-quotes.ts';
import { CliError } from '../../base/errors.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { fxSettings } from '../../contract/endpoints/fx-vault.ts';
import { MIN_CNGN, PAIRS, SIDES, type Side } from '../../contract/fx.ts';
import { amountIn, stablecoinOf, wireDecimal } from '../../engine/fx-terms.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import {
  accountBalance,
  balanceLine,
  PREVIEW_READ,
  paidFrom,
  readPreviews,
  type Stated,
  walletBalance,
} from '../../engine/previews.ts';
import { type Amount, type Asset, amountForPeople, isUnknownFigure } from '../../money/amount.ts';
import { timeText } from '../../present/times.ts';
import type { Session } from '../../terminal/session.ts';

/** The balance available for trading: cNGN in the smart wallet, stablecoin in the vault's wallet. */
async function tradingBalance(session: Session, asset: Asset): Promise<Stated | undefined> {
  if (asset !== 'USDC' && asset !== 'USDT') return accountBalance(session, 'CNGN', 'base');
  const address = (await session.call(fxSettings, {}, PREVIEW_READ)).data.tokenWallets?.[asset];
  return address ? walletBalance(session, address, asset, 'base') : undefined;
}

/** Reads the cNGN that pays for a purchase. What pays for a sale takes two requests to read, so that the service decides about it. */
export function purchasePayer(session: Session, side: Side | undefined, paid: Amount | undefined) {
  return side === 'buy' && paid ? { payer: paidFrom(() => accountBalance(session, 'CNGN', 'base'), paid) } : {};
}

/** The asset that an account on this side of a trade pays. */
function givenAsset(wanted: Side, text: string): Asset {
  return wanted === 'buy' ? 'CNGN' : stablecoinOf(text);
}

/** The balance that pays for this side and, if `paid` is known, what remains of it. */
export async function balancePreview(
  session: Session,
  pair: string,
  side: Side,
  paid?: Amount,
  isEstimate = false,
): Promise<readonly ShownLine[]> {
  const asset = givenAsset(side, pair);
  const held = await tradingBalance(session, asset);
  if (!held) return [];
  return [balanceLine(held, paid?.asset === asset ? -paid.minor : undefined, isEstimate ? { isEstimate } : {})];
}

/** Quotes an amount of cNGN; undefined for a pair that cannot be quoted, such as the market-only pair CNGN. */
async function priced(session: Session, pair: string, side: Side, cngn: Amount) {
  const quotable = PAIRS.find((each) => each === pair);
  if (!quotable) return undefined;
  const { data } = await session.call(quote, { pair: quotable, side, cngnAmount: wireDecimal(cngn) });
  const price = amountIn(data.quote.price, 'CNGN');
  const tokens = amountIn(data.quote.usdcAmount ?? data.quote.usdtAmount, stablecoinOf(pair));
  return price && tokens && { price, tokens };
}

/** Compares an order's price with the price that a trade gets now, because the service does not match resting orders with each other. */
export async function marketPreview(
  session: Session,
  pair: string,
  side: Side,
  price: Amount,
): Promise<readonly ShownLine[]> {
  const now = (await priced(session, pair, side, MIN_CNGN))?.price;
  if (!now) return [];
  const isWorse = side === 'buy' ? price.minor > now.minor : price.minor < now.minor;
  const words = `fx trades start --side ${side} gets ${amountForPeople(now)} now`;
  return [['market', isWorse ? `${words}, which is better; this order does not get that price` : words]];
}

/** Previews what a trade would return or cost now, and the balance that pays for it. */
export function dealPreview(
  session: Session,
  pair: string,
  side: Side,
  cngn: Amount,
): () => Promise<readonly ShownLine[]> {
  return async () => {
    const deal = await priced(session, pair, side, cngn).catch(() => undefined);
    const words = deal && `${amountForPeople(deal.tokens)} at ${amountForPeople(deal.price)} each, at current prices`;
    const balance = await readPreviews(() =>
      balancePreview(session, pair, side, side === 'buy' ? cngn : deal?.tokens, side === 'sell'),
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
  readonly terms: QuoteTerms;
  readonly lines: readonly ShownLine[];
}

/**
 * Gets a quote for a deal with a limit of its price, so that the price cannot move before the trade. Undefined for a deal without a
 * limit. Throws CliError usage, and declined if the price is beyond the limit.
 */
export async function quoteWithin(session: Session, deal: LimitedDeal): Promise<LimitedQuote | undefined> {
  const { pair, side, amount, maxPrice, minPrice } = deal;
  const limit = maxPrice ?? minPrice;
  if (!limit) return undefined;
  const flag = maxPrice ? '--max-price' : '--min-price';
  const wanted = maxPrice ? 'buy' : 'sell';
  if (!pair || !amount || side !== wanted || (maxPrice && minPrice))
    throw new CliError('usage', `${flag} needs --pair, --amount and --side ${wanted}`, {
      hint: 'a quote or an order has its own price',
    });
  if (session.planMode())
    throw new CliError('usage', `${flag} cannot be combined with --plan, because a quote is valid for 5 minutes`, {
      hint: 'omit one of them',
    });
  const request = { pair, side, cngnAmount: wireDecimal(amount) };
  const { data } = await session.call(quote, request, { isBeforehand: true });
  const price = amountIn(data.quote.price, 'CNGN');
  const saved = toSave(data);
  if (!price || !saved || !data.quote.quoteId)
    throw new CliError('network', 'the quote has no price that can be compared; nothing was sent', {
      code: 'UNUSABLE_ANSWER',
      hint: 'see it with: fiatrail fx quote',
    });
  const isBeyond = maxPrice ? price.minor > limit.minor : price.minor < limit.minor;
  if (isBeyond)
    throw new CliError(
      'declined',
      `the price is ${amountForPeople(price)}, ${maxPrice ? 'above' : 'below'} ${flag} ${amountForPeople(limit)}; nothing was sent`,
      { code: 'PRICE_LIMIT', hint: 'run it again later, or leave an order at your price: fiatrail fx orders add' },
    );
  return {
    quoteId: data.quote.quoteId,
    terms: quoteTermsOf(saved),
    lines: [['price', `${amountForPeople(price)} each, fixed by quote ${data.quote.quoteId}`]],
  };
}

/** Returns the terms of a quote as a trade says them. */
export const quoteTermsOf = ({ pair, side, cngnAmount, price }: SavedQuote): QuoteTerms => ({
  pair,
  side,
  cngnAmount,
  price,
});

/** Returns what is saved of a quote of the service; undefined if the unit of its figures is not known. */
export function toSave({
  quote: { pair, side, cngnAmount, price, usdcAmount, usdtAmount, expiresAt },
}: Pick<ResponseOf<typeof quote>, 'quote'>): SavedQuote | undefined {
  const token = usdcAmount ?? usdtAmount;
  if (isUnknownFigure(token) || isUnknownFigure(cngnAmount) || isUnknownFigure(price)) return undefined;
  const more = { ...(typeof token === 'string' ? { tokenAmount: token } : {}), expiresAt: String(expiresAt) };
  return { pair: String(pair), side: String(side), cngnAmount: String(cngnAmount), price: String(price), ...more };
}

/** What a person sees of a trade on a quote before consent, and the balance that pays for it. The quote itself cannot be read again. */
export function quotedDeal(session: Session, saved: SavedQuote | undefined) {
  const cngn = amountIn(saved?.cngnAmount, 'CNGN');
  const price = amountIn(saved?.price, 'CNGN');
  const side = SIDES.find((each) => each === saved?.side);
  if (!saved || !cngn || !price || !side)
    return { lines: [['figures', 'not known: this machine did not get the quote']] as readonly ShownLine[] };
  const { pair, tokenAmount, expiresAt = '' } = saved;
  const tokens = amountIn(tokenAmount, stablecoinOf(pair));
  const until = timeText(expiresAt, { zone: session.globals.zone, nowMs: session.world.clock.now() });
  const isBuy = side === 'buy';
  const lines: readonly ShownLine[] = [
    ['pair', pair],
    [isBuy ? 'pays' : 'receives', amountForPeople(cngn)],
    ...(tokens ? [[isBuy ? 'receives' : 'pays', amountForPeople(tokens)] as const] : []),
    ['price', `${amountForPeople(price)} each`],
    ...(until ? [['valid until', until] as const] : []),
  ];
  const previews = () => readPreviews(() => balancePreview(session, pair, side, isBuy ? cngn : tokens));
  return { lines, previews, ...purchasePayer(session, side, cngn) };
}
