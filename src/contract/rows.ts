import type * as z from 'zod/mini';
import { type FieldMeta, fieldMeta } from './fields.ts';

/** One field of a request or an answer, flat: `wallets[].balances.CNGN.balance`. */
export interface FieldRow extends FieldMeta {
  readonly name: string;
  readonly required: boolean;
  readonly nullable: boolean;
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodMiniType;
  readonly element?: z.ZodMiniType;
  readonly shape?: Record<string, z.ZodMiniType>;
}

function definitionOf(schema: z.ZodMiniType): Definition {
  return schema._zod.def as unknown as Definition;
}

/** A schema without the wrappers that only say it may be missing or null. */
export interface Unwrapped {
  readonly schema: z.ZodMiniType;
  readonly meta: FieldMeta | undefined;
  readonly required: boolean;
  readonly nullable: boolean;
}

export function unwrap(schema: z.ZodMiniType): Unwrapped {
  let inner = schema;
  let required = true;
  let nullable = false;
  for (;;) {
    const { type, innerType } = definitionOf(inner);
    if (!innerType || (type !== 'optional' && type !== 'nullable')) break;
    if (type === 'optional') required = false;
    else nullable = true;
    inner = innerType;
  }
  return { schema: inner, meta: fieldMeta.get(inner as never) as FieldMeta | undefined, required, nullable };
}

/** The fields of an object schema by name; undefined for any other schema. */
export function shapeOf(schema: z.ZodMiniType): Record<string, z.ZodMiniType> | undefined {
  return definitionOf(schema).shape;
}

/** The element of an array schema; undefined for any other schema. */
export function elementOf(schema: z.ZodMiniType): z.ZodMiniType | undefined {
  return definitionOf(schema).element;
}

/** Every field of a schema as a flat row, containers included, in the order of the contract. */
export function rowsOf(schema: z.ZodMiniType, prefix = ''): FieldRow[] {
  const shape = shapeOf(schema) ?? {};
  return Object.entries(shape).flatMap(([key, value]) => {
    const { schema: inner, meta, required, nullable } = unwrap(value);
    const name = prefix + key;
    const own = meta ? [{ ...meta, name, required, nullable }] : [];
    const element = elementOf(inner);
    if (element) return [...own, ...elementRow(element, name), ...rowsOf(element, `${name}[].`)];
    return [...own, ...rowsOf(inner, `${name}.`)];
  });
}

/** A list of texts or numbers has a row for what each of them is, where the contract says so. */
function elementRow(element: z.ZodMiniType, name: string): FieldRow[] {
  const { schema, meta, required, nullable } = unwrap(element);
  return meta && !shapeOf(schema) ? [{ ...meta, name: `${name}[]`, required, nullable }] : [];
}

/** The field of that name in an object's schema. */
export function fieldOf(schema: z.ZodMiniType, name: string): z.ZodMiniType | undefined {
  const shape = shapeOf(schema);
  return shape && Object.hasOwn(shape, name) ? shape[name] : undefined;
}
