import * as z from 'zod/mini';
import { type Endpoint, fieldsSentIn, pathParameters, refusalsOf } from '../contract/endpoint.ts';
import { type EndpointGroup, groups } from '../contract/endpoints/index.ts';
import { type AssetRule, type FieldMeta, valuesOf } from '../contract/fields.ts';
import { type FieldRow, rowsOf } from '../contract/rows.ts';
import { ASSET_LABEL } from '../money/amount.ts';

/** The form of a field of a request or response, described for people. */
export const fieldSchema = () =>
  z.object({
    /** Flattened: `matchedOrders[].price`. */
    name: z.string(),
    type: z.string(),
    /** Required in a request; always present in a response. */
    required: z.boolean(),
    nullable: z.boolean(),
    /** Known values or states; a response may contain others. */
    values: z.nullable(z.array(z.string())),
    /** The contract's money unit, or `percent`. */
    unit: z.nullable(z.string()),
    /** The asset, the name of the field that contains it, or a side of the trading pair. */
    asset: z.nullable(z.string()),
    rule: z.nullable(z.string()),
    secret: z.boolean(),
    source: z.string(),
    /** Unit, values and rule as one text; empty if there is nothing to add to the type. */
    meaning: z.string(),
  });

export type FieldDescription = z.infer<ReturnType<typeof fieldSchema>>;

/** The form of a field of a request, with the alternative names that the sandbox accepts. */
export const requestFieldSchema = () =>
  z.extend(fieldSchema(), { in: z.enum(['path', 'query', 'body']), synonyms: z.array(z.string()) });

export type RequestField = z.infer<ReturnType<typeof requestFieldSchema>>;

/** Describes a unit; `of` is the asset or the field that names it. */
const UNIT_WORDS: Readonly<Record<NonNullable<FieldMeta['unit']>, (of: string) => string>> = {
  naira: () => 'amount in Naira',
  kobo: () => 'amount in kobo (100 kobo = ₦1)',
  token: (of) => `amount in ${of}`,
  base: (of) => `amount in base units of ${of} (1,000,000 = 1 token)`,
  'decimal-string': (of) => `decimal string in ${of}`,
  percent: () => 'percent',
};

/** Returns everything the contract knows about an endpoint. */
export function describeEndpoint(endpoint: Endpoint) {
  const { id, summary, method, path, aliases = [], rateLimit, source } = endpoint;
  return {
    id,
    summary,
    group: groupOf(endpoint),
    method,
    path,
    aliases,
    effect: endpoint.effect,
    effects: endpoint.effects ?? null,
    effectWords: effectWords(endpoint),
    rateLimit,
    source,
    request: requestFields(endpoint),
    response: rowsOf(endpoint.response()).map(describeField),
    refusals: refusalsOf(endpoint).map(({ code, http, name, when, remedy, source }) => ({
      code,
      http,
      name,
      when,
      remedy,
      source,
    })),
  };
}

/** Describes every field of a payload. */
export function fieldsOf(schema: Parameters<typeof rowsOf>[0]): FieldDescription[] {
  return rowsOf(schema).map(describeField);
}

/** Returns the contract group of an endpoint: `fx-orders`. */
function groupOf({ id }: Endpoint): string {
  const found = Object.entries(groups).find(([, group]) =>
    (Object.values(group) as readonly Endpoint[]).some((each) => each.id === id),
  );
  return found?.[0] ?? 'sandbox';
}

/** `money`; `read (list, check), write (add)` if the effect depends on the action. */
function effectWords({ effect, effects }: Endpoint): string {
  if (!effects) return effect;
  const byEffect = Map.groupBy(Object.entries(effects.of), ([, each]) => each);
  return [...byEffect].map(([each, values]) => `${each} (${values.map(([value]) => value).join(', ')})`).join(', ');
}

function requestFields(endpoint: Endpoint): RequestField[] {
  const inPath = pathParameters(endpoint.path);
  const synonyms = Object.entries(endpoint.synonyms ?? {});
  return rowsOf(endpoint.request()).map((row) => {
    const { name, ...field } = describeField(row);
    return {
      name,
      in: inPath.includes(name) ? 'path' : fieldsSentIn(endpoint),
      ...field,
      synonyms: synonyms.filter(([, own]) => own === name).map(([other]) => other),
    };
  });
}

/** Describes the unit of a field. */
function unitWords({ unit, asset, rule }: FieldMeta): string | undefined {
  if (unit === undefined) return undefined;
  if (unit === 'percent' && rule !== undefined) return undefined;
  if (asset === null) return UNIT_WORDS[unit]('an asset about which the sources contradict each other');
  if (typeof asset !== 'object') return UNIT_WORDS[unit](asset === undefined ? '' : ASSET_LABEL[asset]);
  return UNIT_WORDS[unit](assetWords(asset));
}

function assetWords(asset: Exclude<AssetRule, string | null>): string {
  if ('leg' in asset) return 'the stablecoin of the pair';
  if ('netOf' in asset) return `the asset of the one of ${Object.keys(asset.netOf).join(', ')} that it is the rest of`;
  const otherwise = asset.byDefault === undefined ? '' : ` (${ASSET_LABEL[asset.byDefault]} if there is none)`;
  return `the asset named by "${asset.field}"${otherwise}`;
}

/** Joins unit, values and rule into one text, which may be empty. A rule already lists the values. */
export function meaningOf(meta: FieldMeta, values: readonly string[] | undefined): string {
  const areValuesNamed = values === undefined || meta.rule !== undefined;
  const parts = [
    meta.secret ? 'secret' : undefined,
    unitWords(meta),
    areValuesNamed ? undefined : values.length === 1 ? values[0] : `one of ${values.join(', ')}`,
    meta.rule,
  ];
  return parts.filter((part) => part !== undefined).join('; ');
}

/** The field that names the asset, or the side of the pair that it is. */
function assetNamed(asset: Exclude<AssetRule, string | null>): string {
  if ('leg' in asset) return asset.leg;
  return 'field' in asset ? asset.field : 'rest of a figure beside it';
}

function describeField(row: FieldRow): FieldDescription {
  const values = valuesOf(row);
  return {
    name: row.name,
    type: values ? 'string' : row.type,
    required: row.required,
    nullable: row.nullable,
    values: values ?? null,
    unit: row.unit ?? null,
    asset: typeof row.asset === 'object' && row.asset ? assetNamed(row.asset) : (row.asset ?? null),
    rule: row.rule ?? null,
    secret: row.secret ?? false,
    source: row.source,
    meaning: meaningOf(row, values),
  };
}

/** Sorts endpoints by id, because a module does not keep the order of its exports. */
const byId = (a: Endpoint, b: Endpoint) => (a.id < b.id ? -1 : 1);

/** Returns the service's endpoints by group, without the sandbox's own controls. */
export function endpointsByGroup(): readonly (readonly [group: EndpointGroup, members: readonly Endpoint[]])[] {
  return Object.entries(groups).map(([group, { endpoints }]) => [
    group as EndpointGroup,
    (Object.values(endpoints) as Endpoint[]).sort(byId),
  ]);
}

/** The group of the specification that an endpoint is in: `users` of `users.list`. */
const specifiedIn = ({ id }: Endpoint): string => id.slice(0, id.indexOf('.'));

/** Returns the service's endpoints in the order of the specification, whose groups end in the order of the contract's. */
export function endpointsBySpecification(): readonly Endpoint[] {
  const all = endpointsByGroup().flatMap(([, members]) => members);
  const order = [...new Set(all.map(specifiedIn).reverse())].reverse();
  return order.flatMap((group) => all.filter((endpoint) => specifiedIn(endpoint) === group).sort(byId));
}
