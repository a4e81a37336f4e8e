import { decimalText, scaledInteger, trimDecimal } from './decimal.ts';

/** Assets of the service and how many decimals each has. Source: interface (Amount units). */
export const DECIMALS = { NGN: 2, CNGN: 6, USDC: 6, USDT: 6 } as const;

export type Asset = keyof typeof DECIMALS;

/** The assets on a chain. Source: interface. */
export const TOKENS = ['CNGN', 'USDC', 'USDT'] as const;

export type Token = (typeof TOKENS)[number];

/** Money: an integer of the asset's smallest unit (kobo, or a millionth of a token). */
export interface Amount {
  readonly asset: Asset;
  readonly minor: bigint;
}

/** Ten thousand million Naira or tokens: more than any transfer, and far below the 2^63 of the ledger's integers, in cNGN too. */
const MAX_WHOLE = 10n ** 10n;

/** The largest single amount of an asset, in its smallest unit. */
export const MAX_MINOR = Object.fromEntries(
  Object.entries(DECIMALS).map(([asset, decimals]) => [asset, MAX_WHOLE * 10n ** BigInt(decimals)]),
) as Readonly<Record<Asset, bigint>>;

export class AmountError extends Error {
  override name = 'AmountError';
}

export function isAsset(text: string): text is Asset {
  return Object.hasOwn(DECIMALS, text);
}

export function amount(asset: Asset, minor: bigint): Amount {
  return { asset, minor };
}

/** `{asset: 'NGN', minor: 500000n}` to `5000.00`: every decimal of the asset. */
export function amountText(value: Amount): string {
  return decimalText(value.minor, DECIMALS[value.asset]);
}

/** How an asset is written for people. */
export const ASSET_LABEL: Record<Asset, string> = { NGN: 'NGN', CNGN: 'cNGN', USDC: 'USDC', USDT: 'USDT' };

/** For people: `₦5,000.00`, `1,299.97455 cNGN`: thousands grouped, at least two decimals. */
export function amountForPeople(value: Amount): string {
  const [whole = '0', fraction = ''] = trimDecimal(amountText(value)).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const figure = `${grouped}.${fraction.padEnd(2, '0')}`;
  if (value.asset !== 'NGN') return `${figure} ${ASSET_LABEL[value.asset]}`;
  return figure.startsWith('-') ? `-₦${figure.slice(1)}` : `₦${figure}`;
}

/** For people, in the smallest unit: `500,000 kobo`, `5,000,000,000 base units`. */
export function minorForPeople(value: Amount): string {
  const grouped = value.minor.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `${grouped} ${value.asset === 'NGN' ? 'kobo' : 'base units'}`;
}

const WRITTEN = /^(₦?)\s?((?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?)(?:\s?([A-Za-z]+))?$/;

/**
 * An amount as a person writes it, in `asset`. A bare number is whole Naira or whole tokens.
 * Understood: `5000`, `5,000.50`, `₦5000`, `5000 NGN`, `1.5 cNGN`, `50000 kobo`, `1500000 base`.
 * Throws AmountError with what to write instead.
 */
export function parseAmount(text: string, asset: Asset): Amount {
  const match = WRITTEN.exec(text.trim());
  const refuse = (why: string) => new AmountError(`${why}; write ${amountForm(asset)}`);
  if (!match) throw refuse(`"${printable(text)}" is not an amount of ${ASSET_LABEL[asset]}`);
  const [, naira, figure = '', fraction = '', word = ''] = match;
  const unit = word.toLowerCase();
  const isMinor = unit === (asset === 'NGN' ? 'kobo' : 'base');
  const isOwn = unit === '' || unit === asset.toLowerCase();
  if ((naira && asset !== 'NGN') || (naira && word) || (!isMinor && !isOwn)) {
    throw refuse(`"${printable(text)}" is not in ${ASSET_LABEL[asset]}`);
  }
  const scale = isMinor ? 0 : DECIMALS[asset];
  if (fraction.length > scale) {
    const most =
      scale === 0
        ? `decimals, and ${unit} has none`
        : `more than ${scale} decimals, the most ${unit || ASSET_LABEL[asset]} has`;
    throw refuse(`"${printable(text)}" has ${most}`);
  }
  const minor = scaledInteger(figure.replaceAll(',', ''), scale);
  if (minor === undefined) throw refuse(`"${printable(text)}" is not an amount of ${ASSET_LABEL[asset]}`);
  if (minor <= 0n) throw refuse('the amount must be above 0');
  if (minor > MAX_MINOR[asset]) {
    throw refuse(`the amount must be at most ${amountForPeople(amount(asset, MAX_MINOR[asset]))}`);
  }
  return amount(asset, minor);
}

/** The forms an amount option takes, for help and refusals. */
export function amountForm(asset: Asset): string {
  if (asset === 'NGN') return '5000, 5,000.50, ₦5000, "5000 NGN" or "500000 kobo"';
  return `5000, 1.5, "1.5 ${ASSET_LABEL[asset]}" or "1500000 base"`;
}

/** What a person typed, safe to print back: no control characters, no more than 60 characters. */
export function printable(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}]/gu, '?');
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean;
}
