import { CliError } from '../base/errors.ts';
import { hasSmallOrder } from '../crypto/small-order.ts';
import {
  type Amount,
  AmountError,
  type Asset,
  amount,
  amountForPeople,
  parseAmount,
  printable,
  TOKENS,
} from '../money/amount.ts';
import type { SignAbove } from './stored-profile.ts';

/** Letters, digits, dots, hyphens and underscores; one person has one spelling. */
export function operatorName(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(text)) return text;
  throw new CliError('usage', `invalid operator name "${text.slice(0, 60)}"`, {
    hint: 'use 1 to 40 letters, digits, dots, hyphens or underscores, starting with a letter or digit',
  });
}

/** Parses a public key. Throws CliError usage. */
export function operatorKey(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) {
    if (!hasSmallOrder(text)) return text.toLowerCase();
    throw new CliError('usage', 'invalid public key: it is of small order, so anybody could sign with it', {
      hint: 'give the public key that fiatrail profiles operators add NAME --generate printed',
    });
  }
  throw new CliError('usage', `invalid public key: expected 64 hexadecimal digits, got ${text.length} characters`, {
    hint: 'give the public key that fiatrail profiles operators add NAME --generate printed',
  });
}

/** Parses an amount above which a signature is needed: `NGN 1000000`, `₦1,000,000`, `1000 USDC`. It must name its asset. Throws CliError usage. */
export function signAboveFrom(typed: string): SignAbove {
  const text = typed.trim().replace(/^(ngn|cngn|usdc|usdt)\s+(\d\S*)$/i, '$2 $1');
  const asset = assetNamedIn(text);
  try {
    if (asset === undefined) throw new AmountError('it does not say of what');
    const isZero = /^(₦\s*0|0\s*[a-z]+)$/i.test(text);
    return { asset, minor: isZero ? '0' : String(parseAmount(text, asset).minor) };
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    throw new CliError('usage', `invalid amount "${printable(typed)}": ${error.message}`, {
      code: 'VALIDATION_ERROR',
      hint: 'write it with its asset, such as "NGN 1000000" or "USDC 500"; NGN 0 means every amount',
    });
  }
}

function assetNamedIn(text: string): Asset | undefined {
  if (/₦|naira|kobo/i.test(text)) return 'NGN';
  return (['NGN', ...TOKENS] as const).find((asset) => new RegExp(`[\\d\\s]${asset}$`, 'i').test(text));
}

/** Returns limits with others in the place of those of the same asset, in a fixed order. */
export function withSignAbove(current: readonly SignAbove[], given: readonly SignAbove[]): SignAbove[] {
  const all = new Map([...current, ...given].map((each) => [each.asset, each]));
  return [...all.values()].sort((a, b) => (a.asset < b.asset ? -1 : 1));
}

export const limitOf = ({ asset, minor }: SignAbove): Amount => amount(asset, BigInt(minor));

/** Returns limits as people write amounts; null if there are none. */
export function signAboveWords(limits: readonly SignAbove[] = []): string[] | null {
  return limits.length === 0 ? null : limits.map((limit) => amountForPeople(limitOf(limit)));
}
