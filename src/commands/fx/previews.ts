import { amountIn, givenAsset, stablecoinOf, wireDecimal } from '../../cli/fx-terms.ts';
import { accountBalance, balanceLine, type Line, readPreviews } from '../../cli/previews.ts';
import type { Session } from '../../cli/session.ts';
import { balanceAddress } from '../../contract/endpoints/balances.ts';
import { quote } from '../../contract/endpoints/fx-quotes.ts';
import { fxSettings } from '../../contract/endpoints/fx-vault.ts';
import { PAIRS, type Side } from '../../contract/fx.ts';
import { type Amount, type Asset, amountForPeople } from '../../money/amount.ts';
import { fromWire } from '../../money/units.ts';

/** What can be traded: cNGN from the smart wallet, stablecoin from the wallet of the vault. */
async function tradingBalance(session: Session, asset: Asset): Promise<Amount | undefined> {
  if (asset !== 'USDC' && asset !== 'USDT') return accountBalance(session, 'CNGN');
  const { data } = await session.call(fxSettings, {});
  const address = data.tokenWallets?.[asset];
  if (!address) return undefined;
  const held = await session.call(balanceAddress, { address, token: asset });
  return fromWire(held.data.totalBalance ?? '', 'token', asset);
}

/** What is there to pay with, for whoever takes this side; after `paid` of it, where that is known. */
export async function balancePreview(
  session: Session,
  pair: string,
  side: Side,
  paid?: Amount,
): Promise<readonly Line[]> {
  const asset = givenAsset(side, pair);
  const held = await tradingBalance(session, asset);
  if (!held) return [];
  return [balanceLine(held, paid?.asset === asset ? -paid.minor : undefined)];
}

/** What the book gives for so much cNGN now; undefined where a quote cannot be had, as for a pair of the market alone. */
async function priced(session: Session, pair: string, side: Side, cngn: Amount) {
  const asked = PAIRS.find((each) => each === pair);
  if (!asked) return undefined;
  const { data } = await session.call(quote, { pair: asked, side, cngnAmount: wireDecimal(cngn) });
  const price = amountIn(data.quote.price, 'CNGN');
  const tokens = amountIn(data.quote.usdcAmount ?? data.quote.usdtAmount, stablecoinOf(pair));
  return price && tokens && { price, tokens };
}

/** What a trade would give or cost now, and what is there to pay for it. */
export function dealPreview(session: Session, pair: string, side: Side, cngn: Amount): () => Promise<readonly Line[]> {
  return async () => {
    const deal = await priced(session, pair, side, cngn).catch(() => undefined);
    const words =
      deal && `${amountForPeople(deal.tokens)} at ${amountForPeople(deal.price)} each, as the book stands now`;
    const balance = await readPreviews(() => balancePreview(session, pair, side, side === 'buy' ? cngn : deal?.tokens));
    return [...(words ? [[side === 'buy' ? 'gets about' : 'costs about', words] as const] : []), ...balance];
  };
}
