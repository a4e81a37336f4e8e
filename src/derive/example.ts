import type * as z from 'zod/mini';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { type Asset, amount, DECIMALS } from '../money/amount.ts';
import { toWireNumber, toWireText } from '../money/units.ts';
import { valuesOf } from './describe.ts';

/** Example values by the name of a field, where a text that only looks like one would mislead. */
const BY_NAME: readonly (readonly [name: RegExp, value: string])[] = [
  [/^(firstName)$/, 'Ada'],
  [/^(lastName)$/, 'Okafor'],
  [/accountName|^name$/i, 'ADA OKAFOR'],
  [/accountNumber/i, '0123456789'],
  [/bankCode/i, '000013'],
  [/bankName/i, 'EXAMPLE BANK'],
  [/^(ticker|currency|sellToken|buyToken|token|targetAsset)$/, 'CNGN'],
  [/network/i, 'base'],
  [/address|wallet$/i, `0x${'ab'.repeat(20)}`],
  [/hash/i, `0x${'cd'.repeat(32)}`],
  [/url/i, 'https://example.com/'],
];

/** How much an example moves: 5,000 units. */
const WHOLE = 5_000n;

/** Returns a value that a schema accepts. `nowMs` is the time in it, in milliseconds since the epoch. */
export function exampleOf(schema: z.ZodMiniType, nowMs: number, name = ''): unknown {
  const { schema: inner, meta } = unwrap(schema);
  const shape = shapeOf(inner);
  if (shape)
    return Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, exampleOf(value, nowMs, key)]));
  const element = elementOf(inner);
  if (element) return [exampleOf(element, nowMs, name)];
  if (!meta) return 'example';
  const { type, unit, asset } = meta;
  const [first] = valuesOf(meta) ?? [];
  if (first !== undefined) return first;
  if (unit !== undefined && unit !== 'percent') {
    const known: Asset = typeof asset === 'string' && asset !== 'USD' ? asset : 'CNGN';
    const value = amount(known, WHOLE * 10n ** BigInt(DECIMALS[known]));
    return type === 'string' ? toWireText(value, unit) : toWireNumber(value, unit);
  }
  if (type === 'datetime') return new Date(nowMs).toISOString();
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? `example-${name || 'text'}`;
}
