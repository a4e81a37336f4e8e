import { balanceAddress } from '../../contract/endpoints/balances.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { fxSettings } from '../../contract/endpoints/fx-vault.ts';
import { MIN_CNGN, PAIRS, type Side } from '../../contract/fx.ts';
import { amountIn, givenAsset, stablecoinOf, wireDecimal } from '../../engine/fx-terms.ts';
import { accountBalance, balanceLine, type Line, readPreviews } from '../../engine/previews.ts';
import { type Amount, type Asset, amountForPeople } from '../../money/amount.ts';
import { fromWire } from '../../money/units.ts';
import type { Session } from '../../terminal/session.ts';

/** The balance available for trading: cNGN in the smart wallet, stablecoin in the vault's wallet. */
async function tradingBalance(session: Session, asset: Asset): Promise<Amount | undefined> {
  if (asset !== 'USDC' && asset !== 'USDT') return accountBalance(session, 'CNGN');
  const { data } = await session.call(fxSettings, {});
  const address = data.tokenWallets?.[asset];
  if (!address) return undefined;
  const held = await session.call(balanceAddress, { address, token: asset });
  return fromWire(held.data.totalBalance ?? '', 'token', asset);
}

/** The balance that pays for this side and, if `paid` is known, what remains of it. */
export async function balancePreview(
  session: Session,
  pair: string,
  side: Side,
  paid?: Amount,
): Promise<readonly Line[]> {
  const asset = givenAsset(side, pair);
  const held = await tradingBalance(session, asset);
  if (!held) return [];
  return [balanceLine(held, paid?.asset === asset ? -paid.minor : undefined, { isEstimate: asset !== 'CNGN' })];
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
): Promise<readonly Line[]> {
  const now = (await priced(session, pair, side, MIN_CNGN))?.price;
  if (!now) return [];
  const isWorse = side === 'buy' ? price.minor > now.minor : price.minor < now.minor;
  const words = `fx trades start --side ${side} gets ${amountForPeople(now)} now`;
  return [['market', isWorse ? `${words}, which is better; this order does not get that price` : words]];
}

/** Previews what a trade would return or cost now, and the balance that pays for it. */
export function dealPreview(session: Session, pair: string, side: Side, cngn: Amount): () => Promise<readonly Line[]> {
  return async () => {
    const deal = await priced(session, pair, side, cngn).catch(() => undefined);
    const words = deal && `${amountForPeople(deal.tokens)} at ${amountForPeople(deal.price)} each, at current prices`;
    const balance = await readPreviews(() => balancePreview(session, pair, side, side === 'buy' ? cngn : deal?.tokens));
    return [...(words ? [[side === 'buy' ? 'receives about' : 'costs about', words] as const] : []), ...balance];
  };
}
