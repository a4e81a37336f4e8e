import type { Endpoint } from '../../contract/endpoint.ts';
import { DECIMALS, isAsset } from '../../money/amount.ts';
import { scaledInteger } from '../../money/decimal.ts';
import { isPlainAmount } from '../../present/money.ts';
import { isPlainObject, type Plain, toPlain } from '../../present/plain.ts';
import type { PlannedAmount } from './plan.ts';

/** Returns the exact amounts in a request, in the contract’s units: also a price per token, and both limits of an order. */
export function amountsIn(endpoint: Pick<Endpoint, 'request'>, input: unknown): PlannedAmount[] {
  return amountsOf(toPlain(input, endpoint.request()), '');
}

function amountsOf(value: Plain, field: string): PlannedAmount[] {
  if (isPlainAmount(value)) {
    const { value: text, asset, unit } = value;
    if (unit !== undefined || !asset || !isAsset(asset)) return [];
    const minor = scaledInteger(text, DECIMALS[asset]);
    return minor === undefined ? [] : [{ field, asset, value: text, minor: String(minor) }];
  }
  if (Array.isArray(value)) return value.flatMap((each, index) => amountsOf(each, `${field}[${index}]`));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => amountsOf(each, field ? `${field}.${name}` : name));
}
