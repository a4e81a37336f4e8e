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
    /** What it means, with unit, values and rule, as sentences. */
    meaning: z.string(),
  });

export type FieldDescription = z.infer<ReturnType<typeof fieldSchema>>;

/** The form of a field of a request, with the alternative names that the sandbox accepts. */
export const requestFieldSchema = () =>
  z.extend(fieldSchema(), { in: z.enum(['path', 'query', 'body']), synonyms: z.array(z.string()) });

export type RequestField = z.infer<ReturnType<typeof requestFieldSchema>>;

/** Where a field stands: in the request or the response of an operation, or in an event. */
export interface FieldOwner {
  /** The id of the operation or the name of the event. */
  readonly id: string;
  readonly isRequest?: true;
}

/** One text serves a field that is always there and one that may be absent or null. */
export const withoutAbsence = (about: string) => about.replace(/ (?:Absent|Null) [^.]*\./g, '');

/** `The amount.` and `In Naira` as `The amount. In Naira.` */
export function sentences(about: string, rules: unknown): string {
  return typeof rules === 'string' && rules !== '' ? `${about} ${rules}.` : about;
}

/** Describes a unit; `of` is the asset or the field that names it. */
const UNIT_WORDS: Readonly<Record<NonNullable<FieldMeta['unit']>, (of: string) => string>> = {
  naira: () => 'in Naira',
  kobo: () => 'in kobo (100 kobo = ₦1)',
  token: (of) => `in ${of}`,
  base: (of) => `in base units of ${of} (1,000,000 = 1 token)`,
  'decimal-string': (of) => `decimal string in ${of}`,
  percent: () => 'in percent',
};

/** Returns what a field means: `aboutField` of `about.ts`, which is loaded only for who asks for it. */
type About = (owner: FieldOwner, path: readonly string[]) => string;

/** Returns everything the contract knows about an endpoint. */
export function describeEndpoint(endpoint: Endpoint, about: About) {
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
    request: requestFields(endpoint, about),
    response: fieldsOf(endpoint.response(), { id }, about),
    refusals: refusalsOf(endpoint).map(({ code, http, name, when, remedy, source }) => ({
      code,
      http,
      name,
      when,
      remedy: String(remedy),
      source,
    })),
  };
}

/** Describes every field of a payload. */
export function fieldsOf(schema: Parameters<typeof rowsOf>[0], owner: FieldOwner, about: About): FieldDescription[] {
  return rowsOf(schema).map((row) => describeField(row, about(owner, pathOf(row))));
}

const pathOf = ({ name }: FieldRow) => name.replaceAll('[]', '').split('.');

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

function requestFields(endpoint: Endpoint, about: About): RequestField[] {
  const owner: FieldOwner = { id: endpoint.id, isRequest: true };
  const inPath = pathParameters(endpoint.path);
  const synonyms = Object.entries(endpoint.synonyms ?? {});
  return rowsOf(endpoint.request()).map((row) => {
    const { name, ...field } = describeField(row, about(owner, pathOf(row)));
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

/** Rules that say the unit themselves. */
const SAYS_UNIT = /\bin (?:Naira|kobo|cNGN)\b|\bcNGN per\b|\b\d cNGN\b|\bpercent\b|US dollars/;

/** Says unit, values and rule as sentences without the last full stop; empty if there are none. A rule already lists the values. */
export function rulesOf(meta: FieldMeta, values: readonly string[] | undefined): string {
  const { rule, secret } = meta;
  const areValuesNamed = values === undefined || rule !== undefined;
  return [
    secret ? 'secret' : undefined,
    rule !== undefined && SAYS_UNIT.test(rule) ? undefined : unitWords(meta),
    areValuesNamed ? undefined : values.length === 1 ? `\`${values[0]}\`` : `one of ${values.join(', ')}`,
    rule,
  ]
    .filter((part) => part !== undefined)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('. ');
}

/** The field that names the asset, or the side of the pair that it is. */
function assetNamed(asset: Exclude<AssetRule, string | null>): string {
  if ('leg' in asset) return asset.leg;
  return 'field' in asset ? asset.field : 'rest of a figure beside it';
}

function describeField(row: FieldRow, about: string): FieldDescription {
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
    meaning: sentences(row.required && !row.nullable ? withoutAbsence(about) : about, rulesOf(row, values)),
  };
}

/** Sorts endpoints by id, because a module does not keep the order of its exports. */
const byId = (a: Endpoint, b: Endpoint) => (a.id < b.id ? -1 : 1);

/** Returns the service's endpoints by group, without the sandbox's own controls. */
export function endpointsByGroup(): readonly (readonly [group: EndpointGroup, members: readonly Endpoint[]])[] {
  return Object.entries(groups).map(([group, members]) => [
    group as EndpointGroup,
    (Object.values(members) as Endpoint[]).sort(byId),
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
