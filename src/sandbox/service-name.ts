import type * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.ts';
import { PLATFORM } from '../contract/paths.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { isJsonObject } from '../money/decimal.ts';

/** The owner of a wallet that the service itself holds, without a name and with one. Source: public. */
const MANAGED = 'service-managed';
const managedBy = (serviceName: string) => `${serviceName}-managed`;

/**
 * Returns a function that gives the fields of an answer that are named after the service the service's own name:
 * `acmeFeePercentage` for `platformFeePercentage`. What the contract does not know is the fintech's own, and stays.
 */
export function createNaming(serviceName: string): (endpoint: Endpoint, data: unknown) => unknown {
  const nameOf = (field: string) =>
    field.startsWith(`${PLATFORM}Fee`) ? serviceName + field.slice(PLATFORM.length) : field;
  const named = (schema: z.ZodMiniType, value: unknown): unknown => {
    const { schema: inner } = unwrap(schema);
    const element = elementOf(inner);
    if (element && Array.isArray(value)) return value.map((each) => named(element, each));
    const shape = shapeOf(inner);
    if (!shape || !isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, each]) => {
        if (field === 'owner' && each === MANAGED) return [field, managedBy(serviceName)];
        const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
        return known ? [nameOf(field), named(known, each)] : [field, each];
      }),
    );
  };
  return (endpoint, data) => (endpoint.area === 'control' ? data : named(endpoint.response(), data));
}
