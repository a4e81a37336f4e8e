import type * as z from 'zod/mini';
import { type FieldMeta, fieldMeta } from './fields.ts';

/** A field of a request or response with its flattened name: `wallets[].balances.CNGN.balance`. */
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

/** A schema without its optional and nullable wrappers. */
interface Unwrapped {
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

/** Returns the fields of an object schema by name; undefined for other schemas. */
export function shapeOf(schema: z.ZodMiniType): Record<string, z.ZodMiniType> | undefined {
  return definitionOf(schema).shape;
}

/** Returns the item schema of an array schema; undefined for other schemas. */
export function elementOf(schema: z.ZodMiniType): z.ZodMiniType | undefined {
  return definitionOf(schema).element;
}

/** Returns every field of a schema as a flat row, including containers, in contract order. */
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

/** A list of strings or numbers has a row for its items if they have metadata. */
function elementRow(element: z.ZodMiniType, name: string): FieldRow[] {
  const { schema, meta, required, nullable } = unwrap(element);
  return meta && !shapeOf(schema) ? [{ ...meta, name: `${name}[]`, required, nullable }] : [];
}

/** Returns the field of that name in an object schema. */
export function fieldOf(schema: z.ZodMiniType, name: string): z.ZodMiniType | undefined {
  const shape = shapeOf(schema);
  return shape && Object.hasOwn(shape, name) ? shape[name] : undefined;
}
