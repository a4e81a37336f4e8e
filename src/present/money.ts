import type { FieldMeta } from '../contract/fields.ts';
import {
  ASSET_LABEL,
  type Asset,
  amountForPeople,
  isAsset,
  isStatedAsset,
  STATED_DECIMALS,
  type StatedAsset,
} from '../money/amount.ts';
import { decimalText, isWireNumber, scaledInteger, trimDecimal, wireNumberText } from '../money/decimal.ts';
import { isUnknownFigure, type MoneyUnit } from '../money/units.ts';

/**
 * An amount as printed, with all decimals of the asset, whatever its wire unit: `{value: '5000.00', asset: 'NGN'}`. The asset
 * is null if nothing names it. With an unknown unit, the value is as it was sent, and the asset may be missing.
 */
export interface PlainAmount {
  readonly value: string;
  readonly asset?: StatedAsset | null;
  readonly unit?: 'unknown';
}

type Fields = Readonly<Record<string, unknown>>;

const AMOUNT_FIELDS: ReadonlySet<string> = new Set(['value', 'asset', 'unit']);

export function isPlainAmount(value: unknown): value is PlainAmount {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { value: text, asset, unit } = value as Fields;
  if (typeof text !== 'string' || !Object.keys(value).every((name) => AMOUNT_FIELDS.has(name))) return false;
  const isAsset = asset === null || (typeof asset === 'string' && isStatedAsset(asset));
  return unit === 'unknown' ? isAsset || asset === undefined : isAsset && unit === undefined;
}

/** Formats a printed amount for people: `₦5,000.00`. A value that is no exact amount of the asset keeps its digits. */
export function amountWords({ value, asset, unit }: PlainAmount): string {
  if (unit !== undefined) return `${value} (unit unknown${asset ? `, ${ASSET_LABEL[asset]}` : ''})`;
  if (!asset) return `${value} (asset unknown)`;
  const minor = scaledInteger(value, STATED_DECIMALS[asset]);
  return minor === undefined ? `${value} ${ASSET_LABEL[asset]}` : amountForPeople({ asset, minor });
}

/**
 * Converts the value of a money field; undefined if it is neither a number nor text. Text that is not a number, such as a
 * masked amount, is kept. `around` are the objects that may name the asset, outermost first.
 */
export function moneyOf(
  value: unknown,
  { unit, asset: rule }: FieldMeta,
  around: readonly unknown[],
): PlainAmount | undefined {
  if (unit === undefined || unit === 'percent') return undefined;
  if (isUnknownFigure(value)) return { value: value.value, unit: 'unknown' };
  if (typeof value !== 'string' && !isWireNumber(value)) return undefined;
  const text = typeof value === 'string' ? value : wireNumberText(value);
  return inWholeUnits(text, unit, assetOf(rule, around));
}

/** The decimal places between a wire unit and whole Naira or tokens. */
const SHIFT: Readonly<Record<MoneyUnit, number>> = { naira: 0, kobo: 2, token: 0, base: 6, 'decimal-string': 0 };

/** More decimals than any amount has. */
const FINEST = 40;

function inWholeUnits(text: string, unit: MoneyUnit, asset: StatedAsset | null): PlainAmount {
  const shift = SHIFT[unit];
  const decimals = asset === null ? shift : STATED_DECIMALS[asset];
  const minor = scaledInteger(text, decimals - shift);
  if (minor !== undefined) return { value: decimalText(minor, decimals), asset };
  const finer = scaledInteger(text, FINEST);
  if (finer === undefined) return { value: text, asset };
  // A base unit cannot be divided, so a fraction of one was sent in another unit.
  if (unit === 'base') return { value: text, asset, unit: 'unknown' };
  return { value: trimDecimal(decimalText(finer, FINEST + shift)), asset };
}

/** Returns the asset of a money field, as the nearest object around it names it; null if none does. */
function assetOf(rule: FieldMeta['asset'], around: readonly unknown[]): StatedAsset | null {
  if (rule === undefined || typeof rule === 'string') return rule ?? null;
  const nearest = (field: string) => nearestText(field, around);
  if ('field' in rule) return assetIn(nearest(rule.field)) ?? rule.byDefault ?? null;
  const stablecoin = assetIn(nearest('pair')?.split('-')[1]);
  if (rule.leg === 'stablecoin') return stablecoin ?? null;
  const side = nearest('side')?.toLowerCase();
  if (side !== 'buy' && side !== 'sell') return null;
  return (side === 'buy') === (rule.leg === 'offered') ? 'CNGN' : (stablecoin ?? null);
}

function assetIn(ticker: string | undefined): Asset | undefined {
  const symbol = ticker?.toUpperCase() ?? '';
  return isAsset(symbol) ? symbol : undefined;
}

/** Returns the text of a field in the nearest object that has it. */
function nearestText(field: string, around: readonly unknown[]): string | undefined {
  for (const object of around.toReversed()) {
    if (typeof object !== 'object' || object === null || !Object.hasOwn(object, field)) continue;
    const text = (object as Fields)[field];
    if (typeof text === 'string') return text;
  }
  return undefined;
}
