import type * as z from 'zod/mini';
import type { FieldMeta } from '../contract/fields.ts';
import { fieldOf, unwrap } from '../contract/rows.ts';
import { type Asset, DECIMALS, MAX_MINOR } from '../money/amount.ts';
import { isWireNumber, scaledInteger, wireNumberText } from '../money/decimal.ts';
import { fromWire, wireForPeople } from '../money/units.ts';

/**
 * Returns what a refused amount would have to be, to append to the message: `; at most 2 decimals are allowed`. Empty if the field is
 * not an amount, or if its value is neither too fine nor too large.
 */
export function amountHint(schema: z.ZodMiniType, input: unknown, field: string): string {
  const found = fieldAt(schema, input, field);
  const { unit, asset: rule } = found?.meta ?? {};
  // US dollars have a pattern of their own.
  if (!unit || unit === 'percent' || rule === undefined || rule === 'USD') return '';
  const asset: Asset = typeof rule === 'string' ? rule : 'CNGN';
  const text = isWireNumber(found?.value) ? wireNumberText(found?.value) : found?.value;
  // Of a text that is not a number, there is nothing to add.
  if (typeof text !== 'string' || scaledInteger(text, MAX_SCALE) === undefined) return '';
  const parsed = fromWire(text, unit, asset);
  if (!parsed)
    return unit === 'kobo' || unit === 'base'
      ? `; the number of ${unit === 'base' ? 'base units' : unit} must be whole`
      : `; at most ${DECIMALS[asset]} decimals are allowed`;
  const max = { asset, minor: MAX_MINOR[asset] };
  return parsed.minor > max.minor ? `; the maximum is ${wireForPeople(max, unit)}` : '';
}

/** No number within a body has more decimals than this and an exponent of three digits. */
const MAX_SCALE = 5_000;

function fieldAt(
  schema: z.ZodMiniType,
  input: unknown,
  field: string,
): { readonly meta: FieldMeta | undefined; readonly value: unknown } | undefined {
  let at: z.ZodMiniType | undefined = schema;
  let value = input;
  for (const name of field.split('.')) {
    at = at && fieldOf(unwrap(at).schema, name);
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  return at && { meta: unwrap(at).meta, value };
}
