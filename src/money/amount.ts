import {
  decimalText,
  grouped,
  scaledInteger,
  trimDecimal,
  type WireNumber,
  wireNumber,
  wireNumberText,
} from './decimal.ts';

/** The service's assets and their number of decimals. Source: interface (Amount units). */
export const DECIMALS = { NGN: 2, CNGN: 6, USDC: 6, USDT: 6 } as const;

export type Asset = keyof typeof DECIMALS;

/** The tokens that are traded for cNGN. Source: interface. */
export const STABLECOINS = ['USDC', 'USDT'] as const;

export type Stablecoin = (typeof STABLECOINS)[number];

export const isStablecoin = (text: string): text is Stablecoin => STABLECOINS.some((each) => each === text);

/**
 * The on-chain assets. Source: interface. The compiler asks for most of what another one needs, such as its decimals, its name, its column in the vault and
 * its field of a quote. It does not ask for: its pair (`PAIRS` in contract/fx.ts); what the contract and the columns of lists name token by token
 * (search for `usdt` in any case), also `quoteCurrency` of an order; the CHECK of an account's asset in service/schema/schema.ts; the assets of
 * account/rules.ts and kits/operations.ts; "CNGN, USDC or USDT" in help. Sums, prices and requests count on 6 decimals.
 */
export const TOKENS = ['CNGN', ...STABLECOINS] as const;

export type Token = (typeof TOKENS)[number];

/** An amount of money in the asset's smallest unit (kobo, or a millionth of a token). */
export interface Amount {
  readonly asset: Asset;
  readonly minor: bigint;
}

/** What responses state amounts in. US dollars occur in settings and statistics only; no account holds them. */
export const STATED_DECIMALS = { ...DECIMALS, USD: 2 } as const;

export type StatedAsset = keyof typeof STATED_DECIMALS;

/** An amount in a response; like Amount, but US dollars are possible. */
interface StatedAmount {
  readonly asset: StatedAsset;
  readonly minor: bigint;
}

/** 10 billion Naira or tokens: more than any transfer, and far below the ledger's 2^63 limit even in base units. */
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

/** Formats an amount with all decimals of its asset: `5000.00`. */
export function amountText(value: StatedAmount): string {
  return decimalText(value.minor, STATED_DECIMALS[value.asset]);
}

/** The display name of an asset. */
export const ASSET_LABEL: Record<StatedAsset, string> = {
  NGN: 'NGN',
  CNGN: 'cNGN',
  USDC: 'USDC',
  USDT: 'USDT',
  USD: 'US dollars',
};

/** The sign of a currency, written in front of the figure. */
const CURRENCY_SIGN: Partial<Record<StatedAsset, string>> = { NGN: '₦', USD: '$' };

/** Formats an amount for people, with thousands separators and at least two decimals: `₦5,000.00`, `1,299.97455 cNGN`. */
export function amountForPeople(value: StatedAmount): string {
  const [whole = '0', fraction = ''] = trimDecimal(amountText(value)).split('.');
  const figure = `${grouped(whole)}.${fraction.padEnd(2, '0')}`;
  const sign = CURRENCY_SIGN[value.asset];
  if (sign === undefined) return `${figure} ${ASSET_LABEL[value.asset]}`;
  return figure.startsWith('-') ? `-${sign}${figure.slice(1)}` : sign + figure;
}

/** Formats an amount for people in its smallest unit: `500,000 kobo`, `5,000,000,000 base units`. */
export function minorForPeople(value: Amount): string {
  return `${grouped(value.minor)} ${value.asset === 'NGN' ? 'kobo' : 'base units'}`;
}

const AMOUNT = /^(₦?)\s?((?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?)(?:\s?([A-Za-z]+))?$/;

/** How a message names the asset of an amount. */
interface AssetWords {
  readonly amount: string;
  readonly of: string;
  readonly has: string;
  /** The largest amount. */
  most(): string;
}

const wordsOf = (asset: Asset): AssetWords => ({
  amount: `${ASSET_LABEL[asset]} amount`,
  of: ASSET_LABEL[asset],
  has: `${ASSET_LABEL[asset]} has`,
  most: () => amountForPeople(amount(asset, MAX_MINOR[asset])),
});

/** For a token that is not known yet. */
export const ANY_TOKEN_WORDS: AssetWords = {
  amount: 'token amount',
  of: 'CNGN, USDC or USDT',
  has: 'tokens have',
  most: () => `${grouped(MAX_WHOLE)} tokens`,
};

/**
 * Parses an amount of `asset` as a person writes it. A bare number means whole Naira or whole tokens.
 * Accepts `5000`, `5,000.50`, `₦5000`, `5000 NGN`, `1.5 cNGN`, `50000 kobo`, `1500000 base`.
 * Throws AmountError, whose message lists the accepted forms if the amount has none of them.
 */
export function parseAmount(text: string, asset: Asset, words: AssetWords = wordsOf(asset)): Amount {
  const match = AMOUNT.exec(text.trim());
  const invalid = (reason: string) => new AmountError(`${reason}; write ${amountForm(asset)}`);
  const typed = () => `"${printable(text)}"`;
  if (!match) throw invalid(`invalid ${words.amount} ${typed()}`);
  const [, naira, figure = '', fraction = '', word = ''] = match;
  const unit = word.toLowerCase();
  const isMinor = unit === (asset === 'NGN' ? 'kobo' : 'base');
  const isOwn = unit === '' || unit === asset.toLowerCase();
  if ((naira && asset !== 'NGN') || (naira && word) || (!isMinor && !isOwn)) {
    throw invalid(`expected an amount in ${words.of}, not ${typed()}`);
  }
  const scale = isMinor ? 0 : DECIMALS[asset];
  if (fraction.length > scale) {
    const limit = scale === 0 ? `${unit} amounts have no decimals` : `${words.has} at most ${scale}`;
    throw invalid(`too many decimals in ${typed()}; ${limit}`);
  }
  const minor = scaledInteger(figure.replaceAll(',', ''), scale);
  if (minor === undefined) throw invalid(`invalid ${words.amount} ${typed()}`);
  if (minor <= 0n) throw new AmountError('the amount must be greater than 0');
  if (minor > MAX_MINOR[asset]) {
    throw new AmountError(`the amount must be at most ${words.most()}`);
  }
  return amount(asset, minor);
}

/** Returns examples of the accepted amount forms, for help and error messages. */
export function amountForm(asset: Asset): string {
  if (asset === 'NGN') return '5000, 5,000.50, ₦5000, "5000 NGN" or "500000 kobo"';
  return `5000, 1.5, "1.5 ${ASSET_LABEL[asset]}" or "1500000 base"`;
}

/** Makes user input safe to print: control characters are replaced, and text is cut after 60 characters. */
export function printable(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}]/gu, '?');
  return clean.length > 60 ? `${clean.slice(0, 60)}…` : clean;
}

/** cNGN is redeemed for Naira at 1:1, so a limit of either counts both. Source: interface. */
const NAIRA: readonly Asset[] = ['NGN', 'CNGN'];

/** Returns the assets that are counted together with an asset, itself included. */
export const countedWith = (asset: Asset): readonly Asset[] => (NAIRA.includes(asset) ? NAIRA : [asset]);

/** The decimals of a sum: those of tokens, which are the most, so that adding and comparing never rounds. */
const SUM_DECIMALS = DECIMALS.CNGN;

const perMinor = (asset: Asset): bigint => 10n ** BigInt(SUM_DECIMALS - DECIMALS[asset]);

/** Returns an amount in millionths of a Naira or token, in which Naira and cNGN can be added and compared. */
export const millionthsOf = ({ asset, minor }: Amount): bigint => minor * perMinor(asset);

/** Returns what is left for a spender in an asset, rounded down; 0 if nothing is. */
export const leftIn = (asset: Asset, millionths: bigint): Amount => ({
  asset,
  minor: millionths > 0n ? millionths / perMinor(asset) : 0n,
});

/**
 * How an amount is written on the wire. Source: interface (Amount units) and the contract's field rows.
 * naira: a number of Naira. kobo: an integer. token: a number or string of tokens.
 * base: an integer of millionths of a token. decimal-string: a string of tokens (or Naira) with all decimals.
 */
export type MoneyUnit = 'naira' | 'kobo' | 'token' | 'base' | 'decimal-string';

/** Returns the number of decimals a wire unit allows: 0 if the wire unit is the smallest unit. */
function wireScale(unit: MoneyUnit, asset: Asset): number {
  return isSmallest(unit) ? 0 : DECIMALS[asset];
}

/** Formats an amount in its wire unit: `5000.00` Naira, `500000` kobo, `1.500000` tokens, `1500000` base. */
export function toWireText(value: Amount, unit: MoneyUnit): string {
  return decimalText(value.minor, wireScale(unit, value.asset));
}

/** Converts an amount to an exact JSON number in its wire unit. */
export function toWireNumber(value: Amount, unit: MoneyUnit): WireNumber {
  return wireNumber(toWireText(value, unit));
}

/**
 * Parses an amount in its wire unit; undefined if it is not a number, is finer than the asset's smallest unit, or is a figure
 * of a response whose unit or asset is not known.
 */
export function fromWire(
  value: WireNumber | string | UnknownFigure,
  unit: MoneyUnit,
  asset: Asset,
): Amount | undefined {
  if (isUnknownFigure(value)) return undefined;
  const text = typeof value === 'string' ? value : wireNumberText(value);
  const minor = scaledInteger(text, wireScale(unit, asset));
  return minor === undefined ? undefined : { asset, minor };
}

/** Formats an amount in its wire unit for people: `5000 naira`, `500000 kobo`. */
export function wireForPeople(value: Amount, unit: MoneyUnit): string {
  const text = trimDecimal(toWireText(value, unit));
  const isToken = unit === 'token' || unit === 'decimal-string';
  return `${text} ${isToken && text !== '1' ? 'tokens' : isToken ? 'token' : unit}`;
}

/** Whether a wire unit is the smallest unit of its asset, which nothing divides. */
export const isSmallest = (unit: MoneyUnit): boolean => unit === 'kobo' || unit === 'base';

const [WHOLE, DECIMAL] = [/^-?(0|[1-9]\d*)$/, /^-?(0|[1-9]\d*)(\.\d+)?$/];

/** 0 is 0 in every unit. */
export const isZero = (text: string): boolean => /^-?0+(\.0+)?$/.test(text);

/**
 * Whether a figure of a response can be in its documented unit. Whoever counts kobo or base units writes no decimal point,
 * whatever the digits after it are; and a text with separators or an exponent is none that the service documents.
 */
export function isInUnit(value: WireNumber | string, unit: MoneyUnit): boolean {
  const text = typeof value === 'string' ? value : wireNumberText(value);
  if (isZero(text)) return true;
  if (isSmallest(unit)) return WHOLE.test(text);
  return typeof value === 'string' ? DECIMAL.test(text) : true;
}

/**
 * A figure of a response whose unit is not known, or whose asset, or neither. It is printed as it came, and is no number to
 * compute with.
 */
export interface UnknownFigure {
  readonly value: string;
  readonly unit?: 'unknown';
  readonly asset?: null;
}

export function isUnknownFigure(value: unknown): value is UnknownFigure {
  if (typeof value !== 'object' || value === null) return false;
  const { value: text, unit, asset } = value as { readonly [name in keyof UnknownFigure]: unknown };
  return typeof text === 'string' && (unit === 'unknown' || (asset === null && unit === undefined));
}

/** Words for an asset that are not its symbol. */
const NAMES: Readonly<Record<string, StatedAsset>> = { NAIRA: 'NGN', '₦': 'NGN', $: 'USD' };

/** Returns the asset that a text names, in whatever case; undefined if it names none of the service's. */
export function assetNamed(text: unknown): StatedAsset | undefined {
  const word = typeof text === 'string' ? text.trim().toUpperCase() : '';
  if (Object.hasOwn(STATED_DECIMALS, word)) return word as StatedAsset;
  return Object.hasOwn(NAMES, word) ? NAMES[word] : undefined;
}
